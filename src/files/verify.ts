import { JsonlReader, JsonSeriesCounter, NO_JSONL_LIMITS, type ArtifactFormat } from "../core/artifacts/index.js";
import { isInfoFamily, type FamilyResult, type RunStatistics } from "../core/model/index.js";
import type { Run } from "../core/store/index.js";
import { bytesOf } from "./bytes.js";
import { FileError } from "./failure.js";
import { inspectParquet } from "./parquet/file.js";

/** What a run's files must hold. */
export interface Expectation {
  readonly run: Run;
  /** Asked for JSON and CSV only. */
  readonly statistics: () => Promise<RunStatistics>;
  /** As the writer counted them. */
  readonly parquetRows: number;
  /** When the export began. */
  readonly scrapes: number;
}

/**
 * Reads a written file back and compares what it holds with what it should.
 * @throws FileError (code "export-failed") when they differ, or the file cannot be read
 */
export async function verifyFile(format: ArtifactFormat, path: string, expected: Expectation): Promise<void> {
  const problem = await CHECKS[format](path, expected).catch((error: unknown) =>
    error instanceof Error ? error.message : String(error),
  );
  if (problem === undefined) return;
  throw new FileError(
    `the written ${format} file does not read back: ${problem}.`,
    "Export again, to another disk if it happens twice.",
    "export-failed",
  );
}

type Check = (path: string, expected: Expectation) => Promise<string | undefined>;

const counted = (found: number, expected: number, what: string) =>
  found === expected ? undefined : `it holds ${found} of ${expected} ${what}`;

const CHECKS: Record<ArtifactFormat, Check> = {
  // A file may be longer than any string can be: it is read in pieces.
  json: async (path, { statistics }) => {
    const counter = new JsonSeriesCounter();
    for await (const chunk of bytesOf(path, {})) counter.push(chunk);
    const { families, warmup } = await statistics();
    const all = [...families, ...(warmup?.families ?? [])];
    return counted(
      counter.end(),
      sum(all, (family) => family.series.length),
      "series",
    );
  },
  csv: async (path, { statistics }) => {
    const { families } = await statistics();
    const rows = await csvRows(path);
    const sections = new Set(families.map((family) => (isInfoSection(family) ? "info" : family.type))).size;
    const results = sum(families, (family) =>
      sum<{ labels: readonly unknown[] }>(family.series, ({ labels }) => (isInfoSection(family) ? labels.length : 1)),
    );
    // Of each section a header, and between two of them an empty row.
    return counted(rows, results + sections + Math.max(0, sections - 1), "rows");
  },
  jsonl: async (path, { scrapes: expected }) => {
    let scrapes = 0;
    let problem: string | undefined;
    const reader = new JsonlReader(
      {
        onScrape: () => scrapes++,
        onEvent: () => undefined,
        onProblem: ({ line, message }) => (problem ??= `line ${line}: ${message}`),
      },
      NO_JSONL_LIMITS,
    );
    for await (const chunk of bytesOf(path, {})) reader.push(chunk);
    reader.end();
    return problem ?? counted(scrapes, expected, "scrapes");
  },
  openmetrics: async (path) => {
    let end = "";
    for await (const chunk of bytesOf(path, {})) end = (end + Buffer.from(chunk.subarray(-6)).toString()).slice(-6);
    return end === "# EOF\n" ? undefined : "its end is missing";
  },
  parquet: async (path, { run, parquetRows }) => {
    const { metadata, rows } = await inspectParquet(path);
    return metadata.get("aiperf.benchmark_id") === run.metadata.benchmarkId
      ? counted(rows, parquetRows, "rows")
      : "its metadata is missing";
  },
};

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function isInfoSection({ name, type }: FamilyResult): boolean {
  return type === "gauge" && isInfoFamily(name);
}

/** Line ends outside of quotes: those within belong to a cell. */
async function csvRows(path: string): Promise<number> {
  let rows = 0;
  let quoted = false;
  let before = 0;
  for await (const chunk of bytesOf(path, {})) {
    for (const byte of chunk) {
      if (byte === 0x22) quoted = !quoted;
      else if (byte === 0x0a && before === 0x0d && !quoted) rows++;
      before = byte;
    }
  }
  return rows;
}
