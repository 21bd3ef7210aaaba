import { describe, expect, it } from "vitest";
import { epochNs, type SeriesResult } from "../../../../src/core/model/index.js";
import { complete, runStatistics, type StatisticsOptions } from "../../../../src/core/stats/index.js";
import { ORIGIN, RunBuilder, SECOND } from "../../../support/run-builder.js";

function statistics(builder: RunBuilder, options: Partial<StatisticsOptions> = {}) {
  return complete(runStatistics(builder.run, { unitOf: () => undefined, ...options }));
}

function only(builder: RunBuilder, options?: Partial<StatisticsOptions>): SeriesResult {
  const series = statistics(builder, options).families.flatMap((family) => [...family.series]);
  expect(series).toHaveLength(1);
  return series[0]!;
}

const seconds = (time: bigint) => Number(time - ORIGIN) / SECOND;
const sliceOf = (slice: { start_ns: bigint; end_ns: bigint; is_complete?: false }) => [
  seconds(slice.start_ns),
  seconds(slice.end_ns),
  slice.is_complete ?? true,
];

function counter(values: readonly (number | [number, number])[], builder = new RunBuilder()): RunBuilder {
  values.forEach((entry, i) => {
    const [time, value] = typeof entry === "number" ? [i, entry] : entry;
    builder.scrape(time, [{ name: "c", type: "counter", value }]);
  });
  return builder;
}

describe("gauge statistics", () => {
  it("counts samples on both ends of the window and none outside", () => {
    const builder = new RunBuilder().window(1, 3);
    [100, 1, 2, 3].forEach((value, i) => builder.scrape(i, [{ name: "g", value }]));
    const result = only(builder);
    expect(result.stats).toMatchObject({ avg: 2, min: 1, max: 3, std: 1, p50: 2, p25: 1.5, p99: 2.98 });
    expect("gaps" in result.stats).toBe(false);
  });

  it("gives a standard deviation of 0 and no slices for one sample", () => {
    const result = only(new RunBuilder().window(0, 10).scrape(1, [{ name: "g", value: 7 }]));
    expect(result.stats).toMatchObject({ avg: 7, std: 0, p1: 7, p99: 7 });
    expect(result.slices).toBeUndefined();
  });

  it("counts gaps inside the window beside the samples, and keeps a series of gaps alone", () => {
    const builder = new RunBuilder().window(1, 10);
    [NaN, NaN, 3, Infinity].forEach((value, i) => builder.scrape(i, [{ name: "g", value }]));
    expect(only(builder).stats).toMatchObject({ avg: 3, gaps: 2 });
    expect(only(new RunBuilder().window(0, 5).scrape(1, [{ name: "g", value: NaN }])).stats).toEqual({ gaps: 1 });
  });

  it("cuts half-open slices, leaves empty ones out and closes the last on the last sample", () => {
    const builder = new RunBuilder(5).window(0, 12);
    for (const [time, value] of [
      [0, 1],
      [4.999, 3],
      [5, 10],
      [12, 4],
    ] as const)
      builder.scrape(time, [{ name: "g", value }]);
    const { slices } = only(builder);
    expect(slices?.map((slice) => [...sliceOf(slice), "avg" in slice ? slice.avg : NaN])).toEqual([
      [0, 5, true, 2],
      [5, 10, true, 10],
      [10, 12, false, 4],
    ]);
  });
});

describe("counter statistics", () => {
  it("takes the last sample before the window as reference", () => {
    const result = only(counter([5, 7, 10, 20]).window(1.5, 3));
    expect(result.stats).toMatchObject({ total: 13, rate: 6.5 });
  });

  it("counts a series from 0 that an earlier scrape lacked, and keeps AIPerf's rule beside it", () => {
    const builder = new RunBuilder(5).window(0, 20);
    builder.scrape(0, [{ name: "other", value: 1 }]);
    counter(
      [
        [7, 100],
        [12, 110],
        [20, 130],
      ],
      builder,
    );
    const result = statistics(builder).families.find((family) => family.name === "c")!.series[0]!;
    if (result.kind !== "counter") throw new Error("not a counter");
    const totals = (slices: typeof result.slices) => slices?.map(({ total }) => total);
    // What it had counted by its first sample fell between two scrapes of its endpoint.
    expect(result.stats).toMatchObject({ total: 130, rate: 130 / 20, rate_avg: 6.5, rate_min: 0, rate_max: 20 });
    expect(totals(result.slices)).toEqual([0, 100, 10, 20]);
    expect(result.born).toBe(ORIGIN + 7n * BigInt(SECOND));
    expect(result.aiperf?.stats).toMatchObject({ total: 30, rate: 30 / 13, rate_avg: 1.5, rate_min: 0, rate_max: 4 });
    expect(totals(result.aiperf?.slices)).toEqual([0, 0, 10, 20]);
  });

  it("takes the first inside of an endpoint that was down before, and of a series that was only away", () => {
    const down = new RunBuilder(5).window(0, 3).scrape(0, "failed");
    expect(
      only(
        counter(
          [
            [1, 100],
            [3, 110],
          ],
          down,
        ),
      ).stats,
    ).toMatchObject({ total: 10, rate: 5 });
    const away = new RunBuilder(5).window(1.5, 4);
    away.scrape(0, [{ name: "c", type: "counter", value: 90 }]).scrape(1, []);
    expect(
      only(
        counter(
          [
            [2, 100],
            [4, 110],
          ],
          away,
        ),
      ).stats,
    ).toMatchObject({ total: 20 });
  });

  it("runs to the last update after the window's end when recorded, and ends exactly when chosen", () => {
    const builder = counter([0, 10, 20, 30]).window(0, 2);
    expect(only(builder).stats).toMatchObject({ total: 30, rate: 10 });
    const window = { start: ORIGIN, end: epochNs(ORIGIN + 2n * BigInt(SECOND)), kind: "exact" as const };
    expect(only(builder, { window }).stats).toMatchObject({ total: 20, rate: 10 });
  });

  it("does not let a duplicate after the end stretch the recorded window", () => {
    const builder = counter([0, 10, 20]).window(0, 2).scrape(3, "duplicate");
    const result = only(builder);
    expect(result.stats).toMatchObject({ total: 20, rate: 10 });
    expect(result.slices?.map(sliceOf)).toEqual([[0, 2, false]]);
  });

  it("sums the rises across restarts, says how many there were, and keeps AIPerf's rule beside them", () => {
    const result = only(counter([10, 14, 3, 5, 1]).window(0, 4));
    expect(result.stats).toMatchObject({ total: 4 + 3 + 2 + 1, rate: 10 / 4, resets: 2 });
    expect(result.kind === "counter" && result.aiperf?.stats).toMatchObject({ total: 0, rate: 0 });
  });

  it("leaves the incomplete slice out of the rate statistics and out of none else", () => {
    const result = only(counter([0, 5, 10, 15, 20, 25, [5.6, 60]], new RunBuilder(2)).window(0, 5));
    expect(result.slices?.map((slice) => ("rate" in slice ? slice.rate : NaN))).toEqual([5, 5, 25]);
    expect(result.stats).toMatchObject({ total: 60, rate_avg: 5, rate_max: 5, rate_std: 0 });
  });
});

describe("histogram statistics", () => {
  const histogram = (a: number, b: number, inf: number, sum: number) => ({
    name: "h",
    buckets: { "1": a, "2.0": b, "+Inf": inf },
    sum,
    count: inf,
  });

  it("gives the rises of the window per bound with the bound's own text", () => {
    const builder = new RunBuilder(5).window(0.5, 10);
    builder
      .scrape(0, [histogram(1, 2, 3, 9)])
      .scrape(2, [histogram(2, 4, 6, 15)])
      .scrape(10, [histogram(2, 5, 7, 17)]);
    const result = only(builder);
    expect(result.stats).toMatchObject({ count: 4, sum: 8, avg: 2, count_rate: 0.4, sum_rate: 0.8 });
    expect(result.kind === "histogram" && result.buckets).toEqual([
      ["1", 1],
      ["2.0", 3],
      ["+Inf", 4],
    ]);
    expect(
      result.slices?.map((slice) => ("count" in slice ? [...sliceOf(slice), slice.count, slice.sum, slice.avg] : [])),
    ).toEqual([
      [0.5, 5.5, true, 3, 6, 2],
      [5.5, 10, false, 1, 2, 2],
    ]);
  });

  it("is a count of 0 with zero buckets and no slices when nothing was observed", () => {
    const builder = new RunBuilder()
      .window(0, 2)
      .scrape(0, [histogram(1, 2, 3, 9)])
      .scrape(2, [histogram(1, 2, 3, 9)]);
    const result = only(builder);
    expect(result.stats).toEqual({ count: 0 });
    expect(result.kind === "histogram" && result.buckets).toEqual([
      ["1", 0],
      ["2.0", 0],
      ["+Inf", 0],
    ]);
    expect(result.slices).toBeUndefined();
  });

  it("counts across a restart by the rises, where AIPerf leaves the slice of the restart out", () => {
    const builder = new RunBuilder(2).window(0, 4);
    builder
      .scrape(0, [histogram(0, 0, 0, 0)])
      .scrape(1, [histogram(4, 6, 8, 20)])
      .scrape(2, [histogram(5, 7, 9, 22)]);
    builder.scrape(3, [histogram(1, 1, 1, 0.5)]).scrape(4, [histogram(2, 2, 3, 4)]);
    const result = only(builder);
    expect(result.stats).toMatchObject({ count: 12, sum: 26, resets: 1 });
    expect(result.kind === "histogram" && result.aiperf?.stats).toMatchObject({ count: 3, sum: 4 });
    expect(result.kind === "histogram" && result.buckets).toEqual([
      ["1", 7],
      ["2.0", 9],
      ["+Inf", 12],
    ]);
    expect(result.slices?.map(sliceOf)).toEqual([
      [0, 2, true],
      [2, 4, true],
    ]);
    expect(result.slices?.map((slice) => ("count" in slice ? slice.count : NaN))).toEqual([9, 3]);
    expect(result.kind === "histogram" && result.aiperf?.slices?.map(sliceOf)).toEqual([[0, 2, true]]);
  });

  it("keeps count and sum over changed bounds, with buckets on the shared ones only", () => {
    const builder = new RunBuilder(10).window(0, 4);
    builder
      .scrape(0, [{ name: "h", buckets: { "1": 0, "2": 0, "+Inf": 0 }, sum: 0, count: 0 }])
      .scrape(2, [{ name: "h", buckets: { "1": 2, "2": 3, "+Inf": 4 }, sum: 8, count: 4 }])
      .scrape(4, [{ name: "h", buckets: { "1.0": 3, "1.5": 4, "2": 6, "+Inf": 9 }, sum: 18, count: 9 }]);
    const result = only(builder);
    expect(result.stats).toMatchObject({ count: 9, sum: 18 });
    expect(result.kind === "histogram" && result.buckets).toEqual([
      ["1", 3],
      ["2", 6],
      ["+Inf", 9],
    ]);
  });

  it("has neither buckets nor estimates when fewer than two finite bounds are shared", () => {
    const builder = new RunBuilder(10).window(0, 2);
    builder
      .scrape(0, [{ name: "h", buckets: { "1": 0, "2": 0, "+Inf": 0 }, sum: 0, count: 0 }])
      .scrape(2, [{ name: "h", buckets: { "1": 1, "3": 2, "+Inf": 2 }, sum: 2, count: 2 }]);
    const result = only(builder);
    expect(result.stats).toMatchObject({ count: 2, sum: 2 });
    expect("p50_estimate" in result.stats).toBe(false);
    expect(result.kind === "histogram" && result.buckets).toBeUndefined();
  });
});

describe("run statistics", () => {
  it("tells each endpoint's fetches, updates and intervals over the whole capture", () => {
    const builder = counter([0, 1, 2])
      .window(1, 2)
      .scrape(3, "duplicate")
      .scrape(4, "failed")
      .scrape(6, [{ name: "c", type: "counter", value: 9 }]);
    const { endpointInfo, endpointsSuccessful } = statistics(builder);
    expect(endpointsSuccessful).toEqual(["http://a:1/metrics"]);
    expect(endpointInfo[0]?.[1]).toMatchObject({
      total_fetches: 5,
      unique_updates: 4,
      duration_seconds: 6,
      avg_update_interval_ms: 2000,
      median_update_interval_ms: 1000,
      avg_fetch_latency_ms: 2,
    });
  });

  it("refuses a slice length that cannot be meant", () => {
    const builder = counter([0, 1]).window(0, 1);
    expect(() => statistics(builder, { sliceSeconds: -1 })).toThrow(/slice duration must be positive/);
    expect(() => statistics(builder, { sliceSeconds: 1e-9 })).toThrow(/over 1000000 slices/);
  });
});
