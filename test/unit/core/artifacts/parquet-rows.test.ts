import { describe, expect, it } from "vitest";
import { rowGroups } from "../../../../src/core/artifacts/parquet/row-groups.js";
import { MetadataWriter } from "../../../../src/core/artifacts/parquet/metadata-write.js";
import { parquetRows, rowsPerSample, type SeriesRows } from "../../../../src/core/artifacts/parquet/rows.js";
import { labelNames, parquetColumns } from "../../../../src/core/artifacts/parquet/columns.js";
import { recordedWindow } from "../../../../src/core/stats/index.js";
import { ORIGIN, RunBuilder, SECOND } from "../../../support/run-builder.js";

const at = (seconds: number) => ORIGIN + BigInt(seconds * SECOND);

function rowsOf({ run }: RunBuilder): SeriesRows[] {
  return [...parquetRows(run, recordedWindow(run))];
}

function cellsOf(rows: SeriesRows | undefined): Record<string, unknown>[] {
  if (rows === undefined) return [];
  return rows.stretches.flatMap((stretch) =>
    Array.from(stretch.times.keys()).flatMap((i): Record<string, unknown>[] =>
      stretch.kind === "scalar"
        ? [{ value: stretch.values[i] }]
        : stretch.bounds.map((le, b) => ({
            le,
            bucket: stretch.buckets[b]?.[i],
            sum: stretch.sums[i],
            count: stretch.counts[i],
          })),
    ),
  );
}

/** Of each row. */
function timesOf(rows: SeriesRows | undefined): bigint[] {
  if (rows === undefined) return [];
  return rows.stretches.flatMap((stretch) =>
    [...stretch.times].flatMap((time) =>
      Array.from({ length: rowsPerSample(stretch) }, () => rows.origin + BigInt(time)),
    ),
  );
}

describe("rows of a series", () => {
  it("hold a counter's rise since the last sample before the window", () => {
    const built = new RunBuilder();
    [10, 12, 15, 21].forEach((value, i) => built.scrape(i, [{ name: "c", type: "counter", value }]));
    const [rows] = rowsOf(built.window(2, 3));
    expect(cellsOf(rows)).toEqual([{ value: 3 }, { value: 9 }]);
    expect(timesOf(rows)).toEqual([at(2), at(3)]);
    expect(rows?.reference).toBe(at(1));
  });

  it("take a counter's first sample inside as its reference when none lies before", () => {
    const built = new RunBuilder();
    [10, 12].forEach((value, i) => built.scrape(i, [{ name: "c", type: "counter", value }]));
    const [rows] = rowsOf(built.window(0, 1));
    expect(cellsOf(rows)).toEqual([{ value: 0 }, { value: 2 }]);
    expect(rows?.reference).toBe(at(0));
  });

  it("are clamped cell by cell after a restart, and what that loses is kept separately", () => {
    const built = new RunBuilder();
    [10, 14, 3, 12].forEach((value, i) => built.scrape(i, [{ name: "c", type: "counter", value }]));
    const [rows] = rowsOf(built.window(1, 3));
    expect(cellsOf(rows)).toEqual([{ value: 4 }, { value: 0 }, { value: 2 }]);
    expect(rows?.restarted?.result.stats).toMatchObject({ resets: 1, total: 4 + 3 + 9 });
  });

  it("are one per bound per timestamp of a histogram, each cell clamped by itself", () => {
    const built = new RunBuilder();
    built.scrape(0, [{ name: "h", buckets: { "0.5": 4, "+Inf": 10 }, sum: 5, count: 10 }]);
    built.scrape(1, [{ name: "h", buckets: { "0.5": 5, "+Inf": 12 }, sum: 7, count: 12 }]);
    built.scrape(2, [{ name: "h", buckets: { "0.5": 1, "+Inf": 11 }, sum: 3, count: 11 }]);
    const [rows] = rowsOf(built.window(0.5, 2));
    expect(cellsOf(rows)).toEqual([
      { le: "0.5", bucket: 1, sum: 2, count: 2 },
      { le: "+Inf", bucket: 2, sum: 2, count: 2 },
      { le: "0.5", bucket: 0, sum: 0, count: 1 },
      { le: "+Inf", bucket: 1, sum: 0, count: 1 },
    ]);
    expect(rows?.restarted?.result.stats).toMatchObject({ resets: 1, count: 2 + 11, sum: 2 + 3 });
  });

  it("of changed bounds hold each stretch's own bounds, raw where the reference had none", () => {
    const built = new RunBuilder();
    built.scrape(0, [{ name: "h", buckets: { "1": 4, "2": 5, "+Inf": 6 }, sum: 1, count: 6 }]);
    built.scrape(1, [{ name: "h", buckets: { "1": 7, "3": 8, "+Inf": 9 }, sum: 2, count: 9 }]);
    const [rows] = rowsOf(built.window(0.5, 1));
    expect(cellsOf(rows).map(({ le, bucket }) => [le, bucket])).toEqual([
      ["1", 3],
      ["3", 8],
      ["+Inf", 3],
    ]);
  });

  it("leave a sum out that the server does not tell", () => {
    const built = new RunBuilder().scrape(0, [{ name: "h", buckets: { "1": 4, "+Inf": 6 }, count: 6 }]);
    expect(cellsOf(rowsOf(built.window(0, 0))[0])).toEqual([
      { le: "1", bucket: 0, sum: NaN, count: 0 },
      { le: "+Inf", bucket: 0, sum: NaN, count: 0 },
    ]);
  });

  it("have none for a gap or a failed scrape, and one for a duplicate", () => {
    const built = new RunBuilder();
    built
      .scrape(0, [{ name: "g", value: 1 }])
      .scrape(1, [{ name: "g", value: NaN }])
      .scrape(2, "failed");
    built.scrape(3, [{ name: "g", value: 4 }]).scrape(4, "duplicate");
    const [rows] = rowsOf(built.window(0, 4));
    expect(timesOf(rows)).toEqual([at(0), at(3), at(4)]);
    expect(cellsOf(rows)).toEqual([{ value: 1 }, { value: 4 }, { value: 4 }]);
    expect(rows?.gaps).toBe(1);
  });

  it("run to the final scrape after the end, but not beyond a window that was chosen", () => {
    const built = new RunBuilder();
    [1, 2, 3].forEach((value, i) => built.scrape(i, [{ name: "g", value }]));
    const { run } = built.window(0, 1.5);
    expect(rowsOf(built)[0]?.rows).toBe(3);
    expect([...parquetRows(run, { ...recordedWindow(run), kind: "exact" })][0]?.rows).toBe(2);
  });

  it("come by endpoint, metric and labels", () => {
    const built = new RunBuilder();
    const samples = [
      { name: "b", value: 1 },
      { name: "a", labels: { x: "2" }, value: 1 },
      { name: "a", labels: { x: "1" }, value: 1 },
    ];
    built.scrape(0, samples, "http://z:1/metrics").scrape(0, samples, "http://a:1/metrics");
    const order = rowsOf(built.window(0, 0)).map(
      ({ key }) => `${key.endpointUrl} ${key.family.name} ${key.labels[0]?.[1] ?? ""}`,
    );
    expect(order).toHaveLength(6);
    expect(order).toEqual([...order].sort());
    expect(order[0]).toBe("http://a:1/metrics a 1");
  });
});

describe("columns of a Parquet file", () => {
  it("are the union of labels, alphabetical, with a prefix where one carries the name of another column", () => {
    const built = new RunBuilder();
    built.scrape(0, [
      { name: "a", labels: { z: "1", value: "taken", le: "kept" }, value: 1 },
      { name: "b", labels: { m: "1", timestamp_ns: "taken" }, value: 1 },
    ]);
    const labels = labelNames(built.run.store.seriesKeys());
    expect(labels).toEqual(["le", "m", "timestamp_ns", "value", "z"]);
    expect(parquetColumns(labels).map((column) => column.name)).toEqual([
      "endpoint_url",
      "metric_name",
      "metric_type",
      "unit",
      "description",
      "timestamp_ns",
      "le",
      "m",
      "label_timestamp_ns",
      "label_value",
      "z",
      "value",
      "sum",
      "count",
      "bucket_le",
      "bucket_count",
    ]);
  });
});

describe("row groups", () => {
  const limits = { shared: 10, single: 20 };
  /** Metrics of one series each, with this many rows. */
  function groupsOf(...sizes: number[]): string[] {
    const built = new RunBuilder();
    const names = sizes.map((_, i) => `m${String(i).padStart(2, "0")}`);
    for (let i = 0; i < Math.max(...sizes); i++)
      built.scrape(
        i,
        names.flatMap((name, m) => (i < (sizes[m] ?? 0) ? [{ name, value: i }] : [])),
      );
    const rows = rowsOf(built.window(0, Math.max(...sizes)));
    return [...rowGroups(rows, limits)].map((group) =>
      group.slices.map(({ series, from, to }) => `${series.key.family.name}[${from},${to})`).join(" "),
    );
  }

  it("are shared by small metrics and cut at their borders", () => {
    expect(groupsOf(4, 5, 3, 2)).toEqual(["m00[0,4) m01[0,5)", "m02[0,3) m03[0,2)"]);
  });

  it("of a large metric are its own", () => {
    expect(groupsOf(4, 45, 3)).toEqual(["m00[0,4)", "m01[0,20)", "m01[20,40)", "m01[40,45) m02[0,3)"]);
    expect(groupsOf(15, 12)).toEqual(["m00[0,15)", "m01[0,12)"]);
  });

  it("hold every row exactly once, in order", () => {
    expect(groupsOf(40)).toEqual(["m00[0,20)", "m00[20,40)"]);
    expect([...rowGroups([], limits)]).toEqual([]);
  });
});

describe("metadata of a Parquet file", () => {
  it("tell what a rebuild needs", () => {
    const built = new RunBuilder();
    built.scrape(0, [{ name: "c", type: "counter", value: 5 }]);
    built.scrape(1, [
      { name: "c", type: "counter", value: 6 },
      { name: "late", type: "counter", value: 1 },
      { name: "g", value: NaN },
    ]);
    built.scrape(2, [
      { name: "c", type: "counter", value: 2 },
      { name: "late", type: "counter", value: 4 },
      { name: "g", value: 1 },
    ]);
    const { run } = built.window(0.5, 2);
    const about = {
      window: recordedWindow(run),
      sliceDurationSeconds: 2.5,
      exporter: { version: "9" },
      exportTime: ORIGIN,
      hostname: "host",
    };
    const metadata = new MetadataWriter(run, about, []);
    for (const series of rowsOf(built)) metadata.add(series);
    const entries = metadata.entries();
    const url = "http://a:1/metrics";
    expect(entries.get("server_metrics.reference_timestamps_ns")).toBe(`{"${url}":${at(0)}}`);
    expect(entries.get("server_metrics.series_reference_timestamps_ns")).toBe(
      `[{"endpoint_url":"${url}","metric_name":"late","metric_type":"counter","labels":{},"timestamp_ns":${at(1)}}]`,
    );
    expect(JSON.parse(entries.get("server_metrics.resets") ?? "")).toMatchObject([
      {
        endpoint_url: url,
        metric_name: "c",
        metric_type: "counter",
        labels: {},
        resets: 1,
        increase: 3,
        stats: { total: 0, resets: 1 },
        timeslices: [{ total: 0 }],
        increases: { stats: { total: 3 }, timeslices: [{ total: 3 }] },
      },
    ]);
    expect(JSON.parse(entries.get("server_metrics.born") ?? "")).toMatchObject([{ metric_name: "late", value: 1 }]);
    expect(entries.get("server_metrics.endpoints_configured")).toBe(`["${url}"]`);
    expect(JSON.parse(entries.get("server_metrics.gaps") ?? "")).toMatchObject([{ metric_name: "g", gaps: 1 }]);
    expect(entries.get("server_metrics.endpoint_info")).toContain(`"first_fetch_ns":${at(0)},`);
    expect(entries.get("server_metrics.slice_duration")).toBe("2.5");
    expect(entries.get("aiperf.metric_type_counts")).toBe('{"gauge":1,"counter":2,"histogram":0,"unknown":0}');
    expect(entries.get("aiperf.metric_count")).toBe("3");
    expect(entries.get("aiperf.profiling_duration_seconds")).toBe("1.5");
  });
});
