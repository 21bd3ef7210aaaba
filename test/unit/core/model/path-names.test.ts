import { expect, it } from "vitest";
import { pathNames } from "../../../../src/core/text/names.js";

it.each([
  [
    ["/runs/a/x.json", "/runs/b/x.json"],
    ["a/x.json", "b/x.json"],
  ],
  [
    ["/runs/a/x.json", "/runs/a/x.jsonl"],
    ["x.json", "x.jsonl"],
  ],
  [
    ["/runs/x.json", "/runs/a/x.json", "/runs/a/b/x.json"],
    ["x.json", "a/x.json", "a/b/x.json"],
  ],
  [
    ["C:\\runs\\a\\x.json", "C:\\runs\\b\\x.json"],
    ["a/x.json", "b/x.json"],
  ],
  [["/runs/a/x.json"], ["x.json"]],
  [
    ["path-1.json", "path-2.json"],
    ["path-1.json", "path-2.json"],
  ],
  [[], []],
])("%j are called %j", (paths, names) => {
  expect(pathNames(paths)).toEqual(names);
});
