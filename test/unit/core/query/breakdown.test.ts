import { describe, expect, it } from "vitest";
import {
  imbalanceOf,
  rankingSteps,
  runEntries,
  sharesSteps,
  StoredRun,
  vectorSteps,
  type RankingQuery,
  type SharesQuery,
} from "../../../../src/core/query/index.js";
import { shownUnit } from "../../../../src/core/catalog/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { RunBuilder, SECOND, type TestSample } from "../../../support/run-builder.js";

const A = "http://a:1/metrics";
const B = "http://b:1/metrics";
const rank = (builder: RunBuilder, query: RankingQuery) => complete(rankingSteps(runEntries(builder.run), query));
const share = (builder: RunBuilder, query: SharesQuery) => complete(sharesSteps(runEntries(builder.run), query));
const stored = (builder: RunBuilder) => new StoredRun(complete(runStatistics(builder.run, { unitOf: shownUnit })));

describe("a ranking", () => {
  /** 30 gauges: series i holds i, but for the last scrape, where it holds 100 - i. */
  function gauges(): RunBuilder {
    const builder = new RunBuilder().window(0, 9);
    for (let t = 0; t < 10; t++) {
      builder.scrape(
        t,
        Array.from({ length: 30 }, (_, i) => ({ name: "g", labels: { i: String(i) }, value: t === 9 ? 100 - i : i })),
      );
    }
    return builder;
  }
  const names = (data: ReturnType<typeof rank>) => data.rows.map(({ labels }) => labels[0]?.[1]);

  it("has the series with the greatest statistic first, whichever statistic is asked for", () => {
    const byAverage = rank(gauges(), { family: "g", count: 3 });
    expect(byAverage.statistic.key).toBe("avg");
    expect(names(byAverage)).toEqual(["29", "28", "27"]);
    // Nine times i and once 100 - i.
    expect(byAverage.values[0]).toBeCloseTo((9 * 29 + 71) / 10, 12);
    expect([byAverage.seriesTotal, byAverage.unranked]).toEqual([30, 0]);
    const byMaximum = rank(gauges(), { family: "g", statistic: "max", count: 5 });
    expect(names(byMaximum)).toEqual(["0", "1", "2", "3", "4"]);
    expect([...byMaximum.values]).toEqual([100, 99, 98, 97, 96]);
  });

  it("takes the usual statistic where the one asked for is of another type", () => {
    expect(rank(gauges(), { family: "g", statistic: "rate", count: 1 }).statistic.key).toBe("avg");
  });

  it("counts across restarts and says so", () => {
    const builder = new RunBuilder().window(0, 3);
    [
      [0, 0],
      [50, 10],
      [5, 30],
      [60, 40],
    ].forEach(([a = 0, b = 0], t) =>
      builder.scrape(t, [
        { name: "c", type: "counter", labels: { s: "restarts" }, value: a },
        { name: "c", type: "counter", labels: { s: "steady" }, value: b },
      ]),
    );
    const { rows, values } = rank(builder, { family: "c", statistic: "total", count: 10 });
    expect(rows.map(({ labels, note }) => [labels[0]?.[1], note])).toEqual([
      ["restarts", expect.stringMatching(/restarted once/)],
      ["steady", undefined],
    ]);
    expect([...values]).toEqual([110, 40]);
  });

  it("gives a quantile its certain bucket, open beyond the last bound", () => {
    const builder = new RunBuilder().window(0, 1);
    const h = (s: string, a: number, b: number, all: number): TestSample => ({
      name: "h",
      labels: { s },
      buckets: { "1": a, "2": b, "+Inf": all },
      sum: all,
      count: all,
    });
    builder
      .scrape(0, [h("fast", 0, 0, 0), h("slow", 0, 0, 0)])
      .scrape(1, [h("fast", 100, 100, 100), h("slow", 0, 10, 100)]);
    const { rows, bounds } = rank(builder, { family: "h", statistic: "p99_estimate", count: 2 });
    expect(rows.map(({ labels }) => labels[0]?.[1])).toEqual(["slow", "fast"]);
    expect([bounds!.lower[0], bounds!.upper[0], bounds!.upper[1]]).toEqual([2, Infinity, 1]);
  });

  it("leaves out what has no samples in the window, and says why nothing is ranked", () => {
    const builder = new RunBuilder().window(5, 9).scrape(0, [{ name: "g", labels: { s: "gone" }, value: 9 }]);
    for (let t = 5; t < 9; t++) builder.scrape(t, [{ name: "g", labels: { s: "here" }, value: 1 }]);
    expect(rank(builder, { family: "g", count: 5 })).toMatchObject({ seriesTotal: 2, unranked: 1 });
    builder.window(20, 30);
    expect(rank(builder, { family: "g", count: 5 }).empty?.reason).toBe("g has no samples in this window.");
    expect(rank(builder, { family: "none", count: 5 }).empty?.reason).toMatch(/No endpoint has reported none/);
  });

  it("is the same from a file of statistics", () => {
    const builder = gauges();
    const query = { family: "g", statistic: "p90", count: 4 };
    const { rows, values } = complete(rankingSteps(runEntries(stored(builder)), query));
    const live = rank(builder, query);
    expect([...values]).toEqual([...live.values]);
    expect(rows.map(({ labels }) => labels)).toEqual(live.rows.map(({ labels }) => labels));
  });
});

describe("shares", () => {
  /** Over 10 s endpoint a serves 300 requests on two engines, b 100 on one. */
  function twoEndpoints(): RunBuilder {
    const builder = new RunBuilder().window(0, 10);
    for (let t = 0; t <= 10; t++) {
      const of = (engine: string, perSecond: number, waiting: number): TestSample[] => [
        { name: "done", type: "counter", labels: { engine }, value: 1000 + perSecond * t },
        { name: "waiting", labels: { engine }, value: waiting },
        { name: "usage_perc", labels: { engine }, value: waiting / 10 },
        {
          name: "h",
          labels: { engine },
          buckets: { "1": perSecond * t, "+Inf": perSecond * t },
          sum: t,
          count: perSecond * t,
        },
      ];
      builder.scrape(t, [...of("0", 10, 4), ...of("1", 20, 2)], A).scrape(t, of("0", 10, 2), B);
    }
    return builder;
  }

  it("adds counters up by increase per endpoint, with rates, shares and how uneven they are", () => {
    const data = share(twoEndpoints(), { family: "done" });
    expect(data.measure).toBe("increase");
    expect(data.parts).toEqual([
      { name: A, series: 2 },
      { name: B, series: 1 },
    ]);
    expect([[...data.values], [...data.rates], [...data.shares]]).toEqual([
      [300, 100],
      [30, 10],
      [0.75, 0.25],
    ]);
    // Mean 200, deviations ±100.
    expect(data.imbalance).toEqual({ maxOverMean: 1.5, variation: 0.5 });
  });

  it("takes means of gauges, which add up or do not, and observations of histograms", () => {
    const waiting = share(twoEndpoints(), { family: "waiting" });
    expect([waiting.measure, [...waiting.values], [...waiting.rates]]).toEqual(["mean", [6, 2], [NaN, NaN]]);
    const usage = share(twoEndpoints(), { family: "usage_perc" });
    expect(usage.values[0]).toBeCloseTo(0.3, 12);
    expect(usage.values[1]).toBeCloseTo(0.2, 12);
    const observed = share(twoEndpoints(), { family: "h" });
    expect([observed.measure, [...observed.values], [...observed.shares]]).toEqual([
      "observations",
      [300, 100],
      [0.75, 0.25],
    ]);
  });

  it("averages latencies of one endpoint, which adding up would make of many series", () => {
    const builder = new RunBuilder().window(0, 2);
    const queued = (engine: string, value: number) => ({ name: "queue_time_seconds", labels: { engine }, value });
    for (let t = 0; t < 3; t++) builder.scrape(t, [queued("0", 1), queued("1", 3)], A).scrape(t, [queued("0", 2)], B);
    expect([...share(builder, { family: "queue_time_seconds" }).values]).toEqual([2, 2]);
  });

  it("splits by a label in which the series differ, and by no other", () => {
    const data = share(twoEndpoints(), { family: "done", by: "engine" });
    expect([data.labels, data.by, data.parts.map(({ name }) => name), [...data.values]]).toEqual([
      ["engine"],
      "engine",
      ["0", "1"],
      [200, 200],
    ]);
    expect(data.imbalance).toEqual({ maxOverMean: 1, variation: 0 });
    expect(share(twoEndpoints(), { family: "done", by: "model" }).by).toBeUndefined();
  });

  it("has no share of nothing, and says why there is nothing at all", () => {
    const builder = new RunBuilder().window(0, 2);
    for (let t = 0; t < 3; t++)
      builder
        .scrape(t, [{ name: "idle", type: "counter", value: 5 }], A)
        .scrape(t, [{ name: "idle", type: "counter", value: 7 }], B);
    const idle = share(builder, { family: "idle" });
    expect([[...idle.values], [...idle.shares], idle.imbalance]).toEqual([[0, 0], [NaN, NaN], undefined]);
    expect(share(builder, { family: "none" }).empty).toBeDefined();
  });

  it("is the same from a file of statistics", () => {
    const builder = twoEndpoints();
    const from = complete(sharesSteps(runEntries(stored(builder)), { family: "done" }));
    expect([[...from.values], [...from.shares], from.imbalance]).toEqual([
      [300, 100],
      [0.75, 0.25],
      { maxOverMean: 1.5, variation: 0.5 },
    ]);
  });

  it("measures imbalance between even and all on one", () => {
    expect(imbalanceOf([5, 5, 5])).toEqual({ maxOverMean: 1, variation: 0 });
    // One of n has it all: n times the mean, and a variation of sqrt(n - 1).
    const all = imbalanceOf([0, 0, 0, 0, 8]);
    expect(all.maxOverMean).toBe(5);
    expect(all.variation).toBeCloseTo(2, 12);
  });
});

describe("a vector", () => {
  const FAMILY = "vllm:spec_decode_num_accepted_tokens_per_pos";

  /** Position p rises by 12 - p a second, twice as fast from 10 s on; two endpoints. */
  function drafts(): RunBuilder {
    const builder = new RunBuilder(5).window(0, 20);
    for (let t = 0; t <= 20; t++) {
      const samples = ["10", "2", "0", "1"].map((position) => ({
        name: FAMILY,
        type: "counter" as const,
        labels: { model_name: "m", position },
        value: (12 - Number(position)) * (t + Math.max(0, t - 10)),
      }));
      builder.scrape(t, samples, A).scrape(t, samples, B);
    }
    return builder;
  }
  const vector = (builder: RunBuilder) =>
    complete(vectorSteps(runEntries(builder.run), { family: FAMILY }, builder.run.store.origin));

  it("is ordered by number, not by text, and adds endpoints up", () => {
    const data = vector(drafts());
    expect(data.positions).toEqual(["0", "1", "2", "10"]);
    expect([...data.values]).toEqual([12, 11, 10, 2].map((slope) => 2 * slope * 30));
    expect([...data.rates]).toEqual([12, 11, 10, 2].map((slope) => 2 * slope * 1.5));
  });

  it("has its rate per slice and position", () => {
    const { edges, cells, positions } = vector(drafts());
    expect([...edges].map((edge) => edge / SECOND)).toEqual([0, 5, 10, 15, 20]);
    expect(cells).toHaveLength(4 * positions.length);
    expect([...cells.subarray(0, 4)]).toEqual([24, 22, 20, 4]);
    expect([...cells.subarray(12)]).toEqual([48, 44, 40, 8]);
  });

  it("is the same from a file of statistics, and says where there are no slices", () => {
    const builder = drafts();
    const run = stored(builder);
    const { positions, values, cells } = complete(vectorSteps(runEntries(run), { family: FAMILY }, run.origin));
    expect([positions, [...values], [...cells]]).toEqual([
      vector(builder).positions,
      [...vector(builder).values],
      [...vector(builder).cells],
    ]);
    const bare = new StoredRun({
      ...run.statistics,
      families: run.statistics.families.map((family) =>
        family.type === "counter"
          ? { ...family, series: family.series.map(({ slices: _slices, ...series }) => series) }
          : family,
      ),
    });
    const without = complete(vectorSteps(runEntries(bare), { family: FAMILY }, bare.origin));
    expect(without.edges).toHaveLength(0);
    expect(without.unsliced?.reason).toMatch(/no timeslices/);
    expect([...without.values]).toEqual([...values]);
  });

  it("says of another family that it is none", () => {
    const builder = new RunBuilder().window(0, 2);
    for (let t = 0; t < 3; t++) builder.scrape(t, [{ name: "g", value: t }]);
    expect(
      complete(vectorSteps(runEntries(builder.run), { family: "g" }, builder.run.store.origin)).empty?.reason,
    ).toBe("g has no label that is an index.");
  });
});
