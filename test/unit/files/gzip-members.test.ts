import { constants, gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ungzip } from "../../../src/files/unpacking.js";

const text = Buffer.from(Array.from({ length: 50_000 }, (_, i) => `vllm:requests{i="${i % 97}"} ${i * 7}\n`).join(""));
const packed = gzipSync(text);

async function unpacked(bytes: Uint8Array, length: number) {
  // eslint-disable-next-line @typescript-eslint/require-await
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
  }
  const reading = ungzip(chunks);
  const given: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reading.next();
    if (done === true) return { given: Buffer.concat(given), torn: value.torn };
    given.push(value);
  }
}

describe("gzip of one member", () => {
  it.each([100, 70_000, 1 << 20])("is unpacked whole from chunks of %d bytes", async (length) => {
    const { given, torn } = await unpacked(packed, length);
    expect(given.equals(text)).toBe(true);
    expect(torn).toBe(false);
  });

  it.each([70_000, 1 << 20])(
    "that is damaged gives all but the last bytes before, from chunks of %d",
    async (length) => {
      const at = Math.floor(0.7 * packed.length);
      const damaged = Buffer.from(packed).fill(0xff, at, at + 400);
      const before = gunzipSync(packed.subarray(0, at - 128), { finishFlush: constants.Z_SYNC_FLUSH });
      const { given, torn } = await unpacked(damaged, length);
      expect(torn).toBe(true);
      expect(given.length).toBeGreaterThanOrEqual(before.length);
      expect(given.subarray(0, before.length).equals(before)).toBe(true);
    },
  );

  it("that is cut off gives all there is", async () => {
    const cut = packed.subarray(0, Math.floor(packed.length / 2));
    const { given, torn } = await unpacked(cut, 1 << 20);
    expect(torn).toBe(true);
    expect(given.equals(gunzipSync(cut, { finishFlush: constants.Z_SYNC_FLUSH }))).toBe(true);
  });
});
