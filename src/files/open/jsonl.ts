import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { JsonlReader, RunAssembler, type LineProblem } from "../../core/artifacts/index.js";
import { epochNs, type Problem, type RunMetadata } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { FileError } from "../failure.js";
import { bytesOf } from "../bytes.js";
import type { OpenOptions } from "./types.js";

export interface OpenedRun {
  readonly run: Run;
  readonly notices: readonly Problem[];
  readonly benchmarkId?: string;
}

/** Lines that are told by number. */
const LISTED = 10;
/** Scrapes that are enough for a first view. */
const FIRST_SCRAPES = 200;

/**
 * Reads JSONL (ours, a journal, AIPerf's, the earlier flat one), plain or gzip.
 * @throws FileError when it cannot be read or holds no scrape; the signal's reason
 */
export async function openJsonl(path: string, options: OpenOptions): Promise<OpenedRun> {
  const assembler = new RunAssembler();
  const skipped: LineProblem[] = [];
  let skippedCount = 0;
  let torn: LineProblem | undefined;
  const unknown: string[] = [];
  const reader = new JsonlReader({
    onScrape: (scrape) => assembler.scrape(scrape),
    onEvent: (event) => assembler.event(event),
    onPhase: (phase, time) => assembler.phase(phase, time),
    onUnknownField: (field) => unknown.push(field),
    onProblem: (problem) => {
      if (problem.torn) torn = problem;
      else if (++skippedCount <= LISTED) skipped.push(problem);
    },
  });
  const fallback: RunMetadata = { benchmarkId: randomUUID(), endpointsConfigured: [], sliceDurationSeconds: 5, inputConfig: {} };
  const tornMember = await readAll(path, reader, options, () => {
    if (assembler.store.scrapes < FIRST_SCRAPES) return false;
    options.onFirstSamples?.(assembler.preview(fallback));
    return true;
  });
  const { store } = assembler;
  if (store.scrapes === 0) throw nothingIn(path, skipped[0] ?? torn);
  const run = assembler.assemble(fallback, reader.guessedCounters);
  const notices: Problem[] = [];
  if (torn !== undefined) notices.push({ severity: "warning", reason: `Line ${torn.line}, the last one, is cut off: everything before it is shown.` });
  else if (tornMember) notices.push({ severity: "warning", reason: `The file is cut off after line ${reader.lines}: everything before it is shown.` });
  if (skippedCount > 0) notices.push(skippedNotice(skippedCount, skipped));
  if (unknown.length > 0) notices.push({ severity: "info", reason: `Fields that are not known were left out: ${unknown.slice(0, LISTED).join(", ")}.` });
  if (!assembler.hasMetadata) notices.push(...withoutMetadata(assembler, reader.guessedCounters.size));
  else if (run.profilingEnd === undefined) {
    notices.push({ severity: "info", reason: "The file does not tell the end of profiling: its last scrape is taken." });
  }
  if (run.profilingEnd === undefined) run.setProfilingEnd(epochNs(store.origin + BigInt(run.newest)));
  return { run, notices, ...(assembler.hasMetadata ? { benchmarkId: run.metadata.benchmarkId } : {}) };
}

async function readAll(path: string, reader: JsonlReader, options: OpenOptions, first: () => boolean): Promise<boolean> {
  const chunks = bytesOf(path, options);
  let told = false;
  for (;;) {
    const chunk = await chunks.next();
    if (chunk.done === true) {
      reader.end();
      return chunk.value.torn;
    }
    try {
      reader.push(chunk.value);
    } catch (error) {
      await chunks.return({ torn: false });
      throw new FileError(`${path} cannot be read as JSONL: ${error instanceof Error ? error.message : String(error)}.`);
    }
    told ||= first();
    // Files that lie in memory are read without a pause otherwise.
    await setImmediate();
  }
}

function withoutMetadata(assembler: RunAssembler, guessed: number): Problem[] {
  return [
    { severity: "info", reason: "The file has no metadata: types are taken from the catalogue and the values, descriptions are missing, and so are *_info families." },
    ...(guessed > 0 ? [{ severity: "info" as const, reason: `${guessed} ${guessed === 1 ? "family is" : "families are"} told by the name's suffix: a counter, unless it falls.` }] : []),
    assembler.hasWindow
      ? { severity: "info", reason: "The window is taken from the phase of each line." }
      : { severity: "info", reason: "The file does not tell where the warm-up ends: the window is the whole file. Move its start to leave the warm-up out." },
    { severity: "info", reason: "Scrapes whose body was that of the one before may be missing: another tool leaves them out." },
  ];
}

export function skippedNotice(count: number, problems: readonly LineProblem[]): Problem {
  const listed = problems.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
  const more = count > problems.length ? `; and ${count - problems.length} more` : "";
  return { severity: "warning", reason: `${count} ${count === 1 ? "line" : "lines"} could not be read and ${count === 1 ? "was" : "were"} skipped: ${listed}${more}.` };
}

function nothingIn(path: string, problem: LineProblem | undefined): FileError {
  if (problem === undefined) return new FileError(`${path} holds no scrape.`);
  return new FileError(`${path} holds no scrape: a JSON object with endpoint_url, timestamp_ns and metrics was expected on each line, but line ${problem.line} cannot be read: ${problem.message}.`);
}
