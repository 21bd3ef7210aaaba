import { join, resolve } from "node:path";
import type { Objective } from "../core/catalog/index.js";
import { comparedRun, compareRuns, headlines, type ComparedRun } from "../core/compare/index.js";
import { runInsights } from "../core/insights/index.js";
import {
  JUDGED_COLUMNS,
  type JudgedColumn,
  type LibraryChoice,
  type LibraryRun,
  type RunJudged,
} from "../core/library/index.js";
import type { LeftOutFile } from "../core/model/index.js";
import { runEntries, sloReport, StoredRun } from "../core/query/index.js";
import { replaceFile } from "../files/atomic.js";
import { textOf } from "../files/bytes.js";
import { placeName } from "../files/library/notes.js";
import { openArtifact } from "../files/open/index.js";
import { cacheFolder } from "../files/folders.js";
import { checkedThresholds } from "./findings.js";
import { runSteps } from "./stepper.js";
import { fileMemory } from "./worker-setup.js";
import { messageOf } from "../core/text/errors.js";

/** By what runs are judged. */
export interface Judging {
  readonly thresholds?: Readonly<Record<string, number>>;
  readonly objectives?: readonly Objective[];
}

export interface JudgeOptions {
  readonly signal: AbortSignal;
  /** Called before the first run and after each, with the share done. */
  readonly onJudged: (fraction: number) => void;
  /** Called before a run is read: what ends the process or thread meanwhile is known by it. */
  readonly onReading?: (path: string) => void;
  /** Files that are not read, and why. */
  readonly leftOut?: readonly LeftOutFile[];
}

/** What is computed together. */
type Part = "findings" | "slo" | "verdict";
const PARTS: Readonly<Record<JudgedColumn, Part>> = {
  findings: "findings",
  finding: "findings",
  slo: "slo",
  verdict: "verdict",
};

const MOST_KEPT = 20_000;
const MAX_BYTES = 64 * 1024 ** 2;

/** Findings, attainment and verdicts of a folder's runs, one after the other, kept in the user's cache. */
export class RunJudge {
  private readonly kept = new Map<string, RunJudged>();
  private readonly loaded: Promise<void>;
  private readonly path: string;
  private baseline: { readonly key: string; readonly compared: Promise<ComparedRun | undefined> } | undefined;

  constructor(folder: string) {
    this.path = join(cacheFolder(), "library", `${placeName(resolve(folder))}-judged.jsonl`);
    this.loaded = this.load();
  }

  /** The runs with what is known of them. */
  async known(
    runs: readonly LibraryRun[],
    columns: readonly JudgedColumn[],
    by: Judging,
  ): Promise<readonly LibraryRun[]> {
    await this.loaded;
    const keysOf = keysFor(runs, columns, by);
    return runs.map((run) => ({
      ...run,
      judged: keysOf(run).reduce<RunJudged>((judged, [, key]) => ({ ...judged, ...this.kept.get(key) }), {}),
    }));
  }

  /** Judges what is not known yet. @throws the signal's reason */
  async judge(
    runs: readonly LibraryRun[],
    columns: readonly JudgedColumn[],
    by: Judging,
    { signal, onJudged, onReading, leftOut = [] }: JudgeOptions,
  ): Promise<void> {
    await this.loaded;
    const keysOf = keysFor(runs, columns, by);
    const left = runs.flatMap((run) => {
      const missing = keysOf(run).filter(([, key]) => !this.kept.has(key));
      const isLeftOut = leftOut.some(({ path }) => run.files[0] === path);
      return missing.length === 0 || run.files.length === 0 || isLeftOut ? [] : [{ run, missing }];
    });
    if (left.length > 0) onJudged(0);
    for (const [i, { run, missing }] of left.entries()) {
      signal.throwIfAborted();
      onReading?.(run.files[0] ?? "");
      const compared = await openedFor(run, signal).catch(() => undefined);
      for (const [part, key] of missing)
        this.kept.set(key, compared === undefined ? {} : await this.part(part, compared, runs, by, signal));
      onJudged((i + 1) / left.length);
    }
    if (left.length > 0) await this.save().catch(() => undefined);
  }

  private async part(
    part: Part,
    compared: ComparedRun,
    runs: readonly LibraryRun[],
    { thresholds, objectives = [] }: Judging,
    signal: AbortSignal,
  ): Promise<RunJudged> {
    if (part === "findings") {
      const options = { thresholds: checkedThresholds(thresholds) };
      const { findings } = await runSteps(runInsights(compared, options), signal);
      const [first] = findings;
      return { findings: findings.length, ...(first === undefined ? {} : { finding: first.title }) };
    }
    if (part === "slo") {
      const source = compared.kind === "samples" ? compared.run : new StoredRun(compared.statistics);
      const shares = sloReport(runEntries(source), objectives).attained.map(({ share }) => share.value);
      return shares.length === 0 ? {} : { slo: Math.min(...shares) };
    }
    const baseline = await this.baselineOf(runs, signal);
    if (baseline === undefined) return {};
    const [before, after] = [baseline, compared].map((run) => ({ label: run.label, runs: [run] }));
    if (before === undefined || after === undefined) return {};
    try {
      return { verdict: headlines(await runSteps(compareRuns(before, [after]), signal))[0]?.text ?? "" };
    } catch (error) {
      signal.throwIfAborted();
      return { verdict: messageOf(error) };
    }
  }

  /** It stays open for the next run. */
  private baselineOf(runs: readonly LibraryRun[], signal: AbortSignal): Promise<ComparedRun | undefined> {
    const run = starredRun(runs);
    const key = run === undefined ? "" : stateOf(run);
    if (this.baseline?.key !== key)
      this.baseline = {
        key,
        compared: run === undefined ? Promise.resolve(undefined) : openedFor(run, signal).catch(() => undefined),
      };
    return this.baseline.compared;
  }

  private async load(): Promise<void> {
    const text = await textOf(this.path, MAX_BYTES).catch(() => "");
    try {
      for (const line of text.split("\n")) {
        if (line === "") continue;
        const [key, judged] = JSON.parse(line) as [string, RunJudged];
        this.kept.set(key, judged);
      }
    } catch {
      // It is this program's own: a damaged one is made anew.
      this.kept.clear();
    }
  }

  private async save(): Promise<void> {
    const lines = [...this.kept].slice(-MOST_KEPT).map((entry) => `${JSON.stringify(entry)}\n`);
    await replaceFile(this.path, lines.join(""));
  }
}

/** Columns whose cells are computed, where the choice names one. */
export function judgedColumns({ columns = [], sort = "", filter = "" }: LibraryChoice): readonly JudgedColumn[] {
  const named = new Set([...columns, sort.replace(/^-/, ""), ...(filter.match(/[a-z]+/g) ?? [])]);
  return JUDGED_COLUMNS.filter((column) => named.has(column));
}

/** The run that others are judged against: the only one with a star. */
export function starredRun(runs: readonly LibraryRun[]): LibraryRun | undefined {
  const [only, another] = runs.filter(({ note, files }) => note.star === true && files.length > 0);
  return another === undefined ? only : undefined;
}

function stateOf({ id, files, modified }: LibraryRun): string {
  return `${id} ${files.length} ${Math.round(modified)}`;
}

/** What of a run is judged, and a key for each: it changes when the result may. */
function keysFor(
  runs: readonly LibraryRun[],
  columns: readonly JudgedColumn[],
  { thresholds = {}, objectives = [] }: Judging,
): (run: LibraryRun) => readonly (readonly [part: Part, key: string])[] {
  const baseline = starredRun(runs);
  const by: Readonly<Record<Part, unknown>> = {
    findings: thresholds,
    slo: objectives,
    verdict: baseline === undefined ? undefined : stateOf(baseline),
  };
  const parts = [...new Set(columns.map((column) => PARTS[column]))].filter(
    (part) => (part !== "slo" || objectives.length > 0) && (part !== "verdict" || baseline !== undefined),
  );
  return (run) =>
    parts
      .filter((part) => part !== "verdict" || run !== baseline)
      .map((part) => [part, JSON.stringify([part, stateOf(run), by[part]])]);
}

/** @throws UserError for what cannot be read */
async function openedFor({ id, files }: LibraryRun, signal: AbortSignal): Promise<ComparedRun | undefined> {
  const [path] = files;
  if (path === undefined) return undefined;
  const opened = await openArtifact(path, { ...fileMemory(), signal });
  return opened.kind === "snapshot" ? undefined : comparedRun(id, opened);
}
