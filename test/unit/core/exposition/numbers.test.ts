import { expect, it } from "vitest";
import { ExpositionParser, ParseError } from "../../../../src/core/exposition/index.js";

/** The values that a first scrape, and one that is expected to be like it, have of this text. */
function read(text: string): readonly number[] {
  const parser = new ExpositionParser();
  const warm = new ExpositionParser();
  const bytes = (value: string) => new TextEncoder().encode(`a ${value}\n`);
  warm.parse(bytes("0"), "text");
  return [parser, warm].map((one) => one.parse(bytes(text), "text").values[0] ?? 0);
}

it.each([
  "0",
  "-0",
  "9007199254740993",
  "18446744073709551615",
  "1e23",
  "9007199254740991e22",
  "5e-324",
  "2e-324",
  "1.7976931348623159e308",
  "1e-400",
  "0.30000000000000004",
  "00000000000000000000000000000001.2e-1",
  "1.",
  ".5",
  "+7",
  "1E5",
  "1e999999999999999999999",
  "1.00000000000000011102230246251565404236316680908203125",
])("%s is rounded as Number() does", (text) => {
  expect(read(text)).toEqual([Number(text), Number(text)]);
});

it("NaN and the infinities in any case", () => {
  for (const text of ["NaN", "nan", "NAN"]) expect(read(text)).toEqual([NaN, NaN]);
  for (const text of ["+Inf", "Inf", "inf", "+infinity"]) expect(read(text)).toEqual([Infinity, Infinity]);
  for (const text of ["-Inf", "-INFINITY"]) expect(read(text)).toEqual([-Infinity, -Infinity]);
});

it.each([
  "",
  "-",
  "+",
  ".",
  "-.",
  "e5",
  "1e",
  "1e+",
  "+NaN",
  "-NaN",
  "none",
  "infinit",
  "infinitys",
  "--1",
  "0x1",
  "1_0",
])('"%s" is no number', (text) => expect(() => read(text)).toThrow(ParseError));
