import { UserError } from "../core/text/errors.js";
import type { RunStatistics } from "../core/model/index.js";
import { findPhase, runPhases } from "../core/window/index.js";
import { runEntries, shownStatistics, StoredRun, type ResultEntry } from "../core/query/index.js";
import { complete, currentWindow, recordedWindow, type RunWindow } from "../core/stats/index.js";
import { fileMemory } from "../engine/worker-setup.js";
import { USUAL_MEMORY_MIB } from "../files/memory.js";
import { statsOf, type Reach } from "../files/opener.js";
import { openArtifact, selectPhase, type OpenedArtifact, type OpenedSamples } from "../files/open/index.js";
import { quickestFile } from "../files/open/siblings.js";
import type { FoundRun, FoundFile } from "../files/library/scan.js";
import type { RunFolder } from "./folder.js";

type OpenedRun = Exclude<OpenedArtifact, { kind: "snapshot" }>;

/** Statistics as one file of a run tells them: those that the command line shows of the same file. */
export interface OpenedWithStatistics extends ComparedView {
  readonly statistics: RunStatistics;
  readonly window: RunWindow;
  /** What is to be known of the file, the worst first. */
  readonly notices: readonly string[];
  /** Whether the file does not tell from when its rates run. */
  readonly isReferenceAssumed: boolean;
  /** The series with their results, computed when asked for. */
  readonly entries: () => Iterable<ResultEntry>;
}

/** A run with its samples, for windows and slices of one's own. */
export interface OpenedWithSamples extends ComparedView {
  readonly opened: OpenedSamples;
  /** Profiling. */
  readonly window: RunWindow;
}

/** What a comparison reads of a run. */
export interface ComparedView {
  readonly id: string;
  /** Below the folder. */
  readonly file: string;
  readonly opened: OpenedRun;
}

/** What a worker thread may hold, or else what a command line that reads files may. */
export const READING_MEMORY = { memoryMiB: USUAL_MEMORY_MIB, ...fileMemory() };
/** Names how long reading a file may take in this thread, seconds; not set: as long as it takes. */
export const READING_SECONDS_VARIABLE = "SERVER_METRICS_READING_SECONDS";
/** Opened files that are kept. */
const KEPT = 4;

/** Opens runs below a folder, the last few of them once. */
export class RunReader {
  private readonly opened = new Map<string, Promise<OpenedRun>>();

  private readonly reach: Reach;

  constructor(readonly folder: RunFolder) {
    this.reach = { within: folder.path };
  }

  /**
   * The statistics of a run, or of one phase of it: of its JSON, or else of its samples.
   * @throws UserError when there is no such run or phase, or it cannot be read
   */
  async statistics(id: string, phase?: string): Promise<OpenedWithStatistics> {
    const run = await this.folder.find(id);
    const quickest = quickestOf(run);
    const samples = quickest.format === "json" ? undefined : await this.sampled(run, (path) => this.open(path));
    const file = samples?.file ?? quickest;
    const opened = samples?.opened ?? (await this.open(file.path));
    const base = {
      id: run.id,
      file: this.folder.idOf(file.path),
      opened,
      notices: opened.notices.flatMap(({ severity, reason }) => (severity === "info" ? [] : [reason])),
      isReferenceAssumed: opened.kind === "samples" && opened.run.fileStatistics?.assumedReference !== undefined,
    };
    if (opened.kind === "statistics") {
      const chosen = phase === undefined ? opened : selectPhase(opened, phase);
      const { statistics } = chosen.kind === "statistics" ? chosen : opened;
      return {
        ...base,
        statistics,
        window: { start: statistics.startNs, end: statistics.endNs, kind: "recorded" },
        entries: () => runEntries(new StoredRun(statistics)),
      };
    }
    const recorded = samples?.window ?? currentWindow(opened.run);
    const window = phase === undefined ? recorded : phaseWindow(opened, phase);
    const { run: read } = opened;
    const statistics = complete(shownStatistics(read, window));
    return { ...base, statistics, window, entries: () => runEntries(read, window) };
  }

  /** @throws UserError when the run has statistics only, or cannot be read */
  async samples(id: string, phase?: string): Promise<OpenedWithSamples> {
    const run = await this.folder.find(id);
    const found = await this.sampled(run, (path) => this.open(path));
    if (found === undefined)
      throw new UserError(
        `The run ${id} has statistics only, no samples: windows and slices of another length cannot be computed.`,
        "Ask for the whole run, without from_seconds, to_seconds and slice_seconds.",
      );
    const { file, opened } = found;
    const window = phase === undefined ? found.window : phaseWindow(opened, phase);
    return { id: run.id, file: this.folder.idOf(file.path), opened, window };
  }

  /** The same text for the same runs until a file of theirs changes. @throws as `statistics` */
  async stateOf(ids: readonly string[]): Promise<string> {
    const found = await Promise.all(ids.map((id) => this.folder.find(id)));
    return JSON.stringify(found.map(({ id, files, modified }) => [id, files.length, modified]));
  }

  /**
   * For a comparison: the samples that windows and slices are of, else the statistics. The run may be changed.
   * @throws as `statistics`
   */
  async forComparison(id: string, phase?: string): Promise<ComparedView> {
    const run = await this.folder.find(id);
    // Each run of a comparison is held whole: what was kept of other files would be in its way.
    this.opened.clear();
    const fresh = async (path: string) => requireRun(path, await readArtifact(path, this.reach));
    const found = await this.sampled(run, fresh);
    const file = found?.file ?? quickestOf(run);
    const opened = found?.opened ?? (await fresh(file.path));
    if (found !== undefined && !found.opened.run.startIsSet) {
      found.opened.run.setProfilingStart(found.window.start);
      found.opened.run.setProfilingEnd(found.window.end);
    }
    return {
      id: run.id,
      file: this.folder.idOf(file.path),
      opened: phase === undefined ? opened : requireRun(file.path, selectPhase(opened, phase)),
    };
  }

  /**
   * The one file that a run's samples are read from, and the window of profiling: JSONL, else Parquet. AIPerf's JSONL
   * does not tell where the warm-up ends. The JSON beside it does; without that, Parquet comes first.
   */
  private async sampled(
    run: FoundRun,
    open: (path: string) => Promise<OpenedRun>,
  ): Promise<{ readonly file: FoundFile; readonly opened: OpenedSamples; readonly window: RunWindow } | undefined> {
    const json = run.files.find(({ format }) => format === "json");
    const files = sortedBy(run, ["jsonl", "parquet"]).filter(({ format }) => format !== "json" && format !== "csv");
    for (const [place, file] of files.entries()) {
      const opened = await open(file.path);
      if (opened.kind !== "samples") continue;
      if (opened.run.startIsSet) return { file, opened, window: recordedWindow(opened.run) };
      const stored = json === undefined ? undefined : await this.open(json.path);
      if (stored?.kind === "statistics") {
        const { startNs: start, endNs: end } = stored.statistics;
        return { file, opened, window: { start, end, kind: "recorded" } };
      }
      if (place === files.length - 1) return { file, opened, window: recordedWindow(opened.run) };
    }
    return undefined;
  }

  private async open(path: string): Promise<OpenedRun> {
    const { mtimeMs, size } = await forAgents(() => statsOf(path, this.reach));
    const key = `${path}\n${mtimeMs}\n${size}`;
    const known = this.opened.get(key);
    const opening = known ?? readArtifact(path, this.reach).then((opened) => requireRun(path, opened));
    // The last used are the last to go.
    this.opened.delete(key);
    this.opened.set(key, opening);
    for (const oldest of [...this.opened.keys()].slice(0, -KEPT)) this.opened.delete(oldest);
    return opening.catch((error: unknown) => {
      this.opened.delete(key);
      throw error;
    });
  }
}

async function readArtifact(path: string, reach: Reach): Promise<OpenedArtifact> {
  const seconds = Number(process.env[READING_SECONDS_VARIABLE] ?? Infinity);
  return forAgents(() =>
    inTime(path, seconds, (signal) => openArtifact(path, { ...READING_MEMORY, ...reach, signal })),
  );
}

/** @throws UserError for a file that cannot be read, which says where the readable ones are listed */
async function forAgents<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const remedy = "Call list_runs for the ids of other runs.";
    throw new UserError(error.message, error.remedy === undefined ? remedy : `${error.remedy} ${remedy}`, {
      code: error.code,
    });
  }
}

/** Gives up what takes longer than a client may wait. @throws UserError; what `read` throws */
async function inTime<T>(path: string, seconds: number, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer =
    seconds === Infinity
      ? undefined
      : setTimeout(() => {
          controller.abort(
            new UserError(
              `${path} takes longer than ${seconds} s to read, so it is not read.`,
              "Its run as Parquet or JSON is quicker to read (server-metrics export). For a client that waits longer, start it as server-metrics mcp --time-limit.",
              { code: "slow" },
            ),
          );
        }, seconds * 1000);
  return read(controller.signal).finally(() => clearTimeout(timer));
}

function sortedBy(run: FoundRun, formats: readonly string[]) {
  const rank = (format: string) => (formats.includes(format) ? formats.indexOf(format) : formats.length);
  return run.files.toSorted((a, b) => rank(a.format) - rank(b.format));
}

/** The quickest to read. @throws UserError when there is none */
function quickestOf(run: FoundRun): FoundFile {
  const file = quickestFile(run.files);
  if (file === undefined)
    throw new UserError(`The run ${run.id} has no file.`, "Call list_runs for the ids of the runs.");
  return file;
}

function requireRun(path: string, opened: OpenedArtifact): OpenedRun {
  if (opened.kind === "snapshot")
    throw new UserError(`${path} is a single scrape: it has no statistics.`, "Call list_runs for runs that have.");
  return opened;
}

function phaseWindow({ run, path }: OpenedSamples, name: string): RunWindow {
  const phases = runPhases(run);
  const phase = findPhase(phases, name);
  if (phase === undefined)
    throw new UserError(`${path} has no phase ${name}.`, `It has ${phases.map((one) => one.name).join(", ")}.`);
  return phase.window;
}
