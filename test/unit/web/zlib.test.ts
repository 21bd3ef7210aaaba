import { gunzipSync as unzipped, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createGunzip, gunzipSync } from "../../../src/web/node/zlib.js";

const text = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `vllm:requests{i="${i % 97}"} ${i}\n`).join(""));

/** What comes of bytes that are written as those of a file are, and how it ends. */
function unpacked(bytes: Uint8Array, length: number): { readonly given: Buffer; readonly end: unknown } {
  const given: Uint8Array[] = [];
  let end: unknown;
  const source = createGunzip();
  source.on("data", (piece) => void given.push(piece));
  source.on("end", () => (end ??= "end"));
  source.on("error", (error) => (end ??= error));
  for (let at = 0; at < bytes.length; at += length) source.write(bytes.subarray(at, at + length), () => undefined);
  source.end();
  return { given: Buffer.concat(given), end };
}

describe("gzip without Node", () => {
  const members = Buffer.concat([gzipSync(text.subarray(0, 300_000)), gzipSync(text.subarray(300_000))]);

  it.each([1, 7, 1000, 1 << 20])("unpacks members one behind the other in chunks of %d bytes", (length) => {
    expect(unzipped(members).equals(text)).toBe(true);
    const { given, end } = unpacked(members, length);
    expect(given.equals(text)).toBe(true);
    expect(end).toBe("end");
  });

  it("gives what it can of torn and of damaged data, and says which it is", () => {
    const { given, end } = unpacked(members.subarray(0, members.length - 9), 4096);
    expect(end).toMatchObject({ code: "Z_BUF_ERROR" });
    expect(given.length).toBeGreaterThan(300_000);
    expect(text.subarray(0, given.length).equals(given)).toBe(true);

    const damaged = Buffer.from(members);
    damaged[members.length - 6] = (damaged[members.length - 6] ?? 0) ^ 1;
    expect(unpacked(damaged, 4096).end).toMatchObject({ code: "Z_DATA_ERROR" });
    expect(() => gunzipSync(damaged)).toThrow();
  });

  it("unpacks no more than it is allowed", () => {
    const packed = gzipSync(text);
    expect(Buffer.from(gunzipSync(packed, { maxOutputLength: text.length })).equals(text)).toBe(true);
    expect(() => gunzipSync(packed, { maxOutputLength: text.length - 1 })).toThrow("longer than it says");
  });

  it("is read by iteration, too", () => {
    const source = createGunzip();
    source.end(members);
    const pieces: Uint8Array[] = [];
    for (const piece of source) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(text)).toBe(true);
  });
});
