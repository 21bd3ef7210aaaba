import { describe, expect, it } from "vitest";
import { compareRuns, KnownResults, measuredAhead, type KnownPart } from "../../../../src/core/compare/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import type { Run } from "../../../../src/core/store/index.js";
import { scaleRun } from "../../../support/scale-run.js";

const run = (seed: number) => scaleRun({ endpoints: 1, scalars: 4, histograms: 2, bounds: 6, scrapes: 400, seed });
const compared = (runs: readonly Run[], known: readonly (KnownResults | undefined)[] = []) => {
  const [baseline, candidate] = runs.map((one, i) => {
    const own = known[i];
    const label = `run ${i + 1}`;
    return {
      label,
      runs: [{ kind: "samples" as const, label, run: one, ...(own === undefined ? {} : { known: own }) }],
    };
  });
  if (baseline === undefined || candidate === undefined) throw new Error("two runs are compared");
  return complete(compareRuns(baseline, [candidate]));
};

describe("what is known of a file's series", () => {
  it("changes nothing in a comparison, and is not computed again", () => {
    const runs = [run(1), run(2)];
    const found: KnownPart[] = [];
    const known = runs.map(() => new KnownResults((part) => found.push(part)));
    const alone = compared(runs);
    expect(compared(runs, known)).toEqual(alone);
    const first = found.splice(0).length;
    expect(first).toBeGreaterThan(0);
    expect(compared(runs, known)).toEqual(alone);
    expect(found).toEqual([]);
  });

  it("holds for the window that it was computed for", () => {
    const [a, b] = [run(1), run(2)];
    const found: KnownPart[] = [];
    const known = [new KnownResults(), new KnownResults((part) => found.push(part))];
    compared([a, b], known);
    found.length = 0;
    const { start, end } = { start: b.profilingStart, end: b.profilingEnd ?? b.profilingStart };
    b.chooseWindow({ start, end: (start + (end - start) / 2n) as typeof end });
    expect(compared([a, b], known)).toEqual(compared([a, b]));
    expect(found.length).toBeGreaterThan(0);
  });

  it("may be computed ahead, elsewhere", () => {
    const runs = [run(1), run(2)];
    const alone = compared(runs);
    const parts: KnownPart[] = [];
    const [candidate] = runs.slice(1);
    if (candidate === undefined) throw new Error("there is a second run");
    const elsewhere = new KnownResults((part) => parts.push(structuredClone(part)));
    const sliceSeconds = alone.candidates[0]?.runs[0]?.sliceSeconds;
    complete(measuredAhead({ kind: "samples", label: "", run: candidate, known: elsewhere }, () => sliceSeconds));
    const found: KnownPart[] = [];
    const known = new KnownResults((part) => found.push(part));
    for (const part of parts) known.add(part);
    expect(compared(runs, [undefined, known])).toEqual(alone);
    expect(found).toEqual([]);
  });
});
