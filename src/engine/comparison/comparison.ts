import { compareRuns } from "../../core/compare/index.js";
import {
  DEFAULT_COMPARISON_SETTINGS,
  MAX_CANDIDATES,
  type ComparisonEngineRequests,
  type ComparisonEvents,
  type ComparisonSettings,
  type ComparisonState,
  type IdentifiedComparison,
  type RunId,
} from "../../protocol/comparison.js";
import { ChannelServer, describeError, type DescribedError, type Handlers, type Port } from "../../protocol/index.js";
import type { Answers } from "../answers.js";
import { checkRun } from "../questions.js";
import { comparableSets, ComparedRuns, type LabelledSet } from "./runs.js";
import { identified, rowHeatmaps, rowLines, type RowSource } from "./charts.js";
import { ComparisonFindings } from "./findings.js";
import { comparisonReport } from "./report.js";
import { statusOf, type SourceRun } from "./compared-run.js";
import { engineError } from "../engine-error.js";
import { Jobs } from "../jobs.js";
import { LARGE_ROWS } from "../subjects/large-file.js";
import { runSteps } from "../stepper.js";

/** The least time between two states that tell of progress only. */
const PROGRESS_MS = 100;
/**
 * How often a live source is looked at, and the share of one core that comparing it may take before it is done less
 * often.
 */
const LIVE_MS = 2000;
const LIVE_SHARE = 0.1;
/** Of many sets, which take seconds, the baseline and so many candidates are shown before all are compared. */
const FIRST_CANDIDATES = 3;

interface Result {
  readonly revision: number;
  readonly comparison: IdentifiedComparison;
}

export interface ComparisonEngineOptions {
  /** Rows from which on a file's key metrics are compared before it has been read. */
  readonly largeRows?: number;
}

/** What a comparison has to do, one after the other: this is all that changes its runs' content and its result. */
type ComparisonJob =
  /** Reads averages and rates of the key metrics of a large file. */
  | { readonly kind: "read-first"; readonly run: SourceRun }
  /** Compares those of large files before they are read whole. */
  | { readonly kind: "compare-first" }
  | { readonly kind: "read"; readonly run: SourceRun }
  | { readonly kind: "compare" }
  /** Reads on what captures have written since, and compares it. */
  | { readonly kind: "read-more" };

/** The most urgent first: nothing is compared whole before all is read. */
const URGENCY: readonly ComparisonJob["kind"][] = ["read-first", "compare-first", "read", "compare", "read-more"];
const COMPARING: readonly ComparisonJob["kind"][] = ["compare-first", "compare", "read-more"];

function runOf(job: ComparisonJob): SourceRun | undefined {
  return "run" in job ? job.run : undefined;
}

/** Owns the runs of one comparison and answers for it over a port. */
export class ComparisonEngine {
  private readonly runs = new ComparedRuns();
  private settings: ComparisonSettings = DEFAULT_COMPARISON_SETTINGS;
  private result: Result | undefined;
  /** Of the newest result that there was. */
  private revision = 0;
  private readonly findings = new ComparisonFindings();
  private problem: DescribedError | undefined;
  /** The share done of the comparison that is under way or waits for nothing but its turn. */
  private comparing: number | undefined;
  private readMoreTimer: NodeJS.Timeout | undefined;
  private lastStateMs = 0;
  private readonly jobs = new Jobs<ComparisonJob>({
    urgency: (job) => URGENCY.indexOf(job.kind),
    same: (a, b) => a.kind === b.kind && runOf(a) === runOf(b),
    // What is under way is given up when something newer outdates it.
    outdates: (added, running) => added.kind !== "read-more" && COMPARING.includes(running.kind),
    run: (job, signal) => this.work(job, signal),
  });
  private readonly server: ChannelServer<ComparisonEngineRequests, ComparisonEvents>;

  constructor(
    port: Port,
    private readonly options: ComparisonEngineOptions = {},
  ) {
    this.server = new ChannelServer<ComparisonEngineRequests, ComparisonEvents>(port, this.handlers());
  }

  private handlers(): Handlers<ComparisonEngineRequests> {
    return {
      compare: ({ sources, settings, sets, oldestFirst = false }) => {
        if (this.runs.all.length > 0) throw engineError("busy", "this engine already holds a comparison");
        this.runs.oldestFirst = oldestFirst;
        this.settings = settings;
        for (const source of sources) this.runs.add(source);
        if (sets !== undefined) this.runs.restore(sets);
        for (const run of this.runs.all) this.read(run);
        return this.publish();
      },
      addSource: ({ source }) => {
        const failed = this.runs.all.find((run) => run.state.kind === "failed" && run.source.path === source.path);
        if (failed === undefined && this.runs.all.length > MAX_CANDIDATES)
          throw engineError(
            "unusable-settings",
            `a baseline can be compared with up to ${MAX_CANDIDATES} others`,
            "Remove one first.",
          );
        this.read(failed === undefined ? this.runs.add(source) : this.runs.replace(failed, source));
        return this.publish();
      },
      moveSource: ({ from, to }) => {
        for (const run of this.runs.all.filter(({ source }) => source.path === from)) {
          const { label } = run.source;
          this.read(this.runs.replace(run, { ...(label === undefined ? {} : { label }), path: to }));
        }
        return this.publish();
      },
      comparisonState: () => this.state(),
      comparison: () => this.latest(),
      configure: (changes) => {
        this.settings = { ...this.settings, ...changes };
        if (changes.window !== undefined) for (const run of this.runs.all) run.measureBy(changes.window);
        this.compareAnew();
        return this.publish();
      },
      arrange: ({ order, sets }) => {
        this.runs.arrange(order, sets);
        this.compareAnew();
        return this.publish();
      },
      readAgain: ({ runs }) => {
        for (const run of runs.map((id) => this.runs.require(id))) this.read(this.runs.replace(run, run.source));
        return this.publish();
      },
      runChart: (question, signal) => rowLines(this.rowSource(), question, signal),
      runHeatmap: (question, signal) => rowHeatmaps(this.rowSource(), question, signal),
      runCheck: ({ run, assertions }, signal) => checkRun(this.answers(run), assertions, signal),
      findingChanges: async ({ thresholds }, signal) => {
        const [, ...candidates] = this.latest().comparison.runIds;
        const found = await this.findingsOf(thresholds, signal);
        return candidates.flatMap((run, c) => {
          const changes = found[c];
          return changes === undefined ? [] : [{ run, ...changes }];
        });
      },
      report: async ({ thresholds, ...what }, signal) => {
        const findings = what.format === "csv" ? [] : await this.findingsOf(thresholds, signal);
        return { text: comparisonReport(this.latest().comparison, findings, what) };
      },
    };
  }

  private latest(): Result {
    if (this.result !== undefined) return this.result;
    throw engineError("no-comparison", this.problem?.message ?? "there is no comparison yet", this.problem?.remedy);
  }

  /** What became of the baseline's findings in each candidate. */
  private findingsOf(thresholds: Readonly<Record<string, number>> | undefined, signal: AbortSignal) {
    const sets = this.latest().comparison.runIds.map((id) =>
      this.runs.repeatsOf(id).flatMap((run) => run.compared(run.id) ?? []),
    );
    return this.findings.changes(sets, thresholds, signal);
  }

  private answers(id: RunId): Answers {
    const state = this.runs.byId(id)?.state;
    if (state?.kind === "ready") return state.answers;
    if (state?.kind === "failed") throw engineError("no-run", state.error.message, state.error.remedy);
    throw engineError(
      "no-run",
      state === undefined ? "this run is no longer compared" : "this run is still being read",
    );
  }

  private rowSource(): RowSource {
    return {
      comparison: this.latest().comparison,
      answersOf: (id) => {
        const state = this.runs.byId(id)?.state;
        return state?.kind === "ready" ? state.answers : undefined;
      },
    };
  }

  private state(): ComparisonState {
    return {
      runs: this.runs.labelled().map(({ run, label }) => {
        const [first = run] = this.runs.repeatsOf(run.id);
        return { id: run.id, source: run.source, label, state: statusOf(run), set: first.id };
      }),
      ...(this.runs.grouped ? { grouped: true } : {}),
      settings: this.settings,
      revision: this.revision,
      ...(this.comparing === undefined ? {} : { comparing: this.comparing }),
      ...(this.problem === undefined ? {} : { problem: this.problem }),
    };
  }

  private publish(): null {
    this.lastStateMs = performance.now();
    this.server.emit("state", this.state());
    return null;
  }

  private reportProgress(): void {
    if (performance.now() - this.lastStateMs >= PROGRESS_MS) this.publish();
  }

  private read(run: SourceRun): void {
    this.problem = undefined;
    this.comparing = undefined;
    if (this.result === undefined) {
      this.jobs.add({ kind: "read-first", run });
      this.jobs.add({ kind: "compare-first" });
    }
    this.jobs.add({ kind: "read", run });
  }

  /** Compares once all is read; what is under way is given up. Several calls at once end in one comparison. */
  private compareAnew(): void {
    const reading = this.runs.all.some(({ state }) => state.kind === "reading");
    if (!reading) this.runs.sortIfWanted();
    this.comparing = reading ? undefined : (this.comparing ?? 0);
    this.jobs.add({ kind: "compare" });
  }

  /** Never rejects: what goes wrong is part of the state. */
  private async work(job: ComparisonJob, signal: AbortSignal): Promise<void> {
    switch (job.kind) {
      case "read-first":
        if (!this.runs.has(job.run)) return;
        return job.run.readFirst(this.options.largeRows ?? LARGE_ROWS);
      case "compare-first":
        return this.compareFirst(signal);
      case "read":
        return this.readWhole(job.run);
      case "compare":
        return this.compare(signal, (fraction) => {
          this.comparing = fraction;
          this.reportProgress();
        });
      case "read-more":
        return this.readMore(signal);
    }
  }

  /** One file after the other: that costs the least memory, and the baseline is there first. */
  private async readWhole(run: SourceRun): Promise<void> {
    if (!this.runs.has(run)) return;
    await run.read(
      (real) => this.runs.all.some((other) => other !== run && other.realPath === real),
      () => this.reportProgress(),
    );
    if (!this.runs.has(run)) return;
    run.measureBy(this.settings.window);
    if (run.live) this.readMoreAfter(LIVE_MS);
    this.compareAnew();
    this.publish();
  }

  /** The comparison of all reports what is wrong. */
  private async compareFirst(signal: AbortSignal): Promise<void> {
    const distinct = new Set(this.runs.all.map(({ source }) => source.path)).size === this.runs.all.length;
    const all = distinct && this.runs.all.every((run) => run.comparedFirst("") !== undefined);
    if (!all || this.runs.all.length < 2) return;
    this.runs.sortIfWanted();
    try {
      await this.compareSets(
        this.runs.sets((run, label) => run.comparedFirst(label)),
        signal,
        { partial: true },
      );
      if (!signal.aborted) this.publish();
    } catch {
      return;
    }
  }

  private async compare(signal: AbortSignal, onProgress?: (fraction: number) => void): Promise<void> {
    try {
      if (this.runs.all.every(({ state }) => state.kind !== "reading")) this.runs.groupRepeats();
      const sets = comparableSets(this.runs.sets((run, label) => run.compared(label)));
      if (sets.length < 2) throw this.tooFew();
      const first = sets.slice(0, FIRST_CANDIDATES + 1);
      if (this.result === undefined && first.length < sets.length) {
        await this.compareSets(first, signal, {}, (share) =>
          onProgress?.((share * FIRST_CANDIDATES) / (sets.length - 1)),
        );
        this.publish();
      }
      await this.compareSets(sets, signal, {}, onProgress);
      if (signal.aborted) return;
      this.problem = undefined;
    } catch (error) {
      if (signal.aborted) return;
      this.problem = describeError(error);
      this.result = undefined;
    }
    this.comparing = undefined;
    this.runs.failedLast();
    this.publish();
  }

  /** Compares anew as live sources grow, less often when that costs much. */
  private async readMore(signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    let grown = false;
    for (const run of this.runs.all) grown = (await run.readMore()) || grown;
    // What was asked for in the meantime compares what has just been read.
    if (grown && !signal.aborted) await this.compare(signal);
    this.readMoreAfter(Math.max(LIVE_MS, (performance.now() - begun) / LIVE_SHARE));
  }

  private readMoreAfter(pauseMs: number): void {
    clearTimeout(this.readMoreTimer);
    if (!this.runs.all.some(({ live }) => live)) return;
    this.readMoreTimer = setTimeout(() => this.jobs.add({ kind: "read-more" }), pauseMs);
  }

  /** Takes the result, unless the signal aborts meanwhile. @throws UserError; the signal's reason */
  private async compareSets(
    sets: readonly LabelledSet[],
    signal: AbortSignal,
    options: { readonly partial?: boolean },
    onProgress?: (fraction: number) => void,
  ): Promise<void> {
    const [baseline, ...candidates] = sets.map(({ set }) => set);
    if (baseline === undefined) return;
    const steps = compareRuns(baseline, candidates, { ...this.settings, ...options });
    const comparison = await runSteps(steps, signal, onProgress);
    if (signal.aborted) return;
    const ids = sets.map((one) => one.ids);
    this.result = { revision: ++this.revision, comparison: identified(comparison, ids) };
  }

  private tooFew() {
    const failed = this.runs.all.filter(({ state }) => state.kind === "failed").length;
    const message =
      failed === 0
        ? "One run alone cannot be compared."
        : `${failed} of ${this.runs.all.length} runs could not be read, so there is nothing to compare.`;
    return engineError("nothing-to-compare", message, "Add another run.");
  }
}
