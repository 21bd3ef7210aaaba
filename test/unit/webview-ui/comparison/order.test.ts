import { expect, it } from "vitest";
import { moved } from "../../../../webview-ui/comparison/overview/run-head.js";

it("moved() puts a run in another place and shifts those between", () => {
  expect(moved(["a", "b"], 1, 0)).toEqual(["b", "a"]);
  expect(moved(["a", "b", "c", "d"], 3, 0)).toEqual(["d", "a", "b", "c"]);
  expect(moved(["a", "b", "c", "d"], 0, 2)).toEqual(["b", "c", "a", "d"]);
});
