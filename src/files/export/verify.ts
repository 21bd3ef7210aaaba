import { JsonlReader, JsonMembers, NO_JSONL_LIMITS, type ArtifactFormat } from "../../core/artifacts/index.js";
import { messageOf, fieldsOf, isList, UserError, parseJson } from "../../core/text/index.js";
import type { Run } from "../../core/store/index.js";
import { bytesOf } from "../bytes.js";
import { inspectParquet } from "../parquet/file.js";

/** What a run's files must hold. */
export interface Expectation {
  readonly run: Run;
  /** Those in JSON, rows of CSV and of Parquet: as the writer counted them. */
  readonly series: number;
  readonly csvRows: number;
  readonly parquetRows: number;
  /** When the export began. */
  readonly scrapes: number;
}

/**
 * Reads a written file back and compares what it holds with what it should.
 * @throws UserError (code "export-failed") when they differ, or the file cannot be read
 */
export async function verifyFile(format: ArtifactFormat, path: string, expected: Expectation): Promise<void> {
  const problem = await CHECKS[format](path, expected).catch((error: unknown) => messageOf(error));
  if (problem === undefined) return;
  throw new UserError(
    `the written ${format} file cannot be read back: ${problem}.`,
    "Export again, to another disk if it happens twice.",
    { code: "export-failed" },
  );
}

/** Parsed at once: a few milliseconds, in which a capture waits. */
const JSON_PART_BYTES = 1 << 19;

type Check = (path: string, expected: Expectation) => Promise<string | undefined>;

const counted = (found: number, expected: number, what: string) =>
  found === expected ? undefined : `it holds ${found} of ${expected} ${what}`;

const CHECKS: Record<ArtifactFormat, Check> = {
  // A file may be longer than any string can be: it is read in pieces.
  json: async (path, { series }) => {
    let found = 0;
    const members = new JsonMembers(({ parent, text }) => {
      const { series: list } = fieldsOf(parent === "document" ? undefined : parseJson(text));
      if (isList(list)) found += list.length;
    }, JSON_PART_BYTES);
    for await (const chunk of bytesOf(path, {})) members.push(chunk);
    members.end();
    return counted(found, series, "series");
  },
  csv: async (path, { csvRows }) => counted(await rowsOfCsv(path), csvRows, "rows"),
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

/** Line ends outside of quotes: those within belong to a cell. */
async function rowsOfCsv(path: string): Promise<number> {
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
