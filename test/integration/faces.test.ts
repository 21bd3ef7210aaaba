import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import {
  chartsOf,
  checked,
  checkText,
  comparedRows,
  findingsOf,
  libraryRow,
  pushed,
  quantity,
  statisticsBySql,
  sweepPoints,
  tablesOf,
  tilesOf,
  told,
  type Saying,
} from "../support/faces.js";
import type { Tile } from "../../src/core/query/index.js";
import { FEWER_BOUNDS, generatedLog, logText, type GeneratedLog, type LoggedScrape } from "../support/generated-log.js";
import { startMcp, type McpSession } from "../support/mcp.js";
import { recompute, type Recomputed } from "../support/recompute.js";

/*
 * One quantity has one number and one unit, in whichever place and from whichever file of the run it is asked for; and
 * it is the number that the text tells that was scraped.
 */

const FILES = ["jsonl", "json", "parquet", "csv"] as const;
type Format = (typeof FILES)[number] | "log";
const ALL_FORMATS: readonly Format[] = ["log", ...FILES];
const WITH_SAMPLES: ReadonlySet<Format> = new Set(["log", "jsonl", "parquet"]);

/** One call each and file: some of every kind. */
const ASKED_OF_AGENTS: ReadonlySet<string> = new Set([
  "vllm:generation_tokens",
  "vllm:request_success",
  "vllm:num_preemptions",
  "vllm:num_requests_running",
  "vllm:kv_cache_usage_perc",
  "vllm:prefix_cache_hits",
  "vllm:time_to_first_token_seconds",
  "vllm:e2e_request_latency_seconds",
  "vllm:request_queue_time_seconds",
  "process_start_time_seconds",
]);

/** A run in a folder: its scrape log, and each of its files in a folder of its own. */
class Faced {
  readonly truth: readonly Recomputed[];
  readonly formats: readonly Format[];

  constructor(
    readonly folder: string,
    private readonly log: GeneratedLog,
    formats: readonly Format[],
  ) {
    const { scrapes, window } = log;
    const times = scrapes.map(({ time }) => time);
    const [start, end] = window ?? [times.at(0) ?? 0n, times.at(-1) ?? 0n];
    this.truth = recompute(scrapes, start, end);
    // A log has no window of its own.
    this.formats = window === undefined ? formats : formats.filter((format) => format !== "log");
  }

  file(format: Format): string {
    return join(this.folder, format, format === "log" ? "scrapes.jsonl" : `server_metrics_export.${format}`);
  }

  /** A folder with all files of the run. */
  get all(): string {
    return join(this.folder, "all");
  }

  async write(): Promise<void> {
    await mkdir(join(this.folder, "log"), { recursive: true });
    const { scrapes, window } = this.log;
    await writeFile(this.file("log"), logText(scrapes));
    const bounds = window === undefined ? [] : ["--start-ns", String(window[0]), "--end-ns", String(window[1])];
    const replayed = await runCli([
      ...["replay", this.file("log"), "--out", this.all, "--formats", "json,csv,jsonl,parquet"],
      ...bounds,
    ]);
    expect(replayed, replayed.stderr).toMatchObject({ code: 0 });
    for (const format of this.formats) {
      if (format === "log") continue;
      await mkdir(join(this.folder, format), { recursive: true });
      await copyFile(join(this.all, `server_metrics_export.${format}`), this.file(format));
    }
  }

  /** What is true of a format: the CSV has AIPerf's numbers alone, which are others after a restart. */
  truthOf(format: Format): readonly Recomputed[] {
    return format === "csv" ? this.truth.filter(({ adjusted }) => !adjusted) : this.truth;
  }
}

/** What differs, in words; a CSV has four decimals. */
class Differences {
  readonly found: string[] = [];

  number(actual: number | undefined, expected: number, format: Format, what: string): void {
    const room = format === "csv" ? 1e-4 * Math.max(1, Math.abs(expected)) : 1e-9 * Math.abs(expected);
    const same = Math.abs((actual ?? NaN) - expected) <= room || (Number.isNaN(expected) && Number.isNaN(actual));
    if (!same) this.found.push(`${what}: ${format} has ${actual}, not ${expected}`);
  }

  text(actual: string | undefined, expected: string | undefined, format: Format, what: string): void {
    if (actual !== expected) this.found.push(`${what}: ${format} has ${actual}, not ${expected}`);
  }

  /** Each number of the truth is said, in each format. */
  fromTruth(
    faced: Faced,
    said: ReadonlyMap<Format, Saying>,
    statistics?: ReadonlySet<string>,
    families?: ReadonlySet<string>,
  ): void {
    for (const [format, saying] of said)
      for (const series of faced.truthOf(format).filter(({ family }) => families?.has(family) !== false))
        for (const [statistic, value] of Object.entries(series.statistics)) {
          const name = named(series, statistic);
          if (statistics?.has(statistic) !== false) this.number(saying.get(name)?.value, value, format, name);
        }
  }

  /** What several formats say, they say alike. */
  amongFormats(said: ReadonlyMap<Format, Saying>): void {
    const [first, ...others] = [...said.values()];
    for (const [format, saying] of [...said].slice(1))
      for (const [name, { value, unit }] of saying) {
        const reference = first?.get(name);
        // A CSV has no column for gaps.
        if (reference === undefined || (format === "csv" && name.includes(" gaps of "))) continue;
        this.number(value, reference.value, format, name);
        this.text(unit, reference.unit, format, `unit of ${name}`);
      }
    expect(others.length).toBeGreaterThan(0);
  }

  none(): void {
    expect(this.found).toEqual([]);
  }
}

function named({ family, url, labels }: Recomputed, statistic: string): string {
  return quantity(family, url, labels, statistic);
}

async function ofFormats<T>(formats: readonly Format[], of: (format: Format) => Promise<T>): Promise<Map<Format, T>> {
  return new Map(await Promise.all(formats.map(async (format) => [format, await of(format)] as const)));
}

/** The bucket that holds a value; NaN of none. */
function bucketOf(value: number): number {
  return Number.isNaN(value) ? NaN : FEWER_BOUNDS.filter((bound) => bound < value).length;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-faces-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function facedRun(name: string, log: () => Promise<GeneratedLog>, formats = ALL_FORMATS) {
  let faced: Faced;
  beforeAll(async () => {
    faced = new Faced(join(folder, name), await log(), formats);
    await faced.write();
  }, 120_000);
  return () => faced;
}

describe.each([1, 2, 3])("generated run %i", (seed) => {
  const faced = facedRun(`generated-${seed}`, () => Promise.resolve(generatedLog(seed)));

  it("has one number and unit in the tables of every format, and it is the text's", async () => {
    const said = await ofFormats(faced().formats, (format) => tablesOf(faced().file(format)));
    const differences = new Differences();
    differences.fromTruth(faced(), said);
    differences.amongFormats(withoutAdjusted(faced(), said));
    differences.none();
  });

  it("has the same charts in every format with samples", () => expectSameCharts(faced()));

  it("has the same tiles in every format", async () => {
    // A tile takes series together, restarted ones among them, of which a CSV has AIPerf's numbers.
    const formats = faced().formats.filter((format) => format !== "csv");
    const tiles = await ofFormats(formats, (format) => tilesOf(faced().file(format)));
    const percentiles = (all: readonly Tile[], wanted: boolean) =>
      all.filter(({ statistic }) => statistic.endsWith("_estimate") === wanted);
    const said = new Map(
      [...tiles].map(([format, all]) => [
        format,
        new Map(
          percentiles(all, false).map(({ id, statistic, value, unit }) => [`${id} ${statistic}`, { value, unit }]),
        ),
      ]),
    );
    expect(said.get("jsonl")?.size).toBeGreaterThan(3);
    const differences = new Differences();
    differences.amongFormats(said);
    for (const [format, all] of tiles)
      for (const { id, family, statistic, value } of percentiles(all, false)) {
        const series = faced().truth.filter((one) => one.family === family && one.type === "counter");
        if (series.length === 0) continue;
        const sum = series.reduce((total, { statistics }) => total + (statistics[statistic] ?? NaN), 0);
        differences.number(value, sum, format, `${id} ${statistic}`);
      }
    // Of several series together a file without samples knows the buckets alone: the percentile lies in the same one.
    const known = new Map(percentiles(tiles.get("jsonl") ?? [], true).map((tile) => [tile.id, tile]));
    expect(known.size).toBeGreaterThan(0);
    for (const [format, all] of tiles)
      for (const { id, value, atLeast, unit } of percentiles(all, true)) {
        const tile = known.get(id);
        differences.text(unit, tile?.unit, format, `unit of ${id}`);
        differences.text(String(atLeast), String(tile?.atLeast), format, `at least of ${id}`);
        const own = tile?.value ?? NaN;
        if (format === "log") differences.number(value, own, format, id);
        else differences.number(bucketOf(value), bucketOf(own), format, `${id} ${value}, ${own}: bucket`);
      }
    differences.none();
  });
});

async function expectSameCharts(faced: Faced): Promise<void> {
  const said = await ofFormats(
    faced.formats.filter((format) => WITH_SAMPLES.has(format)),
    (format) => chartsOf(faced.file(format)),
  );
  const jsonl = said.get("jsonl");
  const parquet = said.get("parquet");
  expect(jsonl?.size).toBeGreaterThan(100);
  expect([...(parquet?.keys() ?? [])].sort()).toEqual([...(jsonl?.keys() ?? [])].sort());
  const differences = new Differences();
  differences.amongFormats(said);
  differences.none();
}

/** What a CSV says of series that restarted or were born is AIPerf's, and no other file's. */
function withoutAdjusted(faced: Faced, said: ReadonlyMap<Format, Saying>): ReadonlyMap<Format, Saying> {
  const adjusted = faced.truth.filter((series) => series.adjusted).map((series) => named(series, "").trim());
  return new Map(
    [...said].map(([format, saying]) => [
      format,
      format !== "csv"
        ? saying
        : new Map(
            [...saying].filter(
              ([name]) =>
                !adjusted.some((one) => {
                  const [series = "", endpoint = ""] = one.split("  of ");
                  return name.startsWith(`${series} `) && name.endsWith(` of ${endpoint}`);
                }),
            ),
          ),
    ]),
  );
}

describe("every face of", () => {
  describe.each([
    { name: "a generated run", log: () => Promise.resolve(generatedLog(13)), formats: ALL_FORMATS },
    { name: "a recorded restart", log: recordedRestart, formats: ALL_FORMATS.filter((format) => format !== "csv") },
  ])("$name", ({ name, log, formats }) => {
    const faced = facedRun(name.replaceAll(" ", "-"), log, formats);
    let session: McpSession;
    beforeAll(async () => {
      session = await startMcp(faced().folder);
    });
    afterAll(() => session.close());

    it("checks the numbers of the text, from each format, in their units", async () => {
      const wanted = faced().truth.flatMap((series) =>
        Object.entries(series.statistics).map(([statistic, value]) => ({ series, statistic, value })),
      );
      const units = await tablesOf(faced().file("jsonl"));
      const asked = new Map(
        wanted.map(({ series, statistic }) => [
          named(series, statistic),
          { ...series, labels: Object.entries(series.labels), statistic },
        ]),
      );
      // A CSV's four decimals are fewer than `check` prints.
      const formats = faced().formats.filter((format) => format !== "csv");
      const said = await ofFormats(formats, (format) => checked(faced().file(format), asked));
      const differences = new Differences();
      for (const [format, values] of said)
        for (const { series, statistic, value } of wanted) {
          const name = named(series, statistic);
          const unit = units.get(name)?.unit;
          differences.text(values.get(name), checkText(value, unit), format, name);
        }
      differences.none();
    });

    it("draws the same charts from each file that has samples", () => expectSameCharts(faced()));

    it("compares with the numbers of the text", async () => {
      const formats = faced().formats;
      const rows = await comparedRows(formats.map((format) => faced().file(format)));
      expect(rows.length).toBeGreaterThan(10);
      const truth = new Map(faced().truth.map((series) => [named(series, "value"), series]));
      const differences = new Differences();
      for (const row of rows)
        for (const [i, side] of [row.baseline, ...row.cells.map(({ candidate }) => candidate)].entries()) {
          const format = formats[i] ?? "csv";
          const all = side.series.map(({ endpointUrl, labels }) =>
            truth.get(quantity(row.family, endpointUrl, labels, "value")),
          );
          if (format === "csv" && all.some((series) => series?.adjusted)) continue;
          const own = all.flatMap((series) => series?.statistics[row.quantity] ?? []);
          if (own.length !== all.length || (row.type !== "counter" && own.length > 1)) continue;
          const sum = own.reduce((total, value) => total + value, 0);
          differences.number(side.value, sum, format, `${row.family} ${row.quantity}`);
        }
      differences.none();
    });

    const sumOf = (family: string, statistic: string) =>
      faced()
        .truth.filter((series) => series.family === family)
        .reduce((total, { statistics }) => total + (statistics[statistic] ?? 0), 0);
    const keyFigures = () => ({
      tokens: sumOf("vllm:generation_tokens", "rate"),
      requests: sumOf("vllm:request_success", "rate"),
      latency: sumOf("vllm:e2e_request_latency_seconds", "sum") / sumOf("vllm:e2e_request_latency_seconds", "count"),
    });

    it("sweeps with the numbers of the text, of the files together, too", async () => {
      const points = await sweepPoints(faced().folder);
      const { tokens, requests, latency } = keyFigures();
      const differences = new Differences();
      for (const format of FILES) {
        if (format === "csv") continue;
        for (const file of [faced().file(format), join(faced().all, basename(faced().file(format)))]) {
          const point = points.find(({ path }) => path === file);
          // Of a run's files one is chosen.
          if (point === undefined && dirname(file) === faced().all) continue;
          differences.number(point?.output_token_throughput?.value, tokens, format, "tokens/s");
          differences.number(point?.request_throughput?.value, requests, format, "requests/s");
          differences.number(point?.latencies["request-latency"]?.avg.value, latency, format, "request latency");
        }
      }
      differences.none();
      const ofAll = points.map(({ path }) => path).filter((path) => dirname(path) === faced().all);
      expect(ofAll).toEqual([join(faced().all, "server_metrics_export.json")]);
    });

    it("lists the run with the numbers of the text, of each file alone and of all together", async () => {
      const folders = ["json", "parquet", "jsonl"].map((format) => dirname(faced().file(format as Format)));
      const differences = new Differences();
      for (const folder of [...folders, faced().all]) {
        const row = await libraryRow(folder);
        for (const [name, value] of Object.entries(keyFigures()))
          // Four decimals are printed.
          differences.number(Number(row[name]), value, "csv", `${name} in ${basename(folder)}`);
      }
      differences.none();
    });

    it("answers DuckDB with the numbers of the text", async () => {
      const said = new Map([["parquet", await statisticsBySql(faced().all)] as const]);
      const differences = new Differences();
      differences.fromTruth(faced(), said, new Set(["total", "rate", "count", "sum", "avg", "min", "max"]));
      differences.none();
    });

    it("pushes the numbers of the text", async () => {
      const formats = faced().formats.filter((format) => WITH_SAMPLES.has(format));
      const said = await ofFormats(formats, (format) => pushed(faced().file(format)));
      const differences = new Differences();
      differences.fromTruth(faced(), said, new Set(["total", "rate", "count", "sum", "avg", "min", "max"]));
      differences.amongFormats(said);
      differences.none();
    });

    it("tells agents the numbers of the text", async () => {
      const said = new Map<Format, Saying>();
      const truth = faced().truth.filter(({ family }) => ASKED_OF_AGENTS.has(family));
      const families = [...new Set(truth.map(({ family }) => family))];
      expect(families.length).toBeGreaterThan(6);
      for (const format of faced().formats) {
        if (format === "log") continue;
        const all = await Promise.all(families.map((family) => told(session, format, family)));
        said.set(format, new Map(all.flatMap((one) => [...one])));
      }
      const differences = new Differences();
      differences.fromTruth(faced(), said, undefined, ASKED_OF_AGENTS);
      differences.amongFormats(withoutAdjusted(faced(), said));
      differences.none();
    });

    it("finds the same from each file that has samples, and from the JSON", async () => {
      const said = await ofFormats(
        faced().formats.filter((format) => format !== "csv"),
        (format) => findingsOf(faced().file(format)),
      );
      const names = (format: Format) => [...(said.get(format) ?? new Map<string, unknown>()).keys()].sort();
      expect(names("jsonl").length).toBeGreaterThan(0);
      expect(names("parquet")).toEqual(names("jsonl"));
      expect(names("json")).toEqual(names("jsonl"));
      const differences = new Differences();
      differences.amongFormats(said);
      differences.none();
    });
  });
});

/** The demo's server, of which one restarts. */
async function recordedRestart(): Promise<GeneratedLog> {
  const file = join(folder, "demo.jsonl");
  const demo = ["demo", "--scenario", "restart", "--duration", "36", "--record", file];
  const recorded = await runCli(demo);
  expect(recorded, recorded.stderr).toMatchObject({ code: 0 });
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  return {
    scrapes: lines.map((line): LoggedScrape => {
      const { url, status, body } = JSON.parse(line) as { url: string; status: number; body: string };
      return { url, status, body, time: BigInt(/"t_ns": (\d+)/.exec(line)?.[1] ?? 0) };
    }),
  };
}
