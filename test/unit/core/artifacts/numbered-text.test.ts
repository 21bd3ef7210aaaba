import { expect, it } from "vitest";
import { NumberedText } from "../../../../src/core/artifacts/jsonl/write.js";
import { seededRandom } from "../../../support/random.js";

const written = (value: number | undefined) =>
  value === undefined || !Number.isFinite(value) ? "null" : Object.is(value, -0) ? "-0.0" : String(value);

it("a numbered text writes the numbers as they are now, whatever they were before", () => {
  const random = seededRandom(4);
  const kinds: readonly (() => number)[] = [
    () => Math.floor(random() * 12),
    () => Math.floor(random() * 1e5),
    () => Math.floor(random() * 2 ** 33) - 2 ** 32,
    () => random(),
    () => Math.round(random() * 1e6) / 10 ** Math.floor(random() * 5),
    () => -random() * 1e-6,
    () => random() * 10 ** Math.floor(random() * 40 - 20),
    () =>
      [NaN, Infinity, -Infinity, 0, -0, 2 ** 31 - 1, 2 ** 31, -1, 10, 9, 5e-324, -1.7976931348623157e308][
        Math.floor(random() * 12)
      ] ?? 0,
  ];
  const pieces: (string | number)[] = [];
  for (let i = 0; i < 40; i++) pieces.push(i % 7 === 0 ? `{"ü€${"…".repeat(i)}":` : `,`, i === 20 ? -1 : 39 - i);
  const text = new NumberedText([...pieces, "}"]);
  const values = new Float64Array(40);
  for (let round = 0; round < 300; round++) {
    for (let i = 0; i < 40; i++) if (random() < 0.4) values[i] = kinds[Math.floor(random() * kinds.length)]?.() ?? 0;
    const expected = pieces.map((piece) => (typeof piece === "number" ? written(values[piece]) : piece)).join("");
    expect(text.with(values)).toBe(`${expected}}`);
  }
});

it("a numbered text may have no numbers", () => {
  expect(new NumberedText(["a", "b"]).with(new Float64Array(0))).toBe("ab");
});
