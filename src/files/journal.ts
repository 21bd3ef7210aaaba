import { open, readdir, rm, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { JsonlReader, JsonlWriter, RunAssembler, type LineProblem, type RunEvent } from "../core/artifacts/index.js";
import type { EpochNs, Phase, Problem, RunMetadata, Scrape } from "../core/model/index.js";
import type { Run } from "../core/store/index.js";
import { bytesOf } from "./bytes.js";
import { describeFileError, FileError } from "./failure.js";

const compress = promisify(gzip);
const FLUSH_MS = 1000;
const FLUSH_SCRAPES = 100;

export interface JournalOptions {
  readonly metadata: RunMetadata;
  readonly time: EpochNs;
  /** Once this many bytes are on disk, scrapes are no longer journalled; the capture goes on. */
  readonly limitBytes: number;
  /** Told once when the limit is reached, and once when the disk refuses. */
  readonly onNotice: (problem: Problem) => void;
  /** Scrapes that are flushed together at the latest. */
  readonly batch?: number;
}

/**
 * The always-on record of a capture: JSONL in gzip members of their own, appended. A member is written whole at most a
 * second after its first line, so what a crash can lose is what a reader could not have seen yet, and a torn last
 * member leaves all before it readable.
 */
export class JournalWriter {
  private readonly writer = new JsonlWriter();
  private lines: string[] = [];
  private waitingScrapes = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private bytes = 0;
  private state: "open" | "full" | "broken" | "closed" = "open";

  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
    private readonly options: JournalOptions,
  ) {}

  /** Creates the file. @throws FileError, also when it exists */
  static async open(path: string, options: JournalOptions): Promise<JournalWriter> {
    const file = await open(path, "wx").catch((error: unknown) => {
      throw describeFileError(path, error, "write");
    });
    const journal = new JournalWriter(path, file, options);
    journal.event({ kind: "run_start", time: options.time, metadata: options.metadata });
    return journal;
  }

  /** Takes a scrape of a phase at once; it is on disk a second later. */
  scrape(scrape: Scrape, phase: Phase | undefined): void {
    if (this.state !== "open") return;
    this.add(this.writer.scrape(scrape, phase));
    if (++this.waitingScrapes >= (this.options.batch ?? FLUSH_SCRAPES)) void this.flush();
  }

  /** Events are kept even when the journal is full: they are what makes sense of the rest. */
  event(event: RunEvent): void {
    if (this.state === "closed" || this.state === "broken") return;
    this.add(this.writer.event(event));
  }

  /** Settles when everything taken so far is on disk (or the disk has refused it, which is said by a notice). */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.lines.length === 0) return this.writing;
    const text = `${this.lines.join("\n")}\n`;
    this.lines = [];
    this.waitingScrapes = 0;
    const member = compress(text, { level: 1 });
    this.writing = this.writing.then(async () => this.append(await member)).catch((error: unknown) => this.fail(error));
    return this.writing;
  }

  async close(): Promise<void> {
    if (this.state === "closed") return;
    await this.flush();
    // Some file systems refuse only now what they seemed to take.
    await this.file.close().catch((error: unknown) => this.fail(error));
    this.state = "closed";
  }

  /** Closes the journal and removes it: its run has been written elsewhere, or is not wanted. */
  async delete(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }

  private add(line: string): void {
    this.lines.push(line);
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  private async append(member: Uint8Array): Promise<void> {
    if (this.state === "broken") return;
    await this.file.appendFile(member);
    this.bytes += member.byteLength;
    if (this.state === "open" && this.bytes >= this.options.limitBytes) {
      this.state = "full";
      this.options.onNotice({
        severity: "warning",
        reason: `The journal has reached its limit of ${Math.round(this.options.limitBytes / 1024 ** 2)} MiB: the capture goes on, but what comes now could not be recovered after a crash.`,
        remedy: "Stop the capture to write its artifacts, or raise the journal limit for the next one.",
      });
    }
  }

  private fail(error: unknown): void {
    this.state = "broken";
    this.lines = [];
    const { message, remedy } = describeFileError(this.path, error, "write");
    this.options.onNotice({
      severity: "warning",
      reason: `The journal stopped: ${message} The capture goes on, but could not be recovered after a crash.`,
      remedy: remedy ?? "Stop the capture to write its artifacts.",
    });
  }
}

/** A journal left behind, as a list of them shows it. */
export interface JournalFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** The process that writes it, when that still runs. */
  readonly ownerPid?: number;
}

const JOURNAL_NAME = /^\.?[\w-]*journal[\w-]*?-(\d+)(?:-[\w-]+)?\.jsonl\.gz$/;

/** Names a journal after the process that writes it, so that a later start can tell one in use from one left behind. */
export function journalName(id: string): string {
  return `journal-${process.pid}-${id}.jsonl.gz`;
}

/** The journals of a folder, newest first; none when there is no such folder. */
export async function listJournals(directory: string): Promise<readonly JournalFile[]> {
  const names = await readdir(directory).catch(() => []);
  const files = await Promise.all(
    names.map(async (name): Promise<readonly JournalFile[]> => {
      const match = JOURNAL_NAME.exec(name);
      const path = join(directory, name);
      const info = match === null ? undefined : await stat(path).catch(() => undefined);
      if (match === null || info === undefined) return [];
      const pid = Number(match[1]);
      return [{ path, bytes: info.size, modifiedMs: info.mtimeMs, ...(isRunning(pid) ? { ownerPid: pid } : {}) }];
    }),
  );
  return files.flat().sort((a, b) => b.modifiedMs - a.modifiedMs);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signalled, but it is there.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

export interface Recovered {
  readonly run: Run;
  /** What was lost or could not be read. */
  readonly problems: readonly Problem[];
}

/**
 * Rebuilds the run of a journal (or of any JSONL of ours, compressed or not), up to its torn end if it has one.
 * A run that was cut off ends with its last scrape.
 * @throws FileError when the file cannot be read or holds no scrape; the signal's reason
 */
export async function recoverJournal(
  path: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Recovered> {
  const assembler = new RunAssembler();
  const broken: LineProblem[] = [];
  const reader = new JsonlReader({
    onScrape: (scrape, phase) => assembler.scrape(scrape, phase),
    onEvent: (event) => assembler.event(event),
    onProblem: (problem) => broken.push(problem),
  });
  const tornMember = await readInto(path, reader, signal);
  if (assembler.store.scrapes === 0) throw nothingIn(path, broken);
  const run = assembler.assemble(
    { benchmarkId: crypto.randomUUID(), endpointsConfigured: [], sliceDurationSeconds: 5, inputConfig: {} },
    reader,
  );
  const torn = tornMember || broken.some((problem) => problem.torn);
  const lines = broken.filter((problem) => !problem.torn);
  const problems: Problem[] = [];
  if (torn)
    problems.push({
      severity: "warning",
      reason: `${path} has a torn end: what was being written when its capture was cut off is missing.`,
    });
  if (lines.length > 0) {
    const [first] = lines;
    problems.push({
      severity: "warning",
      reason: `${lines.length} lines of ${path} could not be read and were skipped, the first of them line ${first?.line ?? 0}: ${first?.message ?? ""}.`,
    });
  }
  if (run.profilingEnd === undefined) {
    run.endWithLastScrape();
    problems.push({
      severity: "info",
      reason: "The capture was cut off: profiling is taken to end with its last scrape.",
    });
    if (!run.startIsSet) {
      run.setProfilingStart(run.profilingStart);
      problems.push({
        severity: "warning",
        reason:
          "The capture was cut off during its warm-up, so no warm-up is taken off: the statistics cover all of it.",
      });
    }
  }
  return { run, problems };
}

function nothingIn(path: string, broken: readonly LineProblem[]): FileError {
  const [first] = broken;
  const why =
    first === undefined
      ? "there is nothing to recover"
      : `it is no journal: line ${first.line} cannot be read: ${first.message}`;
  return new FileError(`${path} holds no scrape: ${why}.`);
}

/** Feeds the file to the reader. @returns whether its last gzip member was torn */
async function readInto(path: string, reader: JsonlReader, signal: AbortSignal | undefined): Promise<boolean> {
  const bytes = bytesOf(path, signal === undefined ? {} : { signal });
  for (;;) {
    const next = await bytes.next();
    if (next.done === true) {
      reader.end();
      return next.value.torn;
    }
    reader.push(next.value);
  }
}
