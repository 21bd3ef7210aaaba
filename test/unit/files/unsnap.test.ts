import { snappyUncompressor } from "hysnappy";
import { describe, expect, it } from "vitest";
import { SnappyEncoder } from "../../../src/core/artifacts/parquet/snappy.js";
import { COMPRESSORS } from "../../../src/files/parquet/compressors.js";
import { seededRandom } from "../../support/random.js";

const random = seededRandom(5);
const unpack = (packed: Uint8Array, length: number) => COMPRESSORS.SNAPPY?.(packed, length);
/** What makes it out of a page, or undefined where it refuses. */
const outcome = (unpacked: (packed: Uint8Array, length: number) => Uint8Array | undefined) => {
  return (packed: Uint8Array, length: number) => {
    try {
      return Buffer.from(unpacked(packed, length) ?? []).toString("base64");
    } catch {
      return undefined;
    }
  };
};

/** Bytes of so many kinds, in stretches that repeat what lies a little or far before. */
function bytesOf(length: number, kinds: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length;) {
    const size = Math.min(length - at, 1 + Math.floor(random() ** 4 * 3000));
    const back = random() < 0.5 ? Math.max(0, at - 1 - Math.floor(random() * 20)) : Math.floor(random() * at);
    const repeats = at > 0 && random() < 0.5;
    for (let i = 0; i < size; i++) bytes[at + i] = repeats ? (bytes[back + i] ?? 0) : Math.floor(random() * kinds);
    at += size;
  }
  return bytes;
}

describe("a page packed with Snappy", () => {
  const encoder = new SnappyEncoder();

  it("is unpacked to what it was", () => {
    for (const length of [0, 1, 15, 16, 17, 59, 60, 61, 255, 256, 257, 66_000, 300_000])
      for (const kinds of [1, 2, 20, 256]) {
        const bytes = bytesOf(length, kinds);
        expect(Buffer.compare(unpack(encoder.encode(bytes), length) ?? new Uint8Array(1), bytes)).toBe(0);
      }
  });

  it("is refused where another implementation refuses it, and else gives the same", () => {
    const [own, other] = [outcome(unpack), outcome(snappyUncompressor())];
    let refused = 0;
    for (let i = 0; i < 3000; i++) {
      const whole = bytesOf(20 + Math.floor(random() * 600), 1 + (i % 30));
      const packed = encoder.encode(whole).slice();
      for (let n = i % 4; n > 0; n--)
        packed[2 + Math.floor(random() * (packed.length - 2))] = Math.floor(random() * 256);
      const damaged = i % 3 === 0 ? packed.subarray(0, Math.floor(random() * packed.length)) : packed;
      if (damaged.length < 2) continue;
      const found = own(damaged, whole.length);
      expect(found).toBe(other(damaged, whole.length));
      if (found === undefined) refused++;
    }
    expect(refused).toBeGreaterThan(500);
  });
});
