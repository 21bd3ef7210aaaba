import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { artifactName } from "../../src/core/artifacts/index.js";
import { familyUnit } from "../../src/core/catalog/index.js";
import {
  boundValue,
  displayName,
  isInfoFamily,
  type BucketCounts,
  type FamilyResult,
  type RunStatistics,
  type SeriesResult,
} from "../../src/core/model/index.js";
import { copyQuery, type QueryFile, type QueryLanguage, type QuerySubject } from "../../src/core/query/index.js";
import { complete, linearQuantile, runStatistics } from "../../src/core/stats/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { describeConformance } from "../support/conformance.js";
import { conformanceCases, replayCase } from "../support/replay.js";

const run = promisify(execFile);
const FORMATS = ["parquet", "jsonl", "json", "csv"] as const;
type Format = (typeof FORMATS)[number];
type Row = Readonly<Record<string, unknown>>;

/** What a query must give of one series, by the columns' names. */
type Expected = Readonly<Record<string, number>>;

/** The command itself where there is one; it takes a hundredth of the time of its WebAssembly. */
const installed = (command: string): Promise<boolean> =>
  run(command, ["--version"]).then(
    () => true,
    () => false,
  );

const jqInstalled = await installed("jq");

const python = await run("python3", ["-c", "import pandas, duckdb"]).then(
  () => "pandas" as const,
  (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? ("none" as const) : ("plain" as const)),
);

function linear(buckets: BucketCounts): Expected {
  const uppers = Float64Array.from(buckets, ([bound]) => boundValue(bound));
  const totals = Float64Array.from(buckets, ([, count], b) => count - (buckets[b - 1]?.[1] ?? 0));
  return Object.fromEntries([0.5, 0.9, 0.99].map((q) => [`p${q * 100}`, linearQuantile(uppers, totals, q)]));
}

function expectedStatistics(result: SeriesResult, stored: boolean): Expected {
  switch (result.kind) {
    case "gauge": {
      const { avg = NaN, min = NaN, max = NaN, std = NaN, p50 = NaN, p90 = NaN, p99 = NaN } = result.stats;
      return { avg, min, max, std, p50, p90, p99 };
    }
    case "counter":
      return { total: result.stats.total, rate: result.stats.rate };
    case "histogram": {
      const { count, sum = 0, avg = NaN, p99_estimate = NaN } = result.stats;
      return { count, sum, avg, ...(stored ? { p99_estimate } : count > 0 ? linear(result.buckets ?? []) : {}) };
    }
  }
}

/** Slices by their number. */
function expectedSlices(result: SeriesResult, startNs: bigint, sliceSeconds: number): Map<number, Expected> {
  return new Map(
    (result.slices ?? []).map((slice) => {
      const numbers: Expected =
        "buckets" in slice
          ? { count: slice.count, sum: slice.sum, ...(slice.count > 0 ? linear(slice.buckets) : {}) }
          : "avg" in slice
            ? { avg: slice.avg }
            : { total: slice.total, rate: slice.rate };
      return [Math.round(Number(slice.start_ns - startNs) / 1e9 / sliceSeconds), numbers];
    }),
  );
}

describeConformance("a copied query gives what the view shows", (directory) => {
  describe.each(conformanceCases(directory))("$name", (conformanceCase) => {
    let folder: string;
    let replayed: RunStatistics;
    let duck: DuckDBConnection;
    let bin: string;
    let families: readonly FamilyResult[];
    const { startNs, endNs, sliceDurationSeconds } = conformanceCase;
    const fileOf = (format: Format): QueryFile => ({
      path: join(folder, artifactName(format)),
      format,
      bytes: 1_000_000,
    });

    beforeAll(async () => {
      const base = await mkdtemp(join(tmpdir(), "server-metrics-query-"));
      // What a shell, SQL and Python each would trip over.
      folder = join(base, `it's "my" $HOME run; \\n`);
      bin = join(base, "bin");
      await mkdir(folder);
      await mkdir(bin);
      if (!jqInstalled) {
        const jq = join(bin, "jq");
        await writeFile(
          jq,
          `#!/bin/sh\nexec "${process.execPath}" "${fileURLToPath(new URL("../support/jq.mjs", import.meta.url))}" "$@"\n`,
        );
        await chmod(jq, 0o755);
      }
      const captured = await replayCase(conformanceCase);
      replayed = complete(runStatistics(captured, { unitOf: familyUnit }));
      await exportArtifacts(captured, { directory: folder, formats: FORMATS, verify: false });
      duck = await (await DuckDBInstance.create(":memory:")).connect();
      // The widest of each type: most series, most labels.
      families = (["gauge", "counter", "histogram"] as const).flatMap((type) =>
        replayed.families
          .filter((family) => family.type === type && !isInfoFamily(family.name) && family.series.length > 0)
          .sort((a, b) => b.series.length - a.series.length)
          .slice(0, 2),
      );
    });
    afterAll(async () => {
      duck.closeSync();
      await rm(dirname(folder), { recursive: true, force: true });
    });

    const subjectOf = (
      { name, type, series }: FamilyResult,
      shows: QuerySubject["shows"],
      chosen?: readonly SeriesResult[],
    ): QuerySubject => ({
      family: { name, type, isInfo: isInfoFamily(name) },
      all: series,
      ...(chosen === undefined ? {} : { chosen }),
      shows,
      window: {
        start: startNs as QuerySubject["window"]["start"],
        end: endNs as QuerySubject["window"]["start"],
        exact: false,
      },
      sliceSeconds: sliceDurationSeconds,
      endpoints: 2,
    });
    const textOf = (language: QueryLanguage, subject: QuerySubject, format: Format): string => {
      const copied = copyQuery(language, subject, [fileOf(format)]);
      if (copied.kind === "none") throw new Error(copied.reason);
      return copied.text;
    };
    const byDuckdb = async (sql: string): Promise<Row[]> =>
      (await duck.runAndReadAll(sql)).getRowObjectsJson().map((row) => ({
        ...row,
        labels: Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
      }));
    const byJq = async (command: string): Promise<Row[]> => {
      const { stdout } = await run("sh", ["-c", command], {
        env: { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"]}` },
        maxBuffer: 2 ** 28,
      });
      return stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Row);
    };

    /** The rows of one series. */
    const rowsOf = (rows: readonly Row[], { endpointUrl, labels }: SeriesResult): Row[] =>
      rows.filter((row) => {
        const own = row["labels"] as Readonly<Record<string, unknown>>;
        return (
          (row["endpoint_url"] === endpointUrl || row["Endpoint"] === displayName(endpointUrl)) &&
          labels.every(([name, value]) => own[name] === value)
        );
      });
    const close = (row: Row, expected: Expected, what: string, precision = 1e-6): void => {
      for (const [key, value] of Object.entries(expected)) {
        if (Number.isNaN(value)) continue;
        const got = Number(row[key]);
        expect(Math.abs(got - value), `${what} ${key}: ${got} instead of ${value}`).toBeLessThanOrEqual(
          precision * Math.max(1, Math.abs(value)),
        );
      }
    };
    const restarted = ({ stats }: SeriesResult): boolean =>
      "resets" in stats || "increase_count" in stats || "increase" in stats;
    const checkStatistics = (rows: readonly Row[], family: FamilyResult, stored: boolean, precision?: number): void => {
      for (const result of family.series) {
        if (restarted(result)) continue;
        const own = rowsOf(rows, result);
        expect(own, `${family.name} ${JSON.stringify(result.labels)}`).toHaveLength(1);
        close(own[0]!, expectedStatistics(result, stored), family.name, precision);
      }
    };
    const checkSlices = (rows: readonly Row[], family: FamilyResult, sliceOf: (row: Row) => number): void => {
      for (const result of family.series) {
        if (restarted(result)) continue;
        const expected = expectedSlices(result, startNs, sliceDurationSeconds);
        const own = rowsOf(rows, result);
        expect(own.length, `slices of ${family.name}`).toBeGreaterThan(0);
        for (const row of own) {
          const numbers = expected.get(sliceOf(row));
          if (numbers !== undefined) close(row, numbers, `${family.name}, slice ${sliceOf(row)}`);
        }
      }
    };
    const fromStart = (row: Row): number =>
      Math.round(Number(BigInt(String(row["start_ns"])) - startNs) / 1e9 / sliceDurationSeconds);

    it.each(["parquet", "jsonl", "json"] as const)(
      "DuckDB on %s: statistics of every series, and of one that was chosen",
      async (format) => {
        for (const family of families) {
          checkStatistics(
            await byDuckdb(textOf("duckdb", subjectOf(family, "statistics"), format)),
            family,
            format === "json",
          );
          const one = family.series.at(-1)!;
          const alone = await byDuckdb(textOf("duckdb", subjectOf(family, "statistics", [one]), format));
          expect(alone).toHaveLength(1);
          expect(rowsOf(alone, one)).toHaveLength(1);
        }
      },
    );

    it.each(["parquet", "jsonl", "json"] as const)(
      "DuckDB on %s: the course of values, rates and quantiles",
      async (format) => {
        for (const family of families) {
          const rows = await byDuckdb(textOf("duckdb", subjectOf(family, "course"), format));
          if (format === "json") checkSlices(rows, family, fromStart);
          else if (family.type === "histogram") checkSlices(rows, family, (row) => Number(row["slice"]));
          else checkCourse(rows, family);
        }
      },
    );

    const checkCourse = (rows: readonly Row[], family: FamilyResult): void => {
      for (const result of family.series) {
        if (restarted(result)) continue;
        const own = rowsOf(rows, result);
        if (result.kind === "gauge") {
          const values = own.map((row) => Number(row["value"]));
          close(
            { avg: values.reduce((sum, value) => sum + value, 0) / values.length, max: Math.max(...values) },
            { avg: result.stats.avg ?? NaN, max: result.stats.max ?? NaN },
            family.name,
          );
        } else if (result.kind === "counter") {
          const { rate } = result.stats;
          const rates = own.map((row) => Number(row["rate"]));
          expect(Math.min(...rates) - 1e-9, family.name).toBeLessThanOrEqual(rate);
          expect(Math.max(...rates) + 1e-9, family.name).toBeGreaterThanOrEqual(rate);
        }
      }
    };

    it.each(["jsonl", "json"] as const)("jq on %s, as a command of the shell", async (format) => {
      // The WebAssembly takes a second each time.
      const asked = jqInstalled
        ? families
        : families.filter((family, i) => families.findIndex((one) => one.type === family.type) === i);
      for (const family of asked) {
        checkStatistics(await byJq(textOf("jq", subjectOf(family, "statistics"), format)), family, format === "json");
        const rows = await byJq(textOf("jq", subjectOf(family, "course"), format));
        if (format === "json") checkSlices(rows, family, fromStart);
        else if (family.type === "histogram") checkSlices(rows, family, (row) => Number(row["slice"]));
        else checkCourse(rows, family);
        const one = family.series.at(-1)!;
        expect(await byJq(textOf("jq", subjectOf(family, "statistics", [one]), format))).toHaveLength(1);
      }
    });

    it("pandas on every format", async ({ skip }) => {
      if (python === "none") skip("skipped: no python3");
      const queries = families.flatMap((family) =>
        FORMATS.flatMap((format) =>
          (["statistics", "course"] as const).map((shows) => ({
            family,
            format,
            shows,
            text: textOf("pandas", subjectOf(family, shows), format),
          })),
        ),
      );
      const scripts = join(dirname(folder), "scripts.json");
      await writeFile(scripts, JSON.stringify(queries.map(({ text }) => text)));
      const driver = python === "pandas" ? RUN_SCRIPTS : COMPILE_SCRIPTS;
      const { stdout } = await run("python3", ["-c", driver, scripts], { maxBuffer: 2 ** 28 });
      if (python === "plain") {
        expect(stdout.trim()).toBe(`compiled ${queries.length}`);
        skip("compiled only: this python3 has no pandas with duckdb");
      }
      const results = JSON.parse(stdout) as Row[][];
      for (const [i, { family, format, shows }] of queries.entries()) {
        const rows = results[i]!.map((row) => ({ ...row, labels: row }));
        // The CSV has no slices, and four decimals.
        if (format === "csv") checkStatistics(rows, family, true, 1e-4);
        else if (shows === "statistics") checkStatistics(rows, family, format === "json");
        else if (format === "json") checkSlices(rows, family, fromStart);
        else if (family.type === "histogram") checkSlices(rows, family, (row) => Number(row["slice"]));
        else checkCourse(rows, family);
      }
    });
  });
});

const COMPILE_SCRIPTS = `
import json, sys
scripts = json.load(open(sys.argv[1]))
for script in scripts:
    compile(script, "query", "exec")
print("compiled", len(scripts))
`;
const RUN_SCRIPTS = `
import contextlib, io, json, sys
results = []
for script in json.load(open(sys.argv[1])):
    scope = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(script, "query", "exec"), scope)
    result = scope["result"]
    if any(result.index.names):
        result = result.reset_index()
    result.columns = [str(name) for name in result.columns]
    results.append([{key: value if isinstance(value, str) else None if value != value else str(value) for key, value in row.items()} for row in result.to_dict("records")])
print(json.dumps(results))
`;
