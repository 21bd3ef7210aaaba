import { readRleBitPackedHybrid } from "hyparquet/src/encoding.js";
import { describe, expect, it } from "vitest";
import { NumberDictionary } from "../../../../src/core/artifacts/parquet/dictionary.js";
import {
  codeWidth,
  hybridCapacity,
  onlyCode,
  READ_BEYOND,
  readHybrid,
  writeHybrid,
} from "../../../../src/core/artifacts/parquet/hybrid-runs.js";
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

  it("are read as another implementation reads them, whatever follows", () => {
    const random = seededRandom(11);
    for (let width = 0; width <= 24; width++) {
      const codes: number[] = [];
      while (codes.length < 500) {
        const code = Math.floor(random() * 2 ** width);
        for (let times = random() < 0.5 ? 1 : Math.ceil(random() * 40); times > 0; times--) codes.push(code);
      }
      const bytes = new Uint8Array(hybridCapacity(codes.length, width) + READ_BEYOND).fill(0xff);
      const end = writeHybrid(Int32Array.from(codes), 0, codes.length, width, bytes, 0);
      const view = new DataView(bytes.buffer);
      const out = new Int32Array(codes.length + 3).fill(-7);
      readHybrid(view, 0, end, width, codes.length, out, 2, 5);
      expect([...out]).toEqual([-7, -7, ...codes.map((code) => code + 5), -7]);
      if (width === 0) continue;
      expect(() => readHybrid(view, 0, end >> 1, width, codes.length, out, 2, 5)).toThrow("its codes end too soon");
    }
  });

  it("may have 32 bits each", () => {
    const codes = [3, 0, 2 ** 31 - 9, 70_000, 1, 2, 3, 4];
    const bytes = new Uint8Array(1 + 4 * codes.length + READ_BEYOND).fill(0xff);
    const view = new DataView(bytes.buffer);
    view.setUint8(0, 2 + 1);
    for (const [i, code] of codes.entries()) view.setInt32(1 + 4 * i, code, true);
    const out = new Int32Array(codes.length);
    readHybrid(view, 0, bytes.length - READ_BEYOND, 32, codes.length, out, 0, 1);
    expect([...out]).toEqual(codes.map((code) => code + 1));
  });

  it("are known to be all alike without being read", () => {
    const bytes = new Uint8Array(64);
    const view = new DataView(bytes.buffer);
    const end = writeHybrid(new Int32Array(300).fill(1), 0, 300, 1, bytes, 0);
    expect(onlyCode(view, 0, end, 1, 300)).toBe(1);
    expect(onlyCode(view, 0, end, 1, 301)).toBeUndefined();
    const mixed = writeHybrid(
      Int32Array.from({ length: 300 }, (_, i) => i % 2),
      0,
      300,
      1,
      bytes,
      0,
    );
    expect(onlyCode(view, 0, mixed, 1, 300)).toBeUndefined();
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
