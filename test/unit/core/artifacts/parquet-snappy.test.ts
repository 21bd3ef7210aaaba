import { snappyUncompress } from "hyparquet/src/snappy.js";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import { describe, expect, it } from "vitest";
import { SnappyEncoder } from "../../../../src/core/artifacts/parquet/snappy.js";
import { seededRandom } from "../../../support/random.js";

const random = seededRandom(11);

/** Bytes of so many kinds, in stretches that come back now and then. */
function bytesOf(length: number, kinds: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length;) {
    const size = Math.min(length - at, 1 + Math.floor(random() ** 4 * 3000));
    const back = Math.floor(random() * at);
    if (random() < 0.4) for (let i = 0; i < size; i++) bytes[at + i] = bytes[back + i] ?? 0;
    else for (let i = 0; i < size; i++) bytes[at + i] = Math.floor(random() * kinds);
    at += size;
  }
  return bytes;
}

describe("Snappy", () => {
  it("gives the bytes of another implementation, and the input back", () => {
    const encoder = new SnappyEncoder();
    const inputs = [0, 1, 14, 15, 16, 59, 60, 61, 62, 255, 256, 257, 4096, 20_000, 66_000, 300_000].flatMap((length) =>
      [1, 2, 20, 256].map((kinds) => bytesOf(length, kinds)),
    );
    const doubles = Float64Array.from({ length: 16_384 }, (_, i) => 1e9 + i + random());
    for (const input of [...inputs, new Uint8Array(doubles.buffer)]) {
      const packed = encoder.encode(input);
      expect(Buffer.compare(packed, snappyCompress(input))).toBe(0);
      const unpacked = new Uint8Array(input.length);
      if (input.length > 0) snappyUncompress(packed, unpacked);
      expect(Buffer.compare(unpacked, input)).toBe(0);
    }
  });

  it("takes a part of a larger memory", () => {
    const memory = bytesOf(5000, 4);
    const part = memory.subarray(1001, 3001);
    expect(Buffer.compare(new SnappyEncoder().encode(part), snappyCompress(part.slice()))).toBe(0);
  });
});
