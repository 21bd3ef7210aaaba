import { describe, expect, it } from "vitest";
import {
  JsonlReader,
  JsonlWriter,
  RunAssembler,
  type LineProblem,
  type RunEvent,
} from "../../../../src/core/artifacts/index.js";
import { durationNs, epochNs, type Family, type SampleDef, type Scrape } from "../../../../src/core/model/index.js";
import type { Run } from "../../../../src/core/store/index.js";
import { jsonlLines, writtenLine } from "../../../support/jsonl-lines.js";
import { ORIGIN, RunBuilder } from "../../../support/run-builder.js";
import { sampleLines } from "../../../support/samples.js";

const TIME = "1765000000123456789";

interface Seen {
  readonly scrapes: (Omit<Scrape, "outcome"> & { readonly outcome: string; readonly samples: readonly string[] })[];
  readonly events: RunEvent[];
  readonly problems: LineProblem[];
}

function read(text: string, chunk = Infinity): Seen {
  const seen: Seen = { scrapes: [], events: [], problems: [] };
  const reader = new JsonlReader({
    onScrape: ({ outcome, ...scrape }) =>
      seen.scrapes.push({
        ...scrape,
        outcome: outcome.kind,
        samples: outcome.kind === "samples" ? sampleLines(outcome.batch) : [],
      }),
    onEvent: (event) => seen.events.push(event),
    onProblem: (problem) => seen.problems.push(problem),
  });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk));
  reader.end();
  return seen;
}

function assemble(text: string): Run {
  const assembler = new RunAssembler();
  const reader = new JsonlReader({
    onScrape: (scrape, phase) => assembler.scrape(scrape, phase),
    onEvent: (event) => assembler.event(event),
    onProblem: ({ line, message }) => expect.fail(`line ${line}: ${message}`),
  });
  reader.push(new TextEncoder().encode(text));
  reader.end();
  return assembler.assemble(
    { benchmarkId: "", endpointsConfigured: [], sliceDurationSeconds: 1, inputConfig: {} },
    reader,
  );
}

const linesOf = (run: Run) =>
  jsonlLines(run)
    .map((line) => `${line}\n`)
    .join("");
const scrapeLine = (metrics: string, more = "") =>
  `{"endpoint_url":"http://a/metrics","timestamp_ns":${TIME},"endpoint_latency_ns":5,"metrics":${metrics}${more}}`;

function scrapeOf(family: Family, value: number, i: number, defs: SampleDef[]): Scrape {
  defs.push({ family, labels: [], part: { kind: "value" } });
  const batch = { defs, ids: Int32Array.of(defs.length - 1), values: Float64Array.of(value), length: 1 };
  const time = epochNs(ORIGIN + BigInt(i));
  return {
    endpointUrl: "http://a/metrics",
    time,
    latency: durationNs(1),
    requestSent: time,
    outcome: { kind: "samples", batch },
  };
}

describe("a JSONL line", () => {
  it("has the reference's keys in its order, whole numbers and gaps as they are", () => {
    const run = new RunBuilder().scrape(0, [
      { name: "h", buckets: { "+Inf": 3, "0.5": 1 }, sum: 1e21, count: 3 },
      { name: "g", labels: { a: "ü\n" }, value: 0.1 },
      { name: "n", value: NaN },
    ]).run;
    const line =
      linesOf(run)
        .split("\n")
        .find((text) => text.includes('"g"')) ?? "";
    expect(line.slice(0, line.indexOf(',"request_sent_ns"'))).toBe(
      `{"endpoint_url":"http://a:1/metrics","timestamp_ns":${ORIGIN},"endpoint_latency_ns":2000000,"metrics":{"h":[{"buckets":{"0.5":1,"+Inf":3},"sum":1e+21,"count":3}],"g":[{"labels":{"a":"ü\\n"},"value":0.1}],"n":[{"value":null}]}`,
    );
    expect(Object.keys(JSON.parse(line) as object)).toEqual([
      "endpoint_url",
      "timestamp_ns",
      "endpoint_latency_ns",
      "metrics",
      "request_sent_ns",
      "first_byte_ns",
      "benchmark_phase",
      "metadata",
    ]);
  });

  it("has metadata where a family is new or changes, and nowhere else", () => {
    const writer = new JsonlWriter();
    const defs: SampleDef[] = [];
    const gauge: Family = { name: "m", type: "gauge", description: "" };
    const first = scrapeOf(gauge, 1, 0, defs);
    const hasMetadata = [
      first,
      first,
      scrapeOf({ ...gauge, type: "unknown" }, 1, 1, defs),
      scrapeOf({ ...gauge, description: "Said later." }, 1, 2, defs),
    ].map((scrape) => writtenLine(writer, scrape, "profiling").includes('"metadata"'));
    expect(hasMetadata).toEqual([true, false, true, true]);
  });

  it("keeps info families out of the metrics and in the metadata, as often as they change", () => {
    const builder = new RunBuilder();
    for (const version of ["1", "1", "2"])
      builder.scrape(Number(version), [
        { name: "server_info", labels: { version }, value: 1 },
        { name: "g", value: 1 },
      ]);
    const lines = linesOf(builder.run)
      .split("\n")
      .filter((line) => line.includes('"g"'));
    expect(lines.map((line) => line.includes("server_info"))).toEqual([true, false, true]);
    const [first] = lines;
    expect(first).toContain('"metrics":{"g":[{"value":1}]}');
    expect(first).toContain('"samples":[{"labels":{"version":"1"},"value":1}]');
  });
});

describe("a run as JSONL", () => {
  const builder = new RunBuilder(2);
  for (let i = 0; i < 9; i++) {
    const histogram = i < 6 ? { "0.5": i, "+Inf": 2 * i } : { "0.25": i, "0.5": i, "+Inf": 2 * i };
    builder.scrape(
      i,
      i === 4
        ? "duplicate"
        : i === 7
          ? "failed"
          : [
              { name: "h", buckets: histogram, sum: i / 7, count: 2 * i },
              { name: "g", value: i === 2 ? Infinity : i },
              { name: "x_info", labels: { v: String(i > 5) }, value: 1 },
            ],
    );
    builder.scrape(
      i + 0.5,
      [{ name: "c", type: "counter", labels: { "": "", z: "1", a: "2" }, value: -0 }],
      "http://b:2/metrics",
    );
  }
  builder.window(1, 8).run.addMark({ time: epochNs(ORIGIN + 3_000_000_007n), label: 'step "8"' });
  builder.run.putPhase({ name: "warmup", kind: "warmup", start: ORIGIN, end: epochNs(ORIGIN + 900_000_000n) });

  it("is the same again once read", () => {
    const text = linesOf(builder.run);
    expect(linesOf(assemble(text))).toBe(text);
  });

  it("reads the same in pieces of any size", () => {
    const text = linesOf(builder.run);
    const whole = read(text);
    expect(whole.problems).toEqual([]);
    expect(whole.scrapes).toHaveLength(18);
    for (const chunk of [1, 7, 4096]) expect(read(text, chunk)).toEqual(whole);
  });

  it("tells events in their place and phases of scrapes", () => {
    const lines = linesOf(builder.run)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { event?: { type: string; label?: string }; benchmark_phase?: string });
    expect(lines.flatMap(({ event }) => (event === undefined ? [] : [event.type]))).toEqual([
      "run_start",
      "phase",
      "profiling_start",
      "mark",
      "profiling_end",
    ]);
    expect(lines.filter(({ benchmark_phase: phase }) => phase === "warmup")).toHaveLength(2);
  });
});

describe("reading JSONL", () => {
  it("keeps a family's samples apart from before its type changed", () => {
    const writer = new JsonlWriter();
    const defs: SampleDef[] = [];
    const family: Family = { name: "m", type: "unknown", description: "" };
    const text = [scrapeOf(family, 1, 0, defs), scrapeOf({ ...family, type: "counter" }, 2, 1, defs)]
      .map((scrape) => `${writtenLine(writer, scrape, "profiling")}\n`)
      .join("");
    expect(read(text).scrapes.flatMap(({ samples }) => samples)).toEqual(["unknown m value 1", "counter m value 2"]);
  });

  it("takes a file of another writer: exact times, types from buckets and the catalogue, sent before the latency", () => {
    const { scrapes, problems } = read(
      `${scrapeLine('{"vllm:prompt_tokens":[{"value":3}],"temperature":[{"labels":{"k":"v"},"value":null}],"wait":[{"buckets":{"1.0":2,"+Inf":2},"sum":1,"count":2}]}')}\n`,
    );
    expect(problems).toEqual([]);
    expect(scrapes).toEqual([
      {
        endpointUrl: "http://a/metrics",
        time: 1765000000123456789n,
        latency: 5,
        requestSent: 1765000000123456784n,
        outcome: "samples",
        samples: [
          "counter vllm:prompt_tokens value 3",
          'gauge temperature{k="v"} value NaN',
          "histogram wait le 1.0 2",
          "histogram wait le +Inf 2",
          "histogram wait sum 1",
          "histogram wait count 2",
        ],
      },
    ]);
  });

  it("is not misled by what looks like a time inside of a text", () => {
    const { scrapes } = read(
      `${scrapeLine("{}", `,"request_sent_ns":1765000000123456001,"error":{"type":"parse","message":"\\"request_sent_ns\\": 1765000000123456002"}`)}\n`,
    );
    expect(scrapes[0]).toMatchObject({
      time: 1765000000123456789n,
      requestSent: 1765000000123456001n,
      outcome: "failed",
    });
  });

  it("skips a broken line and says its number; of a torn last one too", () => {
    const good = scrapeLine('{"g":[{"value":1}]}');
    const { scrapes, problems } = read(
      [good, '{"endpoint_url":', "", "[1]", good.replace(TIME, '"soon"'), good, good.slice(0, 60)].join("\n"),
    );
    expect(scrapes).toHaveLength(2);
    expect(problems.map(({ line, torn }) => [line, torn])).toEqual([
      [2, false],
      [4, false],
      [5, false],
      [7, true],
    ]);
    expect(problems[2]?.message).toBe("timestamp_ns is missing or not a number");
  });

  it("takes a last line without its line end when it is whole", () => {
    const { scrapes, problems } = read(scrapeLine("{}"));
    expect([scrapes.length, problems.length]).toEqual([1, 0]);
  });
});

describe("endpoints of a JSONL", () => {
  const line = (host: string) =>
    `{"endpoint_url":"http://${host}/metrics","timestamp_ns":${TIME},"endpoint_latency_ns":1,"metrics":{"a":[{"value":1}]}}\n`;

  it("beyond the most that are read of a file are skipped by name, and those before go on", () => {
    const hosts = Array.from({ length: 10_000 }, (_, i) => `h${i}`);
    const { scrapes, problems } = read([...hosts, "beyond", "h0", "beyond"].map(line).join(""));
    expect(scrapes).toHaveLength(10_001);
    expect(scrapes.at(-1)?.endpointUrl).toBe("http://h0/metrics");
    const message = "the file has more than the 10,000 endpoints that are read";
    expect(problems).toEqual([10_001, 10_003].map((number) => ({ line: number, message, torn: false })));
  });
});
