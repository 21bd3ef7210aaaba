import { describe, expect, it } from "vitest";
import { compareRuns, KnownResults } from "../../../../src/core/compare/index.js";
import type { SeriesId } from "../../../../src/core/model/index.js";
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

/** Counts what is computed. */
class Counted extends KnownResults {
  computed = 0;

  constructor() {
    super();
    this.count(this.results);
    this.count(this.slices);
  }

  private count<T>(kept: { get(series: SeriesId, holdsFor: object, compute: () => T): T }): void {
    const get = kept.get.bind(kept);
    kept.get = (series, holdsFor, compute) =>
      get(series, holdsFor, () => {
        this.computed++;
        return compute();
      });
  }
}

describe("what is known of a file's series", () => {
  it("changes nothing in a comparison, and is not computed again", () => {
    const runs = [run(1), run(2)];
    const known = runs.map(() => new Counted());
    const alone = compared(runs);
    expect(compared(runs, known)).toEqual(alone);
    const first = known.map(({ computed }) => computed);
    expect(Math.min(...first)).toBeGreaterThan(0);
    expect(compared(runs, known)).toEqual(alone);
    expect(known.map(({ computed }) => computed)).toEqual(first);
  });

  it("holds for the window that it was computed for", () => {
    const [a, b] = [run(1), run(2)];
    const counted = new Counted();
    const known = [new KnownResults(), counted];
    compared([a, b], known);
    counted.computed = 0;
    const { start, end } = { start: b.profilingStart, end: b.profilingEnd ?? b.profilingStart };
    b.chooseWindow({ start, end: (start + (end - start) / 2n) as typeof end });
    expect(compared([a, b], known)).toEqual(compared([a, b]));
    expect(counted.computed).toBeGreaterThan(0);
  });
});
