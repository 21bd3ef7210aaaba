import { setImmediate, setTimeout as after } from "node:timers/promises";
import {
  comparisonCsv,
  comparisonJson,
  comparisonMarkdown,
  compareRuns,
  ComparisonError,
  type Comparison,
  type RunSet,
} from "../core/compare/index.js";
import {
  MOST_CANDIDATES,
  type ComparedSource,
  type ComparisonEngineRequests,
  type ComparisonEvents,
  type ComparisonSettings,
  type ComparisonState,
  type ReportFormat,
} from "../protocol/comparison.js";
import { ChannelServer, describeError, type DescribedError, type Handlers, type Port } from "../protocol/index.js";
import type { Answers } from "./answers.js";
import { checkRun } from "./assertions.js";
import { shortLabels } from "./comparison-labels.js";
import { SourceRun } from "./comparison-run.js";
import { engineError } from "./described.js";
import { runSteps } from "./stepper.js";

/** The least time between two states that tell of progress only. */
const PROGRESS_MS = 100;
/**
 * How often a live source is looked at, and the share of one core that comparing it may take before it is done less
 * often.
 */
const LIVE_MS = 2000;
const LIVE_SHARE = 0.1;

/** Files of so many rows take seconds to read: a table of their key metrics comes first. */
const FIRST_TABLE_ROWS = 2_000_000;

interface Result {
  readonly revision: number;
  readonly comparison: Comparison;
}

/** Owns the runs of one comparison and answers for it over a port. */
export class ComparisonEngine {
  private runs: SourceRun[] = [];
  private settings: ComparisonSettings = { threshold: 0.03, labelRules: [], directions: {} };
  private result: Result | undefined;
  /** Of the newest result that there was. */
  private revision = 0;
  /** To be put in order of time before they are compared for the first time. */
  private oldestFirst = false;
  private problem: DescribedError | undefined;
  private comparing: number | undefined;
  /** Of the comparison under way; aborted when what it stands on changes. */
  private controller = new AbortController();
  private wanted = false;
  private working: Promise<void> | undefined;
  private reading: Promise<void> = Promise.resolve();
  private beginning: Promise<void> = Promise.resolve();
  private following: Promise<void> | undefined;
  private toldMs = 0;
  private readonly server: ChannelServer<ComparisonEngineRequests, ComparisonEvents>;

  /** @param firstTableRows rows from which on a file's key metrics are compared before it has been read */
  constructor(
    port: Port,
    private readonly firstTableRows = FIRST_TABLE_ROWS,
  ) {
    this.server = new ChannelServer<ComparisonEngineRequests, ComparisonEvents>(port, this.handlers());
  }

  private handlers(): Handlers<ComparisonEngineRequests> {
    return {
      compare: ({ sources, settings, oldestFirst = false }) => {
        if (this.runs.length > 0) throw engineError("busy", "this engine already holds a comparison");
        this.oldestFirst = oldestFirst;
        this.settings = settings;
        for (const source of sources) this.add(source);
        return this.tell();
      },
      addSource: ({ source }) => {
        const failed = this.runs.find((run) => run.state.kind === "failed" && run.source.path === source.path);
        if (failed !== undefined) this.replace(failed, source);
        else if (this.runs.length > MOST_CANDIDATES)
          throw engineError(
            "unusable-settings",
            `a baseline can be compared with up to ${MOST_CANDIDATES} others`,
            "Remove one first.",
          );
        else this.add(source);
        return this.tell();
      },
      moveSource: ({ from, to }) => {
        this.runs
          .filter(({ source }) => source.path === from)
          .forEach((run) =>
            this.replace(run, { ...(run.source.label === undefined ? {} : { label: run.source.label }), path: to }),
          );
        return this.tell();
      },
      comparisonState: () => this.state(),
      comparison: () => this.latest(),
      configure: (changes) => {
        this.settings = { ...this.settings, ...changes };
        this.compareAnew();
        return this.tell();
      },
      arrange: ({ order }) => this.arrange(order),
      readAgain: ({ runs }) => {
        for (const run of runs.map((position) => this.runAt(position))) this.replace(run, run.source);
        return this.tell();
      },
      runSeries: async ({ run, family }, signal) => (await this.answers(run).of(family, signal)).series(family),
      runChart: async ({ run, query }, signal) =>
        runSteps((await this.answers(run).of(query.family, signal)).chart(query), signal),
      runHeatmap: async ({ run, query }, signal) =>
        runSteps((await this.answers(run).of(query.family, signal)).heatmap(query), signal),
      runDistribution: async ({ run, ...query }, signal) =>
        runSteps((await this.answers(run).of(query.family, signal)).distribution(query), signal),
      runCheck: ({ run, assertions }, signal) => checkRun(this.answers(run), assertions, signal),
      report: ({ format, rows }) => ({ text: report(this.latest().comparison, format, rows) }),
    };
  }

  private latest(): Result {
    if (this.result !== undefined) return this.result;
    throw engineError("no-comparison", this.problem?.message ?? "there is no comparison yet", this.problem?.remedy);
  }

  private answers(run: number): Answers {
    const state = this.runs[run]?.state;
    if (state?.kind === "ready") return state.answers;
    if (state?.kind === "failed") throw engineError("no-run", state.error.message, state.error.remedy);
    throw engineError(
      "no-run",
      state === undefined ? "this run is no longer compared" : "this run is still being read",
    );
  }

  private state(): ComparisonState {
    const labels = this.labels();
    return {
      runs: this.runs.map((run, i) => ({
        source: run.source,
        label: labels[i] ?? run.source.path,
        state: statusOf(run),
      })),
      settings: this.settings,
      revision: this.revision,
      ...(this.comparing === undefined ? {} : { comparing: this.comparing }),
      ...(this.problem === undefined ? {} : { problem: this.problem }),
    };
  }

  private labels(): string[] {
    return shortLabels(
      this.runs.map((run) => ({ path: run.source.path, ...(run.label === undefined ? {} : { label: run.label }) })),
    );
  }

  private tell(): null {
    this.toldMs = performance.now();
    this.server.emit("state", this.state());
    return null;
  }

  private tellProgress(): void {
    if (performance.now() - this.toldMs >= PROGRESS_MS) this.tell();
  }

  private add(source: ComparedSource): void {
    const run = new SourceRun(source);
    this.runs.push(run);
    this.read(run);
  }

  private replace(before: SourceRun, source: ComparedSource): void {
    const run = new SourceRun(source);
    before.letGo();
    this.runs = this.runs.map((one) => (one === before ? run : one));
    this.read(run);
  }

  /** One file is read after the other: that costs the least memory, and the baseline is there first. */
  private read(run: SourceRun): void {
    this.problem = undefined;
    this.compareAnew();
    this.beginning = this.beginning.then(() =>
      this.result === undefined && this.runs.includes(run) ? run.readBeginning(this.firstTableRows) : undefined,
    );
    this.reading = this.reading.then(async () => {
      await this.compareFirst();
      if (!this.runs.includes(run)) return;
      await run.read(
        (real) => this.runs.some((other) => other !== run && other.realPath === real),
        () => this.tellProgress(),
      );
      if (!this.runs.includes(run)) return;
      if (run.live) this.follow();
      this.compareAnew();
      this.tell();
    });
  }

  private runAt(position: number): SourceRun {
    const run = this.runs[position];
    if (run === undefined) throw engineError("unusable-settings", `there is no run ${position + 1} in this comparison`);
    return run;
  }

  private arrange(order: readonly number[]): null {
    const runs = [...new Set(order)].map((position) => this.runAt(position));
    if (runs.length === 0) throw engineError("unusable-settings", "a comparison keeps at least one run");
    for (const run of this.runs) if (!runs.includes(run)) run.letGo();
    this.runs = runs;
    this.oldestFirst = false;
    this.compareAnew();
    return this.tell();
  }

  /** Compares once all is read; what is under way is given up. Several calls at once end in one comparison. */
  private compareAnew(): void {
    this.controller.abort();
    if (this.runs.some(({ state }) => state.kind === "reading")) {
      this.comparing = undefined;
      return;
    }
    this.sortIfWanted();
    this.wanted = true;
    this.comparing ??= 0;
    this.working ??= this.work().finally(() => (this.working = undefined));
  }

  private sortIfWanted(): void {
    if (!this.oldestFirst) return;
    this.oldestFirst = false;
    this.runs.sort((a, b) => Number(a.beganMs > b.beganMs) - Number(a.beganMs < b.beganMs));
  }

  /**
   * Compares the key metrics of large files, once, before they are read whole. Never rejects: what is wrong is told by
   * the whole comparison.
   */
  private async compareFirst(): Promise<void> {
    await this.beginning;
    const firsts = (): RunSet[] => {
      const labels = this.labels();
      return this.runs.flatMap((run, i) => {
        const label = labels[i] ?? run.source.path;
        const compared = run.comparedFirst(label);
        return compared === undefined ? [] : [{ label, runs: [compared] }];
      });
    };
    const distinct = new Set(this.runs.map(({ source }) => source.path)).size === this.runs.length;
    if (this.result !== undefined || this.runs.length < 2 || !distinct || firsts().length < this.runs.length) return;
    this.sortIfWanted();
    const [baseline, ...candidates] = firsts();
    if (baseline === undefined) return;
    this.controller = new AbortController();
    const { signal } = this.controller;
    try {
      const { threshold, labelRules, directions } = this.settings;
      const comparison = await runSteps(
        compareRuns(baseline, candidates, { threshold, labelRules, directions, partial: true }),
        signal,
      );
      if (signal.aborted) return;
      this.found(comparison);
      this.tell();
    } catch {
      // Told by the comparison of all.
    }
  }

  private async work(): Promise<void> {
    while (this.wanted) {
      await setImmediate();
      this.wanted = false;
      this.controller = new AbortController();
      await this.compare(this.controller.signal, (fraction) => {
        this.comparing = fraction;
        this.tellProgress();
      });
    }
  }

  /** Settles with a result, a problem, or nothing once the signal aborts; never rejects. */
  private async compare(signal: AbortSignal, onProgress?: (fraction: number) => void): Promise<void> {
    try {
      const [baseline, ...candidates] = fitting(this.sets());
      if (baseline === undefined || candidates.length === 0) throw this.tooFew();
      const { threshold, labelRules, directions } = this.settings;
      const comparison = await runSteps(
        compareRuns(
          baseline.set,
          candidates.map(({ set }) => set),
          { threshold, labelRules, directions },
        ),
        signal,
        onProgress,
      );
      if (signal.aborted) return;
      this.problem = undefined;
      this.found(comparison);
    } catch (error) {
      if (signal.aborted) return;
      this.problem = described(error);
      this.result = undefined;
    }
    this.comparing = undefined;
    this.failedLast();
    this.tell();
  }

  private found(comparison: Comparison): void {
    this.result = { revision: ++this.revision, comparison };
  }

  private sets(): LabelledSet[] {
    const labels = this.labels();
    return this.runs.flatMap((run, i) => {
      const label = labels[i] ?? run.source.path;
      const compared = run.compared(label);
      return compared === undefined ? [] : [{ run, set: { label, runs: [compared] } }];
    });
  }

  private tooFew() {
    const failed = this.runs.filter(({ state }) => state.kind === "failed").length;
    const message =
      failed === 0
        ? "One run alone cannot be compared."
        : `${failed} of ${this.runs.length} runs could not be read, so there is nothing to compare.`;
    return engineError("nothing-to-compare", message, "Add another run.");
  }

  private failedLast(): void {
    const failed = (run: SourceRun) => run.state.kind === "failed" || run.misfit !== undefined;
    this.runs = [...this.runs.filter((run) => !failed(run)), ...this.runs.filter(failed)];
  }

  private follow(): void {
    this.following ??= this.followLive().finally(() => (this.following = undefined));
  }

  /** Compares anew as live sources grow, less often when that costs much. */
  private async followLive(): Promise<void> {
    let pause = LIVE_MS;
    while (this.runs.some(({ live }) => live)) {
      await after(pause);
      await this.reading;
      await this.working;
      const begun = performance.now();
      let grown = false;
      for (const run of this.runs) grown = (await run.readMore()) || grown;
      // What was asked for in the meantime compares what has just been read.
      if (grown && this.working === undefined) {
        this.controller = new AbortController();
        await this.compare(this.controller.signal);
      }
      pause = Math.max(LIVE_MS, (performance.now() - begun) / LIVE_SHARE);
    }
  }
}

interface LabelledSet {
  readonly run: SourceRun;
  readonly set: RunSet;
}

/** Leaves out candidates that have nothing in common with the baseline, if that leaves any. */
function fitting(sets: readonly LabelledSet[]): readonly LabelledSet[] {
  const [baseline, ...candidates] = sets;
  const allFit =
    baseline === undefined ||
    candidates.length < 2 ||
    misfitOf(
      baseline.set,
      candidates.map(({ set }) => set),
    ) === undefined;
  const misfits = new Map(allFit ? [] : candidates.map(({ run, set }) => [run, misfitOf(baseline.set, [set])]));
  const some = candidates.some(({ run }) => misfits.get(run) === undefined);
  for (const { run } of sets) run.misfit = some ? misfits.get(run) : undefined;
  return sets.filter(({ run }) => run.misfit === undefined);
}

function statusOf(run: SourceRun): ComparisonState["runs"][number]["state"] {
  if (run.misfit !== undefined) return { kind: "failed", error: run.misfit };
  return run.state.kind === "ready" ? { kind: "ready", ...run.described() } : run.state;
}

/** Why these cannot be compared at all. */
function misfitOf(baseline: RunSet, candidates: readonly RunSet[]): DescribedError | undefined {
  try {
    // What makes runs incomparable is found before the first step.
    compareRuns(baseline, candidates).next();
    return undefined;
  } catch (error) {
    return described(error);
  }
}

function described(error: unknown): DescribedError {
  if (!(error instanceof ComparisonError)) return describeError(error);
  return {
    code: "incomparable",
    message: error.message,
    ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
  };
}

function report(comparison: Comparison, format: ReportFormat, ids: readonly string[] | undefined): string {
  const wanted = ids === undefined ? undefined : new Set(ids);
  const rows = wanted === undefined ? undefined : comparison.rows.filter(({ id }) => wanted.has(id));
  switch (format) {
    case "markdown":
      return comparisonMarkdown(comparison, rows);
    case "csv":
      return comparisonCsv(rows === undefined ? comparison : { ...comparison, rows });
    case "json":
      return comparisonJson(rows === undefined ? comparison : { ...comparison, rows });
  }
}
