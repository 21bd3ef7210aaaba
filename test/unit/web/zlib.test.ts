import { deflateRawSync, gunzipSync as unzipped, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createGunzip, createInflateRaw, gunzipSync } from "../../../src/web/node/zlib.js";

const text = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `vllm:requests{i="${i % 97}"} ${i}\n`).join(""));

async function read(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces);
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* inChunks(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

describe("gzip without Node", () => {
  const members = Buffer.concat([gzipSync(text.subarray(0, 300_000)), gzipSync(text.subarray(300_000))]);

  it.each([1, 7, 1000, 1 << 20])("unpacks members one behind the other in chunks of %d bytes", async (length) => {
    expect(unzipped(members).equals(text)).toBe(true);
    expect((await read(createGunzip().readFrom(inChunks(members, length)))).equals(text)).toBe(true);
  });

  it("gives what it can of torn and of damaged data, and says which it is", async () => {
    const given: Uint8Array[] = [];
    const torn = createGunzip().readFrom(inChunks(members.subarray(0, members.length - 9), 4096));
    const reading = (async () => {
      for await (const piece of torn) given.push(piece);
    })();
    await expect(reading).rejects.toMatchObject({ code: "Z_BUF_ERROR" });
    const got = Buffer.concat(given);
    expect(got.length).toBeGreaterThan(300_000);
    expect(text.subarray(0, got.length).equals(got)).toBe(true);

    const damaged = Buffer.from(members);
    damaged[members.length - 6] = (damaged[members.length - 6] ?? 0) ^ 1;
    await expect(read(createGunzip().readFrom(inChunks(damaged, 4096)))).rejects.toMatchObject({
      code: "Z_DATA_ERROR",
    });
    expect(() => gunzipSync(damaged)).toThrow();
  });

  it("unpacks no more than it is allowed", () => {
    const packed = gzipSync(text);
    expect(Buffer.from(gunzipSync(packed, { maxOutputLength: text.length })).equals(text)).toBe(true);
    expect(() => gunzipSync(packed, { maxOutputLength: text.length - 1 })).toThrow("longer than it says");
  });

  it("tells how many packed bytes belong to raw data", async () => {
    const raw = deflateRawSync(text);
    const inflate = createInflateRaw();
    inflate.end(Buffer.concat([raw, Buffer.from("and more")]));
    expect((await read(inflate)).equals(text)).toBe(true);
    expect(inflate.bytesWritten).toBe(raw.length);
  });
});
