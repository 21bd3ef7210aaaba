import { expect, it } from "vitest";
import { groupRepeats, sourceOf } from "../../../../src/core/compare/index.js";
import type { JsonObject } from "../../../../src/core/text/index.js";
import { RunBuilder } from "../../../support/run-builder.js";

function named(label: string, inputConfig: JsonObject = {}, seconds = 20, benchmarkId = label) {
  const builder = new RunBuilder(5, inputConfig);
  for (let i = 0; i <= seconds; i++) builder.scrape(i, [{ name: "g", value: i }]);
  const { run } = builder.window(0, seconds);
  Object.assign(run.metadata, { benchmarkId });
  return { label, run: sourceOf({ kind: "samples", label, run }) };
}
const labelsOf = (runs: readonly ReturnType<typeof named>[]) =>
  groupRepeats(runs).map((set) => set.map(({ label }) => label));

const a = { endpoint: { concurrency: 8 } };
const b = { endpoint: { concurrency: 64 } };

it("repeats are runs of one configuration and like length, in the order of the first of each set", () => {
  expect(labelsOf([named("x", b), named("p", a), named("y", b), named("q", a)])).toEqual([
    ["x", "y"],
    ["p", "q"],
  ]);
  expect(labelsOf([named("x", a), named("y", a), named("long", a, 60)])).toEqual([["x", "y"], ["long"]]);
});

it("repeats are runs of one name, where configurations tell nothing apart", () => {
  expect(labelsOf(["cand-1", "base-1", "cand-2", "base-2", "base-3"].map((label) => named(label, a)))).toEqual([
    ["cand-1", "cand-2"],
    ["base-1", "base-2", "base-3"],
  ]);
});

it("runs stay by themselves where there would be one set, or none with a repeat", () => {
  expect(labelsOf([named("run-1", a), named("run-2", a)])).toEqual([["run-1"], ["run-2"]]);
  expect(labelsOf([named("main", a), named("chunked", a)])).toEqual([["main"], ["chunked"]]);
  expect(labelsOf([named("rate-1", a), named("rate-2", b)])).toEqual([["rate-1"], ["rate-2"]]);
});

it("two files of one run are no repeats", () => {
  expect(labelsOf([named("base", b), named("parquet", a, 20, "one"), named("json", a, 20, "one")])).toEqual([
    ["base"],
    ["parquet"],
    ["json"],
  ]);
  expect(labelsOf([named("parquet", a, 20, "one"), named("again", a), named("json", a, 20, "one")])).toEqual([
    ["parquet", "again"],
    ["json"],
  ]);
});
