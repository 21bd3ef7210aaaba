import { expect, it } from "vitest";
import { noun, plural } from "../../../../src/core/text/plural.js";

it("a noun stands in the number of its count, which has its thousands apart", () => {
  expect([0, 1, 2, 1234].map((count) => plural(count, "scrape"))).toEqual([
    "0 scrapes",
    "1 scrape",
    "2 scrapes",
    "1,234 scrapes",
  ]);
  expect([1, 2].map((count) => plural(count, "family", "families"))).toEqual(["1 family", "2 families"]);
  expect([1, 2].map((count) => noun(count, "is", "are"))).toEqual(["is", "are"]);
});
