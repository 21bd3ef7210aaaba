import { expect, it } from "vitest";
import { withRule } from "../../../../webview-ui/comparison/matching/rules.js";
import { moved, without } from "../../../../webview-ui/comparison/overview/order.js";

it("moves one run to another place, the others keep their order", () => {
  expect(moved(2, 1, 0)).toEqual([1, 0]);
  expect(moved(4, 3, 0)).toEqual([3, 0, 1, 2]);
  expect(moved(4, 0, 2)).toEqual([1, 2, 0, 3]);
  expect(without(3, 1)).toEqual([0, 2]);
});

it("sets one rule in the place of an earlier one for the same label", () => {
  expect(
    withRule(
      [
        { label: "engine", mode: "pair" },
        { label: "pod", mode: "match" },
      ],
      "engine",
      "aggregate",
    ),
  ).toEqual([
    { label: "pod", mode: "match" },
    { label: "engine", mode: "aggregate" },
  ]);
});
