import { describe, expect, it } from "vitest";
import { chartData, chartSteps, SliceEstimates, type ChartData } from "../../../../src/core/query/index.js";
import type { OffsetNs } from "../../../../src/core/model/index.js";
import { seededRandom } from "../../../support/random.js";
import { RunBuilder, SECOND } from "../../../support/run-builder.js";

const FAMILY = "h_seconds";

/** A histogram under changing load, two series, scraped once a second. */
function observe(builder: RunBuilder, random: () => number, state: number[][], from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const samples = state.map((counts, s) => {
      counts.forEach((n, b) => (counts[b] = n + Math.floor(random() * (b === i % 3 ? 20 : 5))));
      const [a = 0, b = 0, c = 0] = counts;
      return { name: FAMILY, labels: { s: String(s) }, buckets: { "1": a, "2": a + b, "+Inf": a + b + c }, sum: a * 0.5 + b * 1.5 + c * 3, count: a + b + c };
    });
    builder.scrape(i, samples);
  }
}

function drawn(steps: Generator<number, ChartData>): { readonly data: ChartData; readonly yields: number } {
  for (let yields = 0; ; yields++) {
    const step = steps.next();
    if (step.done === true) return { data: step.value, yields };
  }
}

const query = { family: FAMILY, maxSeries: 10, maxPoints: 500 };

describe("a histogram's chart", () => {
  it("gives quantiles inside their bounds per slice, and sets the unfinished slice apart", () => {
    const builder = new RunBuilder(5).window(0, 100);
    observe(builder, seededRandom(1), [[0, 0, 0]], 0, 23);
    const { lines } = chartData(builder.run, query);
    expect(lines.map((line) => line.quantity)).toEqual(["p50", "p90", "p99", "avg"]);
    expect([...lines[0]!.times].map((time) => time / SECOND)).toEqual([5, 10, 15, 20, 22]);
    expect(lines[0]!.incompleteFrom).toBe(20 * SECOND);
    lines.slice(0, 3).forEach(({ values, bounds }) =>
      values.forEach((value, i) => {
        expect(value).toBeGreaterThanOrEqual(bounds!.lower[i]!);
        expect(value).toBeLessThanOrEqual(bounds!.upper[i]!);
      }),
    );
  });

  it("draws the same with what earlier questions left as without, as the run grows, restarts, is late and is cut anew", () => {
    const random = seededRandom(2);
    const builder = new RunBuilder(5);
    const state = [[0, 0, 0], [0, 0, 0]];
    const kept = new SliceEstimates();
    const expectSame = (more: Partial<typeof query> & { from?: OffsetNs; to?: OffsetNs } = {}) => {
      const asked = { ...query, ...more };
      expect(drawn(chartSteps(builder.run, asked, kept)).data).toEqual(chartData(builder.run, asked));
    };
    observe(builder, random, state, 0, 31);
    expectSame();
    observe(builder, random, state, 31, 58);
    expectSame();
    // A scrape of the middle arrives late.
    builder.scrape(12.5, [{ name: FAMILY, labels: { s: "0" }, buckets: { "1": 1000, "2": 1001, "+Inf": 1002 }, sum: 700, count: 1002 }]);
    expectSame();
    state.forEach((counts) => counts.fill(0));
    observe(builder, random, state, 58, 80);
    expectSame();
    expectSame({ maxPoints: 8 });
    expectSame({ from: (20 * SECOND) as OffsetNs, to: (40 * SECOND) as OffsetNs });
    builder.run.setSliceSeconds(3);
    expectSame();
    builder.window(7, 60);
    expectSame();
  });

  it("estimates a slice that is over only once, and lets others work between two estimates", () => {
    const builder = new RunBuilder(5);
    const state = [[0, 0, 0]];
    const random = seededRandom(3);
    const kept = new SliceEstimates();
    observe(builder, random, state, 0, 501);
    // One after each of a hundred slices, and one after the series.
    expect(drawn(chartSteps(builder.run, query, kept)).yields).toBe(101);
    observe(builder, random, state, 501, 504);
    expect(drawn(chartSteps(builder.run, query, kept)).yields).toBe(2);
  });
});
