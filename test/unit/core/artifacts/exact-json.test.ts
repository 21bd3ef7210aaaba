import { describe, expect, it } from "vitest";
import { exactInteger, parseExact } from "../../../../src/core/artifacts/index.js";

describe("exact JSON", () => {
  it("keeps integers beyond 2^53 and only those as bigints", () => {
    expect(
      parseExact(
        "[9007199254740991, 9007199254740993, -1765000000123456789, 12, 1e20, 0.4522123456789012345, 1234567890123456.5, 12345678901234567e2]",
      ),
    ).toEqual([
      9007199254740991,
      9007199254740993n,
      -1765000000123456789n,
      12,
      1e20,
      0.4522123456789012345,
      1234567890123456.5,
      12345678901234567e2,
    ]);
  });

  it("leaves digits within texts and keys alone", () => {
    const text =
      '{"1765000000123456789": "at 1765000000123456789, \\"1765000000123456789\\"", "\\\\": 1765000000123456789}';
    expect(parseExact(text)).toEqual({
      "1765000000123456789": 'at 1765000000123456789, "1765000000123456789"',
      "\\": 1765000000123456789n,
    });
  });

  it("agrees with JSON.parse on all that has no such integer", () => {
    for (const text of [
      '{"a":[],"b":{},"c":null,"d":[true,false],"e":"\\u00fc\\n","f":-0.5e-7,"__proto__":{"x":1}}',
      "3",
      '"text"',
      " [ 1 , 2 ] ",
    ]) {
      expect(JSON.stringify(parseExact(text))).toBe(JSON.stringify(JSON.parse(text)));
    }
    for (const text of ["", "{", '{"a":1,}', "[1 2]", "nul", '"\u0001"'])
      expect(() => parseExact(text)).toThrow(SyntaxError);
  });

  it("finds the digits of a field by what JSON.parse made of them", () => {
    const text = '{"other": 1, "t": "1", "t": 1765000000123456789}';
    expect(exactInteger(text, "t", 1765000000123456789)).toBe(1765000000123456789n);
    expect(exactInteger(text, "t", 7)).toBe(7n);
  });
});
