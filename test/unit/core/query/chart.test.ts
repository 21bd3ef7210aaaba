import { describe, expect, it } from "vitest";
import {
  chartData,
  chartSteps,
  SliceEstimates,
  StoredRun,
  type ChartData,
  type ChartQuery,
} from "../../../../src/core/query/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";

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
      return {
        name: FAMILY,
        labels: { s: String(s) },
        buckets: { "1": a, "2": a + b, "+Inf": a + b + c },
        sum: a * 0.5 + b * 1.5 + c * 3,
        count: a + b + c,
      };
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
    const state = [
      [0, 0, 0],
      [0, 0, 0],
    ];
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
    builder.scrape(12.5, [
      { name: FAMILY, labels: { s: "0" }, buckets: { "1": 1000, "2": 1001, "+Inf": 1002 }, sum: 700, count: 1002 },
    ]);
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

  it("estimates the slices in sight only", () => {
    const builder = new RunBuilder(5);
    observe(builder, seededRandom(3), [[0, 0, 0]], 0, 501);
    const kept = new SliceEstimates();
    const between = (from: number, to: number) =>
      drawn(
        chartSteps(builder.run, { ...query, from: (from * SECOND) as OffsetNs, to: (to * SECOND) as OffsetNs }, kept),
      );
    // Those from 100 to 120 s and the two that they touch, and one after the series.
    expect(between(100, 120).yields).toBe(7);
    expect(between(100, 125).yields).toBe(2);
  });
});

describe("several histograms drawn together", () => {
  /**
   * Two servers, each with its own level, beside all observations as one histogram; and what was observed in each
   * slice.
   */
  function pair(uppers: readonly (readonly number[])[]) {
    const random = seededRandom(7);
    const builder = new RunBuilder(5).window(0, 60);
    const seen: number[][] = Array.from({ length: 12 }, () => []);
    const made = [...uppers, uppers[0] ?? []].map((bounds) => ({
      counts: [...bounds, Infinity].map((upper) => ({ upper, n: 0 })),
      sum: 0,
    }));
    const observe = (histogram: (typeof made)[number] | undefined, value: number) => {
      if (histogram === undefined) return;
      for (const cell of histogram.counts) if (value <= cell.upper) cell.n++;
      histogram.sum += value;
    };
    for (let second = 0; second <= 60; second++) {
      for (let i = 0; second > 0 && i < 40; i++) {
        // Slow with the first, fast with the second, and faster towards the end.
        const server = i % 5 < 2 ? 0 : 1;
        const value = ((server === 0 ? 0.7 : 0.2) + 0.2 * random()) * (1 - second / 120);
        for (const one of [made[server], made[2]]) observe(one, value);
        seen[Math.floor((second - 1) / 5)]?.push(value);
      }
      builder.scrape(
        second,
        made.map(({ counts, sum }, s) => ({
          name: s === 2 ? "all_seconds" : FAMILY,
          labels: s === 2 ? {} : { s: String(s) },
          buckets: Object.fromEntries(counts.map(({ upper, n }) => [upper === Infinity ? "+Inf" : String(upper), n])),
          sum,
          count: counts.at(-1)?.n ?? 0,
        })),
      );
    }
    return { run: builder.run, seen: seen.map((values) => values.sort((a, b) => a - b)) };
  }
  const BOUNDS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
  const together = { ...query, together: true };

  it("give the percentiles and the average of what all of them observed, slice by slice", () => {
    const { run, seen } = pair([BOUNDS, BOUNDS]);
    const { lines, apart } = chartData(run, together);
    expect([lines.map(({ quantity, labels }) => [quantity, labels]), apart]).toEqual([
      ["p50", "p90", "p99", "avg"].map((quantity) => [quantity, []]),
      undefined,
    ]);
    const whole = chartData(run, { ...query, family: "all_seconds" }).lines;
    lines.forEach(({ quantity, times, values, bounds }, l) => {
      expect([...times]).toEqual([...whole[l]!.times]);
      // The counts alone say which bucket contains the quantile.
      expect(bounds).toEqual(whole[l]!.bounds);
      values.forEach((value, slice) => {
        const sorted = seen[slice]!;
        const truth =
          quantity === "avg"
            ? sorted.reduce((sum, x) => sum + x, 0) / sorted.length
            : sorted[Math.ceil((Number(quantity.slice(1)) / 100) * sorted.length) - 1]!;
        expect(Math.abs(value - truth), `${quantity} of slice ${slice}: ${value}, not ${truth}`).toBeLessThan(
          quantity === "avg" ? 1e-9 : 0.06,
        );
      });
    });
  });

  it("are all of them, however few are drawn one by one, or those of some endpoints", () => {
    const { run } = pair([BOUNDS, BOUNDS]);
    const drawn = (query: ChartQuery) => chartData(run, query).lines.map(({ values }) => [...values]);
    expect(drawn({ ...together, maxSeries: 1 })).toEqual(drawn(together));
    const [url = ""] = chartData(run, query).lines.map(({ endpointUrl }) => endpointUrl);
    expect(drawn({ ...together, endpoints: [url] })).toEqual(drawn(together));
    const none = chartData(run, { ...together, endpoints: ["http://elsewhere/metrics"] });
    expect([none.lines, none.seriesTotal]).toEqual([[], 0]);
  });

  it("give the same from the slices of an artifact, within what its buckets tell", () => {
    const { run } = pair([BOUNDS, BOUNDS]);
    const stored = chartData(new StoredRun(complete(runStatistics(run, { unitOf: () => undefined }))), together);
    const lines = chartData(run, together).lines;
    expect(stored.lines.map(({ quantity, labels }) => [quantity, labels])).toEqual(
      lines.map(({ quantity, labels }) => [quantity, labels]),
    );
    stored.lines.forEach(({ quantity, times, values }, l) => {
      expect([...times]).toEqual([...lines[l]!.times]);
      values.forEach((value, slice) =>
        expect(Math.abs(value - lines[l]!.values[slice]!), `${quantity} of slice ${slice}`).toBeLessThan(
          quantity === "avg" ? 1e-9 : 0.06,
        ),
      );
    });
  });

  it("keep their average where bounds are not shared, and say why percentiles are drawn one by one", () => {
    const { run } = pair([BOUNDS, [0.15, 0.25, 0.35]]);
    const whole = chartData(run, { ...query, family: "all_seconds" }).lines.find(({ quantity }) => quantity === "avg")!;
    for (const data of [
      chartData(run, together),
      chartData(new StoredRun(complete(runStatistics(run, { unitOf: () => undefined }))), together),
    ]) {
      expect(data.apart).toBe("the series share too few bucket bounds to be combined");
      const of = (wanted: string) => data.lines.filter(({ quantity }) => quantity === wanted);
      expect([of("avg"), of("p90")].map((lines) => lines.map(({ labels }) => labels))).toEqual([
        [[]],
        [[["s", "0"]], [["s", "1"]]],
      ]);
      const averages = [...of("avg")[0]!.values];
      expect(averages[0]).toBeCloseTo(whole.values[0]!, 9);
      expect(averages.at(-1)).toBeCloseTo(whole.values.at(-1)!, 9);
    }
  });

  it("are drawn with what earlier questions left as without, apart from each one alone", () => {
    const { run } = pair([BOUNDS, BOUNDS]);
    const kept = new SliceEstimates();
    for (const asked of [together, query, together])
      expect(drawn(chartSteps(run, asked, kept)).data).toEqual(chartData(run, asked));
    expect(drawn(chartSteps(run, together, kept)).yields).toBeLessThan(drawn(chartSteps(run, together)).yields);
  });
});
