import { stat } from "node:fs/promises";
import { FASTEST_FIRST } from "../core/artifacts/index.js";
import { familyUnit, shownFamily } from "../core/catalog/index.js";
import type { Family, RunStatistics } from "../core/model/index.js";
import { findPhase, runPhases } from "../core/phases/index.js";
import { runEntries, storedEntries, StoredRun, type ResultEntry } from "../core/query/index.js";
import { complete, currentWindow, recordedWindow, runStatistics, type RunWindow } from "../core/stats/index.js";
import { fileMemory } from "../engine/worker-memory.js";
import { USUAL_MEMORY_MIB } from "../files/memory.js";
import { openArtifact, selectPhase, type OpenedArtifact, type OpenedSamples } from "../files/open/index.js";
import { ToolError } from "./errors.js";
import type { FoundRun, RunFolder } from "./folder.js";

type OpenedRun = Exclude<OpenedArtifact, { kind: "snapshot" }>;

/** Statistics as one file of a run tells them: those that the command line shows of the same file. */
export interface StatisticsView {
  readonly id: string;
  /** Below the folder. */
  readonly file: string;
  readonly opened: OpenedRun;
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
export interface SamplesView {
  readonly id: string;
  readonly file: string;
  readonly opened: OpenedSamples;
  /** Profiling. */
  readonly window: RunWindow;
}

/** What a worker thread may hold, or else what a command line that reads files may. */
export const READING_MEMORY = { memoryMiB: USUAL_MEMORY_MIB, ...fileMemory() };
/** Opened files that are kept. */
const KEPT = 4;

/** Opens runs below a folder, the last few of them once. */
export class RunReader {
  private readonly opened = new Map<string, Promise<OpenedRun>>();

  constructor(readonly folder: RunFolder) {}

  /**
   * The statistics of a run, or of one phase of it.
   * @throws ToolError when there is no such run or phase; FileError when it cannot be read
   */
  async statistics(id: string, phase?: string): Promise<StatisticsView> {
    const run = await this.folder.find(id);
    const [file] = sortedBy(run, FASTEST_FIRST);
    if (file === undefined)
      throw new ToolError(`The run ${id} has no file.`, "Call list_runs for the ids of the runs.");
    const opened = await this.open(file.path);
    const base = {
      id: run.id,
      file: this.folder.idOf(file.path),
      opened,
      notices: opened.notices.flatMap(({ severity, reason }) => (severity === "info" ? [] : [reason])),
      isReferenceAssumed: opened.kind === "samples" && opened.run.carried?.assumedReference !== undefined,
    };
    if (opened.kind === "statistics") {
      const chosen = phase === undefined ? opened : selectPhase(opened, phase);
      const { statistics } = chosen.kind === "statistics" ? chosen : opened;
      return {
        ...base,
        statistics,
        window: { start: statistics.startNs, end: statistics.endNs, kind: "recorded" },
        entries: () => storedEntries(new StoredRun(statistics)),
      };
    }
    const window = phase === undefined ? currentWindow(opened.run) : phaseWindow(opened, phase);
    const { run: samples } = opened;
    const shown = (family: Family) => shownFamily(family, samples);
    const statistics = complete(runStatistics(samples, { window, unitOf: familyUnit, shown }));
    return { ...base, statistics, window, entries: () => runEntries(samples, window) };
  }

  /** @throws ToolError when the run has statistics only; FileError when it cannot be read */
  async samples(id: string, phase?: string): Promise<SamplesView> {
    const run = await this.folder.find(id);
    const of = (format: string) => run.files.find((file) => file.format === format);
    const json = of("json");
    for (const file of [of("jsonl"), of("parquet"), ...run.files.filter(({ format }) => format === "")]) {
      if (file === undefined) continue;
      const opened = await this.open(file.path);
      if (opened.kind !== "samples") continue;
      const { startIsSet } = opened.run;
      // A file of other tools does not say where the warm-up ends; the run's statistics do.
      const stored = !startIsSet && json !== undefined ? await this.open(json.path) : undefined;
      const window =
        phase !== undefined
          ? phaseWindow(opened, phase)
          : stored?.kind === "statistics"
            ? { start: stored.statistics.startNs, end: stored.statistics.endNs, kind: "recorded" as const }
            : recordedWindow(opened.run);
      return { id: run.id, file: this.folder.idOf(file.path), opened, window };
    }
    throw new ToolError(
      `The run ${id} has statistics only, no samples: windows and slices of another length cannot be computed.`,
      "Ask for the whole run, without from_seconds, to_seconds and slice_seconds.",
    );
  }

  /**
   * For a comparison: the file that tells most of those whose window is the run's. It may be changed.
   * @throws as `statistics`
   */
  async forComparison(id: string, phase?: string): Promise<{ readonly id: string; readonly opened: OpenedRun }> {
    const run = await this.folder.find(id);
    for (const file of sortedBy(run, ["jsonl", "parquet", "json", "csv"])) {
      const opened = whole(file.path, await openArtifact(file.path, READING_MEMORY));
      const others = run.files.some(({ format }) => format === "parquet" || format === "json");
      if (file.format === "jsonl" && opened.kind === "samples" && !opened.run.startIsSet && others) continue;
      return { id: run.id, opened: phase === undefined ? opened : whole(file.path, selectPhase(opened, phase)) };
    }
    throw new ToolError(`The run ${id} has no file.`, "Call list_runs for the ids of the runs.");
  }

  private async open(path: string): Promise<OpenedRun> {
    const { mtimeMs, size } = await stat(path);
    const key = `${path}\n${mtimeMs}\n${size}`;
    const known = this.opened.get(key);
    const opening = known ?? openArtifact(path, READING_MEMORY).then((opened) => whole(path, opened));
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

function sortedBy(run: FoundRun, formats: readonly string[]) {
  const rank = (format: string) => (formats.includes(format) ? formats.indexOf(format) : formats.length);
  return run.files.toSorted((a, b) => rank(a.format) - rank(b.format));
}

function whole(path: string, opened: OpenedArtifact): OpenedRun {
  if (opened.kind === "snapshot")
    throw new ToolError(`${path} is a single scrape: it has no statistics.`, "Call list_runs for runs that have.");
  return opened;
}

function phaseWindow({ run, path }: OpenedSamples, name: string): RunWindow {
  const phases = runPhases(run);
  const phase = findPhase(phases, name);
  if (phase === undefined)
    throw new ToolError(`${path} has no phase ${name}.`, `It has ${phases.map((one) => one.name).join(", ")}.`);
  return phase.window;
}
