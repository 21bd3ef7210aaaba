import { expect, it } from "vitest";
import { compareRuns, setsOfRepeats, sourceOf } from "../../../../src/core/compare/index.js";
import { complete } from "../../../../src/core/stats/index.js";
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
  setsOfRepeats(runs).map((set) => set.map(({ label }) => label));

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

/** A run whose server finished so many requests a second. */
function loaded(label: string, rate: number, provenance: JsonObject = {}) {
  const builder = new RunBuilder(5, { provenance });
  for (let i = 0; i <= 60; i++)
    builder.scrape(i, [{ name: "vllm:request_success", type: "counter", value: Math.round(i * rate) }]);
  const { run } = builder.window(0, 60);
  Object.assign(run.metadata, { benchmarkId: label });
  return { label, run: sourceOf({ kind: "samples", label, run }) };
}

it("repeats are of one load: as it was asked for, and as it really was", () => {
  const at = (concurrency: number) => ({
    command: { line: `vllm bench serve --max-concurrency ${concurrency} --seed 1` },
  });
  // A saturated server finishes as many whatever is asked for.
  expect(labelsOf([loaded("a", 10, at(8)), loaded("b", 10.5, at(64)), loaded("c", 9.5, at(8))])).toEqual([
    ["a", "c"],
    ["b"],
  ]);
  // Nothing says what was asked for: two captures beside a load of somebody else.
  expect(labelsOf([loaded("a", 10), loaded("b", 20), loaded("c", 9)])).toEqual([["a", "c"], ["b"]]);
  // Few requests are more or fewer by chance.
  expect(labelsOf([loaded("a", 0.2), loaded("b", 0.3), loaded("c", 10)])).toEqual([["a", "b"], ["c"]]);
});

it("a load that nothing tells is said, and so is one that is known", () => {
  const compared = (...all: readonly ReturnType<typeof named>[]) => {
    const [a, b, c] = all.map(({ run }) => run.run);
    if (a === undefined || b === undefined || c === undefined) throw new Error("three runs are compared");
    return complete(compareRuns({ label: "A", runs: [a, b] }, [{ label: "C", runs: [c] }]));
  };
  const unknown = compared(named("a-1"), named("a-2"), named("c"));
  expect(unknown.baseline.runs.map(({ load }) => load)).toEqual(["not known", "not known"]);
  expect(unknown.warnings).toContainEqual({
    kind: "load",
    severity: "note",
    message: "a-1, a-2: nothing tells the load. That they are repeats rests on configuration and length.",
  });
  const known = compared(
    loaded("a-1", 10, { command: { line: "x --concurrency 8" } }),
    loaded("a-2", 10),
    loaded("c", 9),
  );
  expect(known.baseline.runs.map(({ load }) => load)).toEqual([
    "concurrency 8, 10 requests/s finished",
    "10 requests/s finished",
  ]);
  expect(known.warnings.filter(({ message }) => message.includes("nothing tells"))).toEqual([]);
});

it("slices of repeats, which are not used, are not said to differ", () => {
  const runs = ([300, 300, 271] as const).map((seconds, i) => named(`r${i}`, {}, seconds).run.run);
  const [a, b, c] = runs;
  if (a === undefined || b === undefined || c === undefined) throw new Error("three runs are compared");
  const { warnings } = complete(compareRuns({ label: "A", runs: [a, b] }, [{ label: "C", runs: [c] }]));
  expect(warnings.filter(({ message }) => message.includes("slices of different lengths"))).toEqual([]);
});
