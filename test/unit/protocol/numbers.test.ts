import { expect, it } from "vitest";
import { packNumbers, unpackNumbers } from "../../../src/protocol/index.js";

it("packNumbers brings numbers that JSON has no words for through JSON", () => {
  const sent = {
    tiles: [{ value: NaN, least: -0.5 }, { value: 3 }],
    bounds: { lower: 10, upper: Infinity },
    least: -Infinity,
    none: null,
    text: "NaN",
  };
  expect(unpackNumbers(JSON.parse(JSON.stringify(packNumbers(sent))))).toEqual(sent);
});

it("packNumbers hands on what needs no packing as it is, typed arrays among it", () => {
  const plain = { times: Float64Array.of(1, NaN), lines: [{ values: Float64Array.of(2) }], count: 2 };
  expect(packNumbers(plain)).toBe(plain);
  const packed = packNumbers({ ...plain, value: NaN });
  expect(packed).toEqual({ ...plain, value: { $number: "NaN" } });
  expect(unpackNumbers(packed)).toEqual({ ...plain, value: NaN });
});
