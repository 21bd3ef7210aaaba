import { expect, it } from "vitest";
import { makeRunColors } from "../../../../webview-ui/comparison/run-colors.js";

it("a run keeps its colour while others come, go or become the baseline", () => {
  const colors = makeRunColors(undefined);
  const all = (...runs: readonly string[]) => {
    colors.settle(runs);
    return runs.map((run) => colors.of(run));
  };
  expect(all("a", "b", "c")).toEqual([0, 1, 2]);
  expect(all("c", "a", "b")).toEqual([2, 0, 1]);
  expect(all("c", "b")).toEqual([2, 1]);
  // What is free is given again.
  expect(all("c", "b", "d", "e")).toEqual([2, 1, 0, 3]);
});

it("makeRunColors keeps the colours when the page is made anew, and takes no nonsense for some", () => {
  const first = makeRunColors(undefined);
  first.settle(["a", "b"]);
  first.settle(["b", "a"]);
  const again = makeRunColors(JSON.parse(JSON.stringify(first.kept())));
  expect([again.of("b"), again.of("a"), again.of("c")]).toEqual([1, 0, 2]);
  expect(makeRunColors({ a: -1, b: "x", c: 1.5 }).of("z")).toBe(0);
});
