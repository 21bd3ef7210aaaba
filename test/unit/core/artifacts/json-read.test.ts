import { describe, expect, it } from "vitest";
import { JsonArtifactReader, type ReadStatistics, writeJson } from "../../../../src/core/artifacts/index.js";
import { JsonMembers, type JsonMember } from "../../../../src/core/artifacts/json/members.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { RunBuilder } from "../../../support/run-builder.js";

const encoder = new TextEncoder();

function read(text: string, chunk = Infinity): ReadStatistics {
  const reader = new JsonArtifactReader();
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.slice(at, at + chunk));
  return reader.end();
}

function artifact(): string {
  const builder = new RunBuilder(2);
  for (let i = 0; i < 12; i++) {
    builder.scrape(i, [
      { name: "jobs", type: "counter", labels: { path: 'a"b}{\\', "": "ü" }, value: i === 6 ? 1 : i * 3 },
      { name: "wait_seconds", buckets: { "1": i, "0.5": 0, "10": 2 * i, "+Inf": 2 * i }, sum: i / 3, count: 2 * i },
      { name: "temp", value: i === 3 ? NaN : i / 7 },
      { name: "app_info", labels: { version: "1" }, value: 1 },
    ]);
  }
  return [
    ...writeJson(complete(runStatistics(builder.window(1.5, 11).run, { unitOf: () => undefined })), { version: "9" }),
  ].join("");
}

const EMPTY =
  '{"schema_version":"1.0","benchmark_id":"b","summary":{"start_time":"2025-12-06T05:46:43.223457+00:00","end_time":"2025-12-06T05:46:53.223457+00:00"},"metrics":{}';

describe("a JSON artifact", () => {
  it.each([Infinity, 1, 7, 4096])("is written again as it was read (chunks of %i bytes)", (chunk) => {
    const text = artifact();
    const { statistics, unknownFields, exporter } = read(text, chunk);
    expect([...writeJson(statistics, { version: "9" })].join("")).toBe(text);
    expect(unknownFields).toEqual([]);
    expect(exporter).toBe("server-metrics 9");
    expect(statistics.families.map(({ name, type }) => [name, type])).toEqual([
      ["app_info", "gauge"],
      ["jobs", "counter"],
      ["temp", "gauge"],
      ["wait_seconds", "histogram"],
    ]);
  });

  it.each([Infinity, 1, 7, 4096])("is read in parts where a family is long (chunks of %i bytes)", (chunk) => {
    const builder = new RunBuilder(2);
    for (let i = 0; i < 4; i++)
      builder.scrape(
        i,
        Array.from({ length: 20 }, (_, n) => ({
          name: n % 2 === 0 ? "temp" : "room",
          labels: { n: `${n},]}` },
          value: i,
        })),
      );
    const { run } = builder.window(0.5, 3);
    const text = [...writeJson(complete(runStatistics(run, { unitOf: () => undefined })), { version: "9" })].join("");
    const bytes = encoder.encode(text);
    const reader = new JsonArtifactReader(undefined, 600);
    for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.slice(at, at + chunk));
    const { statistics, unknownFields } = reader.end();
    expect([...writeJson(statistics, { version: "9" })].join("")).toBe(text);
    expect(unknownFields).toEqual([]);
    let parts = 0;
    const cutter = new JsonMembers(({ continues }) => void (continues === true && parts++), 600);
    cutter.push(bytes);
    cutter.end();
    expect(parts).toBeGreaterThan(4);
  });

  it("keeps nanoseconds exact and bounds in their order", () => {
    const { statistics } = read(artifact());
    const wait = statistics.families.find(({ name }) => name === "wait_seconds")?.series[0];
    expect(wait?.slices?.[0]?.start_ns).toBe(1_765_000_001_500_000_001n);
    expect(statistics.startNs).toBe(1_765_000_001_500_000_001n);
    expect(wait?.kind === "histogram" ? wait.buckets?.map(([bound]) => bound) : []).toEqual(["0.5", "1", "10", "+Inf"]);
  });

  it("says what it does not know and goes on", () => {
    const metric =
      '"m":{"type":"gauge","description":"","colour":1,"series":[{"endpoint_url":"http://a","stats":{"avg":1,"p50":null},"phase":"x"}]}';
    const { statistics, unknownFields, schemaVersion } = read(
      `${EMPTY.replace('"1.0"', '"1.1"').replace('"metrics":{}', `"metrics":{${metric}}`)},"later_metrics":{"deep":[{"}":1}]},"metrics_phase":"profiling"}`,
    );
    expect(schemaVersion).toBe("1.1");
    expect(unknownFields).toEqual(["metrics › … › colour", "metrics › … › series › phase", "later_metrics"]);
    expect(statistics.families[0]?.series[0]?.stats).toEqual({ avg: 1 });
  });

  it("keeps the warm-up apart from profiling, and takes both windows to the nanosecond", () => {
    const metric = (total: number) =>
      `"c":{"type":"counter","description":"","series":[{"endpoint_url":"http://a","stats":{"total":${total},"rate":1}}]}`;
    const ranges =
      '"phase_time_ranges":{"profiling":{"start_ns":1765000010123456789,"end_ns":1765000058123456789},"warmup":{"start_ns":1765000002123456789,"end_ns":1765000008123456789}}';
    const { statistics, unknownFields } = read(
      `{"schema_version":"1.1","benchmark_id":"b","summary":{"start_time":"2025-12-06T05:46:50.123457",${ranges}},"metrics_phase":"profiling","metrics":{${metric(300)}},"warmup_metrics":{${metric(6)}},"input_config":{}}`,
    );
    expect(unknownFields).toEqual([]);
    expect(statistics.startNs).toBe(1765000010123456789n);
    expect(statistics.endNs).toBe(1765000058123456789n);
    expect(statistics.warmup).toMatchObject({ start: 1765000002123456789n, end: 1765000008123456789n });
    const totals = [statistics.families, statistics.warmup?.families ?? []].map((families) =>
      families.map(({ series }) => series.map(({ stats }) => ("total" in stats ? stats.total : undefined))),
    );
    expect(totals).toEqual([[[300]], [[6]]]);
  });

  it("is refused with the version it asks about", () => {
    const reader = new JsonArtifactReader((version) => {
      throw new Error(`no ${version}`);
    });
    expect(() => reader.push(encoder.encode('{"schema_version":"2.0",'))).toThrow("no 2.0");
  });

  it("takes a time without offset in the zone that its slices show", () => {
    const series =
      '{"endpoint_url":"a","stats":{"avg":1},"timeslices":[{"start_ns":1765000003223456789,"end_ns":1765000005223456789,"avg":1,"min":1,"max":1}]}';
    const local = EMPTY.replaceAll("+00:00", "")
      .replaceAll("T05:", "T07:")
      .replace('"metrics":{}', `"metrics":{"m":{"type":"gauge","series":[${series}]}}`);
    const { startNs, endNs } = read(`${local}}`).statistics;
    expect([startNs, endNs]).toEqual([1_765_000_003_223_456_789n, 1_765_000_013_223_457_000n]);
  });

  it.each([
    ["[1]", "it should begin with {"],
    ['{"a":1,"b":2}', "it has none of schema_version, benchmark_id and metrics, but a, b"],
    [EMPTY.slice(0, -1), "it breaks off at byte"],
    [`${EMPTY.replace('"metrics":{}', '"metrics":{"one":{"type":"gau')}`, "within metrics › one"],
    [`${EMPTY.replace('"metrics":{}', '"metrics":{"one":{"type":]}}')}}`, "metrics › one is not JSON"],
    [`${EMPTY}}{`, "there is more after its end"],
    ["", "it is empty"],
    ["{1:2}", "a name in quotes was expected at byte 1"],
  ])("says what is wrong: %s", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

describe("members of a JSON document", () => {
  it("are cut at every possible place alike", () => {
    const text = ' {"a" : "x,}\\"" ,"metrics":{ "m,1":{"b":[1,{"c":"]"}]} , "ü":2},"z":[1, 2] } ';
    const members = (chunk: number) => {
      const out: JsonMember[] = [];
      const cutter = new JsonMembers((member) =>
        out.push({ ...member, text: JSON.stringify(JSON.parse(member.text)) }),
      );
      const bytes = encoder.encode(text);
      for (let at = 0; at < bytes.length; at += chunk) cutter.push(bytes.slice(at, at + chunk));
      cutter.end();
      return out;
    };
    const expected = [
      { parent: "document", key: "a", text: '"x,}\\""' },
      { parent: "metrics", key: "m,1", text: '{"b":[1,{"c":"]"}]}' },
      { parent: "metrics", key: "ü", text: "2" },
      { parent: "document", key: "z", text: "[1,2]" },
    ];
    for (const chunk of [1, 2, 3, 5, 8, 1000]) expect(members(chunk)).toEqual(expected);
  });
});
