import { describe, expect, it } from "vitest";
import { parseObjectives, type Objective } from "../../../../src/core/catalog/index.js";
import { runEntries, statisticsTable, timesliceTable, type StatisticsTable } from "../../../../src/core/query/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { RunBuilder, SECOND } from "../../../support/run-builder.js";

function cell(table: StatisticsTable, row: number, key: string): number {
  expect(table.columns.map((column) => column.key)).toContain(key);
  return table.rows[row]!.values[key] ?? NaN;
}

const statistics = (builder: RunBuilder, which: Parameters<typeof statisticsTable>[1]) =>
  complete(statisticsTable(runEntries(builder.run), which));

describe("statisticsTable", () => {
  it("shows the increase of a counter that restarted, with its rate over the same time, and says so", () => {
    const builder = new RunBuilder().window(0, 4);
    [10, 20, 4, 5, 6].forEach((value, i) => builder.scrape(i, [{ name: "jobs", type: "counter", value }]));
    const table = statistics(builder, { family: "jobs" });
    expect(cell(table, 0, "total")).toBe(16);
    expect(cell(table, 0, "rate")).toBeCloseTo(4, 12);
    expect(table.rows[0]?.note).toMatch(/restarted once/);
  });

  it("lists every series of a type with what each has, and a note for one without samples in the window", () => {
    const builder = new RunBuilder().window(5, 9).scrape(0, [{ name: "old", value: 1 }]);
    for (let i = 5; i < 9; i++)
      builder.scrape(i, [
        { name: "a", labels: { k: "1" }, value: i },
        { name: "b_seconds", value: 2 * i },
      ]);
    const table = statistics(builder, { type: "gauge" });
    expect(table.rows.map((row) => [row.family, row.note])).toEqual([
      ["old", "no samples in the profiling phase"],
      ["a", undefined],
      ["b_seconds", undefined],
    ]);
    expect([cell(table, 1, "avg"), cell(table, 2, "max"), cell(table, 0, "avg")]).toEqual([6.5, 16, NaN]);
  });

  it("lists the series of a family by their labels' numbers", () => {
    const builder = new RunBuilder().window(0, 2);
    for (let i = 0; i < 2; i++)
      builder.scrape(
        i,
        ["10", "9", "0.5", "decode", "0.25"].map((engine) => ({ name: "a", labels: { engine }, value: 1 })),
      );
    expect(statistics(builder, { type: "gauge" }).rows.map(({ labels }) => labels[0]?.[1])).toEqual([
      "0.25",
      "0.5",
      "9",
      "10",
      "decode",
    ]);
  });

  it("gives every estimate its hard interval and the linear estimate, and none to plain statistics", () => {
    const builder = new RunBuilder().window(0, 2);
    builder.scrape(0, [{ name: "h_seconds", buckets: { "1": 0, "2": 0, "+Inf": 0 }, sum: 0, count: 0 }]);
    builder.scrape(1, [{ name: "h_seconds", buckets: { "1": 50, "2": 90, "+Inf": 100 }, sum: 150, count: 100 }]);
    const table = statistics(builder, { family: "h_seconds" });
    const { estimates = {} } = table.rows[0]!;
    expect(estimates["p75_estimate"]).toMatchObject({ lower: 1, upper: 2, linear: 1.625 });
    expect(estimates["p99_estimate"]).toMatchObject({ lower: 2, upper: Infinity, linear: 2 });
    expect(estimates["count"]).toBeUndefined();
  });
});

describe("timesliceTable", () => {
  it("gives a histogram's slices quantiles of their own, inside their buckets", () => {
    const builder = new RunBuilder(2).window(0, 4);
    const h = (a: number, b: number, sum: number) => [
      { name: "h", buckets: { "1": a, "2": b, "+Inf": b }, sum, count: b },
    ];
    builder
      .scrape(0, h(0, 0, 0))
      .scrape(1, h(10, 10, 5))
      .scrape(2, h(20, 20, 10))
      .scrape(3, h(20, 30, 25))
      .scrape(4, h(20, 40, 40));
    const table = complete(timesliceTable(runEntries(builder.run), { family: "h" }, builder.run.store.origin));
    expect(table.rows.map((row) => [row.start / SECOND, row.end / SECOND, row.complete])).toEqual([
      [0, 2, true],
      [2, 4, true],
    ]);
    const value = (row: number, key: string) => table.rows[row]!.values[key]!;
    expect(value(0, "p50")).toBeGreaterThan(0);
    expect(value(0, "p99")).toBeLessThanOrEqual(1);
    expect(value(1, "p50")).toBeGreaterThanOrEqual(1);
    expect(value(1, "p99")).toBeLessThanOrEqual(2);
    expect(value(1, "count")).toBe(20);
  });

  it("is the same without percentiles of the whole run, which are asked for only where objectives need them", () => {
    const builder = new RunBuilder(2).window(0, 4);
    for (let i = 0; i <= 4; i++)
      builder.scrape(i, [
        { name: "vllm:time_to_first_token_seconds", buckets: { "1": i, "+Inf": 2 * i }, sum: 2 * i, count: 2 * i },
      ]);
    const asked: unknown[] = [];
    const tableOf = (objectives?: readonly Objective[], always?: boolean) => {
      const entries = [...runEntries(builder.run)].map((entry) => ({
        ...entry,
        result: (estimated?: boolean) => {
          asked.push(estimated);
          return entry.result(always ?? estimated);
        },
      }));
      const params = {
        family: "vllm:time_to_first_token_seconds",
        ...(objectives === undefined ? {} : { objectives }),
      };
      return complete(timesliceTable(entries, params, builder.run.store.origin));
    };
    expect(tableOf()).toEqual(tableOf(undefined, true));
    const objectives = parseObjectives("ttft=0.5");
    expect(tableOf(objectives)).toEqual(tableOf(objectives, true));
    expect(asked).toEqual([false, false, true, true]);
    const [entry] = runEntries(builder.run);
    expect(entry?.result(false)).toMatchObject({ estimates: [] });
    expect(entry?.result()).not.toMatchObject({ estimates: [] });
  });

  it("tells where a slice's percentile lies beyond the last bucket", () => {
    const builder = new RunBuilder(2).window(0, 4);
    const h = (a: number, all: number, sum: number) => [
      { name: "h", buckets: { "1": a, "+Inf": all }, sum, count: all },
    ];
    builder
      .scrape(0, h(0, 0, 0))
      .scrape(2, h(10, 10, 5))
      .scrape(4, h(11, 20, 95));
    const table = complete(timesliceTable(runEntries(builder.run), { family: "h" }, builder.run.store.origin));
    const [first, second] = table.rows.map(({ estimates }) => estimates);
    expect(first?.["p99"]?.upper).toBe(1);
    expect(second?.["p99"]?.upper).toBe(Infinity);
    expect(second?.["p99"]?.lower).toBeGreaterThanOrEqual(1);
    expect(second?.["avg"]).toBeUndefined();
  });
});
