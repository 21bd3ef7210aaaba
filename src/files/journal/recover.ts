import { UserError } from "../../core/text/user-error.js";
import { JsonlReader, NO_JSONL_LIMITS, RunAssembler, type LineProblem } from "../../core/artifacts/index.js";
import type { FileFormat, Problem, WrittenTo } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { bytesOf, eachChunk, type ReadEnd } from "../bytes.js";
import { detectFileFormat } from "../open/detect.js";
import { ownMetadata } from "../own-metadata.js";
import { measureLoad } from "../../core/window/index.js";
import { gapProblem } from "./gaps.js";
import { noun } from "../../core/text/plural.js";

/** Lines that cannot be read, and none before them that can: the rest is not looked at. */
const MAX_BROKEN = 1_000_000;

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
export async function recoverJournal(path: string, options: Options = {}): Promise<Recovered> {
  try {
    return await recovered(path, options);
  } catch (error) {
    throw error instanceof NoScrape ? await nothingIn(path, error.first) : error;
  }
}

interface Options {
  readonly signal?: AbortSignal;
}

/** There is none before so many lines that cannot be read, or at all. */
class NoScrape extends Error {
  constructor(readonly first: LineProblem | undefined) {
    super();
  }
}

/** @throws as `recoverJournal`, but NoScrape where the file contains none */
async function recovered(path: string, { signal }: Options): Promise<Recovered> {
  const assembler = new RunAssembler();
  // Of lines that cannot be read the first and their number: a file may have nothing else.
  let broken: LineProblem | undefined;
  let brokenLines = 0;
  let torn = false;
  const reader = new JsonlReader(
    {
      onScrape: (scrape, phase) => assembler.scrape(scrape, phase),
      onEvent: (event) => assembler.event(event),
      onProblem: (problem) => {
        broken ??= problem;
        if (problem.torn) torn = true;
        else brokenLines++;
        if (brokenLines >= MAX_BROKEN && assembler.store.scrapes === 0) throw new NoScrape(broken);
      },
    },
    NO_JSONL_LIMITS,
  );
  const end = await readInto(path, reader, signal);
  if (assembler.store.scrapes === 0) throw new NoScrape(broken);
  const run = assembler.assemble(ownMetadata(assembler.store), reader);
  const problems: Problem[] = end.gaps.map((gap) => gapProblem(path, gap));
  if (torn || end.torn)
    problems.push({
      severity: "warning",
      reason: `${path} is cut off at its end: what was being written when the capture ended is missing.`,
    });
  if (brokenLines > 0)
    problems.push({
      severity: "warning",
      reason: `${brokenLines} ${noun(brokenLines, "line")} of ${path} could not be read and ${noun(brokenLines, "was", "were")} skipped, the first of them line ${broken?.line ?? 0}: ${broken?.message ?? ""}.`,
    });
  if (run.profilingEnd === undefined) {
    run.endWithLastScrape();
    problems.push({
      severity: "info",
      reason: "The capture was cut off: profiling is assumed to end with its last scrape.",
    });
    if (!run.startIsSet) {
      run.setProfilingStart(run.profilingStart);
      problems.push({
        severity: "warning",
        reason:
          "The capture was cut off during its warm-up, so no warm-up is excluded: the statistics cover all of it.",
      });
    }
  }
  const { window, warmup } = run.metadata.inputConfig;
  if (run.load === undefined && window !== "all")
    measureLoad(run, typeof warmup === "number" ? { warmupSeconds: warmup } : {});
  const { written } = assembler;
  if (written === undefined) return { run, problems };
  // What is missing before them moves the scrapes up.
  return { run, problems, written: end.gaps.length === 0 ? written : { ...written, scrapes: 0 } };
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

async function nothingIn(path: string, first: LineProblem | undefined): Promise<UserError> {
  if (first === undefined) return new UserError(`${path} contains no scrape: there is nothing to recover.`);
  const other = await detectFileFormat(path).then(
    ({ format }) => OTHER[format],
    () => undefined,
  );
  if (other !== undefined)
    return new UserError(
      `${path} contains no scrape: it is not a journal but ${other}.`,
      "It needs no recovery: open it as it is (server-metrics show).",
    );
  return new UserError(
    `${path} contains no scrape: it is not a journal: line ${first.line} cannot be read: ${first.message}.`,
    "A journal is named journal-….jsonl.gz and lies in the folder that its capture was to write to.",
  );
}

/** Feeds the file to the reader. @returns what could not be read */
async function readInto(path: string, reader: JsonlReader, signal: AbortSignal | undefined): Promise<ReadEnd> {
  const end = await eachChunk(bytesOf(path, signal === undefined ? {} : { signal }), (chunk) => reader.push(chunk));
  reader.end();
  return end;
}
