import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import { describe, expect, it } from "vitest";
import { NumberDictionary } from "../../../../src/core/artifacts/parquet/column-codes.js";
import { READ_BEYOND, readHybrid } from "../../../../src/core/artifacts/parquet/data-page.js";
import { seededRandom } from "../../../support/random.js";

describe("codes as runs and packed groups", () => {
  it("are read as another implementation wrote them, whatever follows", () => {
    const random = seededRandom(11);
    for (let width = 0; width <= 24; width++) {
      const codes: number[] = [];
      while (codes.length < 500) {
        const code = Math.floor(random() * 2 ** width);
        for (let times = random() < 0.5 ? 1 : Math.ceil(random() * 40); times > 0; times--) codes.push(code);
      }
      const writer = new ByteWriter();
      const end = writeRleBitPackedHybrid(writer, codes, width);
      writer.appendBytes(new Uint8Array(READ_BEYOND).fill(0xff));
      const { view } = writer;
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
