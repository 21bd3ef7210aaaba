import { expect, it } from "vitest";
import { NumberReader } from "../../../../src/core/text/number-reader.js";
import { seededRandom } from "../../../support/random.js";

const reader = new NumberReader();

function read(text: string): { value: number; length: number } {
  const bytes = new TextEncoder().encode(`  ${text}\n        `);
  const value = reader.read(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 2);
  return { value, length: reader.end - 2 };
}

/** Random texts of the shapes servers write: integers, fractions, exponents, doubles printed in full. */
function randomNumber(random: () => number): string {
  const digits = (n: number) => Array.from({ length: n }, () => Math.floor(random() * 10)).join("");
  const sign = random() < 0.3 ? "-" : random() < 0.1 ? "+" : "";
  const shape = Math.floor(random() * 6);
  if (shape === 0) return sign + digits(1 + Math.floor(random() * 22));
  if (shape === 1) return `${sign}${digits(1 + Math.floor(random() * 12))}.${digits(Math.floor(random() * 12))}`;
  if (shape === 2)
    return `${sign}${digits(1)}.${digits(Math.floor(random() * 18))}e${random() < 0.5 ? "-" : "+"}${digits(1 + Math.floor(random() * 2))}`;
  if (shape === 3) return `${sign}.${digits(1 + Math.floor(random() * 20))}E${Math.floor(random() * 700) - 350}`;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setUint32(0, Math.floor(random() * 2 ** 32));
  bits.setUint32(4, Math.floor(random() * 2 ** 32));
  if (shape === 4) return Number.isFinite(bits.getFloat64(0)) ? String(bits.getFloat64(0)) : "0";
  return String(random() * 10 ** Math.floor(random() * 12));
}

it("the number reader equals Number() on many texts", () => {
  const random = seededRandom(20261121);
  for (let i = 0; i < 200_000; i++) {
    const text = randomNumber(random);
    const { value, length } = read(text);
    if (!Object.is(value, Number(text)) || length !== text.length)
      expect({ text, value, length }).toEqual({ text, value: Number(text), length: text.length });
  }
});

it.each([
  "0",
  "-0",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "18446744073709551615",
  "1e22",
  "1e23",
  "9007199254740991e22",
  "123456789e-22",
  "1e-23",
  "5e-324",
  "2.5e-324",
  "2e-324",
  "1.7976931348623157e308",
  "1.7976931348623159e308",
  "1e400",
  "1e-400",
  "0.1",
  "0.30000000000000004",
  "00000000000000000000000000000001.2e-1",
  "1.",
  ".5",
  "1e0000000000000000000000005",
  "1e999999999999999999999",
  "0e999999999999999999999",
  "6.0221407600000000000000000000000001e23",
  "2.2250738585072011e-308",
  "1.00000000000000011102230246251565404236316680908203125",
])("the number reader rounds %s as Number() does", (text) => {
  expect(read(text)).toEqual({ value: Number(text), length: text.length });
});

it("the number reader reads NaN and the infinities", () => {
  for (const text of ["NaN", "nan", "NAN"]) expect(read(text)).toEqual({ value: NaN, length: 3 });
  for (const text of ["+Inf", "Inf", "inf", "+infinity"])
    expect(read(text)).toEqual({ value: Infinity, length: text.length });
  for (const text of ["-Inf", "-INFINITY"]) expect(read(text)).toEqual({ value: -Infinity, length: text.length });
});

it("the number reader says when there is no number", () => {
  for (const text of [
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
    "x",
  ])
    expect(read(text).length).toBe(0);
});
