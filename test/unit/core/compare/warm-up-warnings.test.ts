import { describe, expect, it } from "vitest";
import { compareRuns, type RunSet } from "../../../../src/core/compare/index.js";
import { epochNs } from "../../../../src/core/model/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { Run } from "../../../../src/core/store/index.js";
import { RunBuilder } from "../../../support/run-builder.js";

/** A run whose profiling begins with its first scrape, or ten seconds after it. */
function set(label: string, coldStart = true): RunSet {
  const builder = new RunBuilder().window(coldStart ? 0 : 10, 60);
  for (let second = 0; second <= 60; second++)
    builder.scrape(second, [{ name: "vllm:num_requests_running", type: "gauge", value: 3 + (second % 2) }]);
  const { metadata, store } = builder.run;
  const run = new Run({ ...metadata, benchmarkId: label }, store);
  run.setProfilingStart(epochNs(builder.run.profilingStart));
  if (builder.run.profilingEnd !== undefined) run.setProfilingEnd(builder.run.profilingEnd);
  return { label, runs: [{ kind: "samples", label, run }] };
}

const warmUps = (sets: readonly RunSet[]) => {
  const [baseline, ...candidates] = sets;
  if (baseline === undefined) return [];
  return complete(compareRuns(baseline, candidates))
    .warnings.filter(({ kind }) => kind === "warm-up")
    .map(({ message }) => message);
};

describe("missing warm-ups", () => {
  it("are one line, whatever the runs are called", () => {
    const names = ["tp 2: warm-up not excluded; eager", "tp: 4"];
    expect(warmUps(names.map((name) => set(name)))).toEqual([
      "tp 2: warm-up not excluded; eager, tp: 4: warm-up not excluded; the start counts like the rest.",
    ]);
    expect(warmUps([set("a", false), set("b")])).toEqual(["b: warm-up not excluded; the start counts like the rest."]);
    expect(warmUps([set("a", false), set("b", false)])).toEqual([]);
  });

  it("name the first runs of many", () => {
    expect(warmUps(["a", "b", "c", "d"].map((name) => set(name)))).toEqual([
      "a, b, c, d: warm-up not excluded; the start counts like the rest.",
    ]);
    expect(warmUps(["a", "b", "c", "d", "e"].map((name) => set(name)))).toEqual([
      "a, b, c and 2 more: warm-up not excluded; the start counts like the rest.",
    ]);
  });
});
