import { expect, it } from "vitest";
import { originalCell, safeCell, safeCsvLine } from "../../../../src/core/text/csv-line.js";

/** OWASP's list of how a formula begins, and what spreadsheets drop before one. */
const FORMULAS = [
  "=1+1",
  "+1+1",
  "-1+1",
  "@SUM(1)",
  "\t=1",
  "\r=1",
  "\n=1",
  " =1",
  "\u00a0=1",
  "＝1",
  "＋1",
  "－1",
  "＠A1",
];
const HARMLESS = ["", "a", "a=1", "vllm:x", "'tis", "5", "-5", "+1.5e3", "-.5", " a", "–", '{a="="}'];

it.each(FORMULAS)("a cell that begins a formula gets an apostrophe, and is read back as it was: %j", (cell) => {
  expect(safeCell(cell)).toBe(`'${cell}`);
  // One that looks like ours already is told apart from it.
  for (const written of [cell, `'${cell}`, `''${cell}`]) expect(originalCell(safeCell(written))).toBe(written);
});

it.each(HARMLESS)("any other cell stays as it is, numbers with a sign among them: %j", (cell) => {
  expect(safeCell(cell)).toBe(cell);
  expect(originalCell(cell)).toBe(cell);
});

it("the apostrophe stands inside the quotes of a cell that needs them", () => {
  expect(safeCsvLine(["\r=1", '=a,"b"', "-3"])).toBe(`"'\r=1","'=a,""b""",-3`);
});
