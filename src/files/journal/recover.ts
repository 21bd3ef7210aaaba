import { UserError } from "../../core/text/errors.js";
import { NO_JSONL_LIMITS } from "../../core/artifacts/index.js";
import { type FileFormat, type Problem, type WrittenTo, warningOf } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { measureLoad } from "../../core/window/index.js";
import { detectFileFormat } from "../open/detect.js";
import { GrowingJsonl, NO_SCRAPE } from "../open/jsonl.js";

export interface Recovered {
  readonly run: Run;
  /** What was lost or could not be read. */
  readonly problems: readonly Problem[];
  /** How much of it a store has got for certain, where it was written to one. */
  readonly written?: WrittenTo;
}

/**
 * Rebuilds the run of a journal (or of any JSONL of ours, compressed or not) from all that is sound of it.
 * A run that was cut off ends with its last scrape.
 * @throws UserError when the file cannot be read or contains no scrape; the signal's reason
 */
export async function recoverJournal(
  path: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Recovered> {
  const journal = await GrowingJsonl.open(path, options, NO_JSONL_LIMITS).catch(async (error: unknown) => {
    throw error instanceof UserError && error.code === NO_SCRAPE ? await notJournal(path, error) : error;
  });
  const { run, gaps, written } = journal;
  const problems = [...journal.notices];
  if (run.profilingEnd === undefined) {
    run.endWithLastScrape();
    if (!run.startIsSet) {
      run.setProfilingStart(run.profilingStart);
      problems.push(
        warningOf(
          "The capture was cut off during its warm-up, so no warm-up is excluded: the statistics cover all of it.",
        ),
      );
    }
  }
  const { window, warmup } = run.metadata.inputConfig;
  if (run.load === undefined && window !== "all")
    measureLoad(run, typeof warmup === "number" ? { warmupSeconds: warmup } : {});
  if (written === undefined) return { run, problems };
  // What is missing before them moves the scrapes up.
  return { run, problems, written: gaps.length === 0 ? written : { ...written, scrapes: 0 } };
}

/** What else it is: whoever names a file that is whole wants to see it. */
const OTHER: Readonly<Partial<Record<FileFormat, string>>> = {
  json: "a JSON of statistics",
  csv: "a CSV of statistics",
  parquet: "a Parquet file",
  "scrape-log": "a scrape log",
  snapshot: "a snapshot",
  "metric-dump": "a dump of metrics",
  client: "a result of a benchmark client",
  "earlier-json": "a JSON of statistics",
  "earlier-csv": "a CSV of statistics",
};

async function notJournal(path: string, { message }: UserError): Promise<UserError> {
  const other = await detectFileFormat(path).then(
    ({ format }) => OTHER[format],
    () => undefined,
  );
  return other === undefined
    ? new UserError(
        message,
        "A journal is named journal-….jsonl.gz and lies in the folder that its capture was to write to.",
      )
    : new UserError(
        `${path} contains no scrape: it is not a journal but ${other}.`,
        "It needs no recovery: open it as it is (server-metrics show).",
      );
}
