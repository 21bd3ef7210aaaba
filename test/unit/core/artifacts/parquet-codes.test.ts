import { readRleBitPackedHybrid } from "hyparquet/src/encoding.js";
import { describe, expect, it } from "vitest";
import { NumberDictionary } from "../../../../src/core/artifacts/parquet/dictionary.js";
import { codeWidth, hybridCapacity, writeHybrid } from "../../../../src/core/artifacts/parquet/hybrid-runs.js";
import { seededRandom } from "../../../support/random.js";

/** Decoded by another implementation. */
function decoded(codes: Int32Array, width: number): number[] {
  const bytes = new Uint8Array(hybridCapacity(codes.length, width));
  const length = writeHybrid(codes, 0, codes.length, width, bytes, 0);
  expect(length).toBeLessThanOrEqual(bytes.length);
  const out = new Array<number>(codes.length);
  readRleBitPackedHybrid({ view: new DataView(bytes.buffer, 0, length), offset: 0 }, width, out, length);
  return out;
}

describe("codes as runs and packed groups", () => {
  it("are read back as they were, for every width and mix of runs", () => {
    const random = seededRandom(7);
    for (let width = 1; width <= 20; width++) {
      const codes: number[] = [];
      while (codes.length < 700) {
        const code = Math.floor(random() * 2 ** width);
        const times = random() < 0.5 ? 1 : Math.ceil(random() * 40);
        for (let i = 0; i < times; i++) codes.push(code);
      }
      const all = Int32Array.from(codes);
      for (const length of [1, 7, 8, 9, 64, all.length])
        expect(decoded(all.subarray(0, length), width)).toEqual(codes.slice(0, length));
    }
  });

  it("have as many bits as the greatest code needs", () => {
    expect([1, 2, 3, 4, 5, 256, 257].map(codeWidth)).toEqual([0, 1, 2, 2, 3, 8, 9]);
  });
});

describe("a dictionary of numbers", () => {
  it("gives each its code, in order of appearance, through growth and after it was cleared", () => {
    const dictionary = new NumberDictionary();
    const numbers = [0, -0, 1, -1, 0.1, 2 ** 53, 5e-324, 1.7976931348623157e308];
    for (let i = 0; i < 5000; i++) numbers.push(i * 3 + 0.5);
    for (let round = 0; round < 2; round++) {
      expect(numbers.map((number) => dictionary.codeOf(number))).toEqual([...numbers.keys()]);
      expect(numbers.map((number) => dictionary.codeOf(number))).toEqual([...numbers.keys()]);
      expect([...dictionary.all()]).toEqual(numbers);
      dictionary.clear();
    }
  });
});
