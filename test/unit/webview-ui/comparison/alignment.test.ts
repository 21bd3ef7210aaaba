import { describe, expect, it } from "vitest";
import { firstRequest } from "../../../../src/core/compare/index.js";
import { savedHeader } from "../../../../src/engine/header.js";
import type { ComparedRunStatus } from "../../../../src/protocol/comparison.js";
import { alignRuns, secondsOf, wholeAxis, windowOf } from "../../../../webview-ui/comparison/charts/alignment.js";
import { makeRun, type Recipe } from "../../../support/view-harness/compared-runs.js";

function ready(recipe: Recipe): ComparedRunStatus {
  const run = makeRun(recipe);
  const header = savedHeader(run, []);
  const request = firstRequest(run);
  return {
    id: recipe.label,
    source: { path: recipe.label },
    label: recipe.label,
    state: {
      kind: "ready",
      header,
      anchors: {
        profilingStart: header.profilingStart,
        originMs: header.originMs,
        ...(request === undefined ? {} : { firstRequest: request }),
      },
    },
  };
}

/**
 * Ten seconds of warm-up in which the first request comes after three; the second begins a minute later and is shorter.
 */
const runs = [ready({ label: "a", seed: 1, seconds: 60 }), ready({ label: "b", seed: 2, seconds: 30, later: 60 })];

describe("the common time axis", () => {
  it("has its 0 at the start of profiling of every run", () => {
    const aligned = alignRuns(runs, "profiling");
    expect(aligned.map(({ zero }) => zero)).toEqual([10e9, 10e9]);
    expect(wholeAxis(aligned)).toEqual({ from: -10, to: 60 });
  });

  it("has its 0 where the first request ran, or at the start of profiling of a run that does not tell", () => {
    const aligned = alignRuns(runs, "first-request");
    expect(aligned.map(({ zero, substituted }) => [zero, substituted])).toEqual([
      [3e9, false],
      [3e9, false],
    ]);
    const [first, second] = runs;
    if (second?.state.kind !== "ready") throw new Error("not ready");
    const { firstRequest: _none, ...anchors } = second.state.anchors;
    const silent = alignRuns([first!, { ...second, state: { ...second.state, anchors } }], "first-request");
    expect(silent.map(({ zero, substituted }) => [zero, substituted])).toEqual([
      [3e9, false],
      [10e9, true],
    ]);
  });

  it("is the clock's, from the first run's start of profiling", () => {
    const aligned = alignRuns(runs, "wall-clock");
    // The second run's first scrape came a minute after the first run's, that is 50 s after its warm-up.
    expect(aligned.map((run) => secondsOf(0, run))).toEqual([-10, 50]);
    expect(wholeAxis(aligned)).toEqual({ from: -10, to: 90 });
  });

  it("tells which part of a run a stretch shows", () => {
    const [a, b] = alignRuns(runs, "wall-clock");
    expect(windowOf(a!, { from: 0, to: 20 })).toEqual({ from: 10e9, to: 30e9 });
    expect(windowOf(b!, { from: 0, to: 20 })).toBeUndefined();
    expect(windowOf(b!, { from: 40, to: 70 })).toEqual({ from: 0, to: 20e9 });
    expect(windowOf(b!, undefined)).toEqual({});
  });

  it("leaves out what cannot be read", () => {
    const failed: ComparedRunStatus = {
      id: "x",
      source: { path: "x" },
      label: "x",
      state: { kind: "reading", fraction: 0.5 },
    };
    expect(alignRuns([failed, ...runs], "profiling").map(({ id }) => id)).toEqual(["a", "b"]);
    expect(alignRuns([failed], "profiling")).toEqual([]);
  });
});
