import { describe, expect, it } from "vitest";
import { JsonlReader, RunAssembler, type LineProblem } from "../../../../src/core/artifacts/index.js";
import { placesOf } from "../../../../src/core/artifacts/jsonl-shape.js";
import type { Run } from "../../../../src/core/store/index.js";
import { jsonlLines } from "../../../support/jsonl-lines.js";
import { seededRandom } from "../../../support/random.js";
import { sampleLines } from "../../../support/samples.js";

const encoder = new TextEncoder();

/**
 * What a reader tells of each line: with all lines in one reader (by position where it can), or with a new reader a
 * line (JSON.parse).
 */
function readings(lines: readonly string[], readers: "one" | "many", chunk = Infinity): string[] {
  const out: string[] = [];
  const make = () =>
    new JsonlReader({
      onScrape: ({ outcome, ...scrape }) =>
        out.push(
          `${scrape.endpointUrl} ${scrape.time} ${scrape.latency} ${scrape.requestSent} ${outcome.kind === "samples" ? sampleLines(outcome.batch).sort().join("; ") : outcome.kind}`,
        ),
      onEvent: (event) => out.push(event.kind),
      onProblem: ({ message }) => out.push(message),
    });
  const feed = (reader: JsonlReader, text: string) => {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.slice(at, at + chunk));
    reader.end();
  };
  if (readers === "many") for (const line of lines) feed(make(), `${line}\n`);
  else feed(make(), lines.map((line) => `${line}\n`).join(""));
  return out;
}

const number = (random: () => number) => {
  const kind = random();
  if (kind < 0.05) return "null";
  if (kind < 0.3) return String(Math.floor(random() * 1000));
  if (kind < 0.4) return "-0.0";
  if (kind < 0.5) return (random() * 10 ** Math.floor(random() * 40 - 20)).toExponential();
  if (kind < 0.6) return String(Math.floor(random() * 2 ** 53) * 64);
  return String((random() - 0.5) * 1000);
};

/** Lines of some endpoints whose series come and go, with values that often repeat. */
function randomLines(seed: number, count: number): string[] {
  const random = seededRandom(seed);
  const values = new Map<string, string>();
  const value = (key: string) => {
    if (!values.has(key) || random() < 0.6) values.set(key, number(random));
    return values.get(key)!;
  };
  return Array.from({ length: count }, (_, i) => {
    const url = `http://node${Math.floor(random() * 3)}:8000/metrics`;
    const time = 1_765_000_000_000_000_000n + BigInt(Math.floor(random() * 1e15)) * 7n + BigInt(i);
    const extra = random() < 0.1 ? `,"late":[{"value":${value("late")}}]` : "";
    const gauge = `"g":[{"labels":{"a":"x\\"y{1}","b":"ü"},"value":${value("g")}},{"value":${value("g2")}}]`;
    const histogram = `"h_seconds":[{"buckets":{"0.5":${value("b1")},"1":${value("b2")},"+Inf":${value("b3")}},"sum":${value("s")},"count":${value("c")}}]`;
    const kind = random();
    const metrics = kind < 0.05 ? "" : `${gauge},${histogram}${extra}`;
    const tail = kind < 0.05 ? ',"duplicate":true' : kind < 0.08 ? ',"error":{"type":"timeout","message":"9 s"}' : "";
    const sent = random() < 0.9 ? `,"request_sent_ns":${time - 5n}` : "";
    return `{"endpoint_url":"${url}","timestamp_ns":${time},"endpoint_latency_ns":${Math.floor(random() * 1e7)},"metrics":{${metrics}}${sent},"first_byte_ns":${time},"benchmark_phase":"profiling"${tail}}`;
  });
}

describe("lines read by position", () => {
  it.each([1, 2, 3, 4])("give what JSON.parse gives, line by line (seed %i)", (seed) => {
    const lines = randomLines(seed, 300);
    const expected = readings(lines, "many");
    expect(expected.filter((line) => line.includes("h_seconds")).length).toBeGreaterThan(200);
    expect(readings(lines, "one")).toEqual(expected);
    expect(readings(lines, "one", 97)).toEqual(expected);
  });

  it("keep their exact times, whose digits exceed a double", () => {
    const line = (time: string, value: number) =>
      `{"endpoint_url":"http://a","timestamp_ns":${time},"endpoint_latency_ns":1,"metrics":{"g":[{"value":${value}}]}}`;
    const times = ["1765000000123456789", "1765000000123456790", "1765000000999999999", "1765000001000000001"];
    expect(readings(times.map(line), "one").map((text) => text.split(" ")[1])).toEqual(times);
  });

  it("refuse numbers that JSON refuses", () => {
    const line = (value: string) =>
      `{"endpoint_url":"http://a","timestamp_ns":1765000000123456789,"endpoint_latency_ns":1,"metrics":{"g":[{"value":${value}}]}}`;
    const results = readings(
      [
        line("1"),
        line("2"),
        line("01"),
        line("1."),
        line("1.e5"),
        line("-01"),
        line("NaN"),
        line("+1"),
        line(".5"),
        line("1e"),
        line("- 1"),
        line("nul"),
        line("3"),
      ],
      "one",
    );
    expect(results.filter((text) => text.startsWith("http://a"))).toHaveLength(3);
    expect(results.at(-1)).toContain("value 3");
  });

  it("do not trust a line that names a sample twice", () => {
    const line = (a: number, b: number) =>
      `{"endpoint_url":"http://a","timestamp_ns":1765000000123456789,"endpoint_latency_ns":1,"metrics":{"g":[{"value":${a}}],"g":[{"value":${b}}]}}`;
    expect(readings([line(1, 2), line(3, 4), line(5, 6)], "one").map((text) => text.slice(-7))).toEqual([
      "value 2",
      "value 4",
      "value 6",
    ]);
  });

  it("are found in any JSON, with the path to each", () => {
    const text = '{"a":[1,{"b\\n":-2.5e3}],"c":"3 \\" 4","d":null,"e":true}';
    const places = placesOf(encoder.encode(text)) ?? [];
    expect(places.map(({ start, end, path }) => [text.slice(start, end), path])).toEqual([
      ["1", ["a", 0]],
      ["-2.5e3", ["a", 1, "b\n"]],
      ["null", ["d"]],
    ]);
  });
});

function assemble(lines: readonly string[]): { readonly run: Run; readonly problems: readonly LineProblem[] } {
  const assembler = new RunAssembler();
  const problems: LineProblem[] = [];
  const reader = new JsonlReader({
    onScrape: (scrape, phase) => assembler.scrape(scrape, phase),
    onEvent: (event) => assembler.event(event),
    onProblem: (problem) => problems.push(problem),
  });
  reader.push(encoder.encode(lines.map((line) => `${line}\n`).join("")));
  reader.end();
  return {
    run: assembler.assemble(
      { benchmarkId: "x", endpointsConfigured: [], sliceDurationSeconds: 5, inputConfig: {} },
      reader,
    ),
    problems,
  };
}

describe("a file without metadata", () => {
  const line = (i: number, metrics: string, more = "") =>
    `{"endpoint_url":"http://a","timestamp_ns":${1_765_000_000_000_000_000n + BigInt(i)},"endpoint_latency_ns":1,"metrics":{${metrics}}${more}}`;
  const scalars = (...values: readonly (readonly [string, number])[]) =>
    values.map(([name, value]) => `"${name}":[{"value":${value}}]`).join(",");

  it("has the catalogue's types, then counters by suffix that never fall, else gauges", () => {
    const { run } = assemble([
      line(0, scalars(["vllm:prompt_tokens", 5], ["jobs_total", 1], ["stock_total", 5], ["temperature", 1])),
      line(1, scalars(["vllm:prompt_tokens", 4], ["jobs_total", 2], ["stock_total", 4], ["temperature", 2])),
      line(2, '"h":[{"buckets":{"1":2,"+Inf":3},"sum":1,"count":3}]'),
    ]);
    const types = new Map(run.store.families().map(({ name, type }) => [name, type]));
    expect(Object.fromEntries(types)).toEqual({
      "vllm:prompt_tokens": "counter",
      jobs_total: "counter",
      stock_total: "gauge",
      temperature: "gauge",
      h: "histogram",
    });
    const retyped = [...run.store.seriesKeys()].find(({ family }) => family.name === "stock_total");
    expect(retyped?.family.type).toBe("gauge");
    expect(run.store.read(retyped!.id)).toMatchObject({ kind: "scalar", values: Float64Array.of(5, 4) });
  });

  it("takes its window from the phase of the lines", () => {
    const phases = ["warmup", "warmup", "profiling", "profiling", "cooldown"];
    const { run } = assemble(phases.map((phase, i) => line(i, scalars(["g", i]), `,"benchmark_phase":"${phase}"`)));
    expect(
      [run.profilingStart, run.profilingEnd].map((time) => Number((time ?? 0n) - 1_765_000_000_000_000_000n)),
    ).toEqual([2, 3]);
  });

  it("survives a type that its samples contradict", () => {
    const { run, problems } = assemble([
      line(0, scalars(["m", 1]), ',"metadata":{"m":{"type":"histogram","description":"d"}}'),
      line(1, scalars(["m", 2])),
    ]);
    expect(problems).toEqual([]);
    expect(run.store.families()).toMatchObject([{ name: "m", type: "gauge", description: "d" }]);
  });

  it("tells a scrape that lies too far from the others, also one read by position", () => {
    const far = (i: number) => line(i, scalars(["g", i])).replace(/1765/, "1965");
    const { run, problems } = assemble([
      line(0, scalars(["g", 1])),
      line(1, scalars(["g", 2])),
      far(2),
      line(3, scalars(["g", 4])),
    ]);
    expect(problems).toMatchObject([{ line: 3, torn: false }]);
    expect(problems[0]?.message).toContain("104 days");
    expect(run.store.scrapes).toBe(3);
    expect(jsonlLines(run).length).toBeGreaterThan(3);
  });

  it("may be of the earlier, flat layout", () => {
    const flat = (i: number) =>
      `{"timestamp_ns":${1_765_000_000_000_000_000n + BigInt(i)},"server_url":"http://b/metrics","server_id":"s","instance":"i","server_type":"vllm","metrics_data":{"vllm:num_requests_running":${i},"vllm:prompt_tokens_total":${i * 10}},"error":null}`;
    const { run, problems } = assemble([flat(0), flat(1), flat(2)]);
    expect(problems).toEqual([]);
    expect(run.store.endpoints.map(({ url }) => url)).toEqual(["http://b/metrics"]);
    expect(run.store.families().map(({ name, type }) => [name, type])).toEqual([
      ["vllm:num_requests_running", "gauge"],
      ["vllm:prompt_tokens_total", "counter"],
    ]);
  });

  it("of the earlier layout keeps two servers behind one URL apart", () => {
    const flat = (server: string, i: number) =>
      `{"timestamp_ns":${1_765_000_000_000_000_000n + BigInt(i)},"server_url":"http://b/metrics","server_id":"${server}","instance":"i${server}","server_type":"vllm","metrics_data":{"vllm:num_requests_running":${server}},"error":null}`;
    const { run, problems } = assemble([flat("3", 0), flat("8", 0), flat("3", 1), flat("8", 1)]);
    expect(problems).toEqual([]);
    expect(
      [...run.store.seriesKeys()].map(({ id, endpointUrl, labels }) => [endpointUrl, labels, run.store.last(id)]),
    ).toEqual([
      [
        "http://b/metrics",
        [
          ["instance", "i3"],
          ["server", "3"],
          ["server_type", "vllm"],
        ],
        3,
      ],
      [
        "http://b/metrics#2",
        [
          ["instance", "i8"],
          ["server", "8"],
          ["server_type", "vllm"],
        ],
        8,
      ],
    ]);
  });
});

it.each([7, 64, 100_000])("a line longer than any scrape is skipped and named, in chunks of %i bytes", (size) => {
  const line = (t: number) =>
    `{"endpoint_url":"http://a:1/metrics","timestamp_ns":${t},"metrics":{"load":[{"value":${t}}]}}\n`;
  const bytes = new TextEncoder().encode(`${line(1)}${line(2)}${"x".repeat(5000)}\n${line(3)}${"y".repeat(5000)}`);
  const times: bigint[] = [];
  const problems: LineProblem[] = [];
  const reader = new JsonlReader(
    {
      onScrape: ({ time }) => void times.push(time),
      onEvent: () => undefined,
      onProblem: (problem) => void problems.push(problem),
    },
    { lineBytes: 1024, series: Infinity },
  );
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.slice(at, at + size));
  reader.end();
  expect(times).toEqual([1n, 2n, 3n]);
  expect(problems.map((problem) => [problem.line, problem.torn])).toEqual([
    [3, false],
    [5, true],
  ]);
});
