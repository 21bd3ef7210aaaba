import type {
  Collector,
  EndpointReport,
  ProbeProgress,
  ServerEventReader,
  Target,
  Clock,
} from "../../collect/index.js";
import {
  epochNs,
  toEpoch,
  NS_PER_MS,
  secondsToNs,
  silenceReasons,
  withMissedHere,
  type EpochNs,
  type NamedPhase,
  type OffsetNs,
  type Phase,
  type Problem,
  type WindowRule,
  type WrittenTo,
  warningOf,
} from "../../core/model/index.js";
import { answeredEndpoints } from "../../core/query/index.js";
import {
  loadBegun,
  markedPhase,
  measureLoad,
  offerLoad,
  phaseNameOf,
  WARMUP,
  type MeasureOptions,
} from "../../core/window/index.js";
import type { Run } from "../../core/store/index.js";
import type { JournalWriter } from "../../files/index.js";
import type { CaptureOptions, EndpointOptions } from "../../protocol/index.js";
import type { ProvenanceRecorder } from "../provenance/recorder.js";
import { engineError } from "../engine-error.js";
import { probeAndRemember } from "./probing.js";

/** Who hears of a capture in progress. */
export interface CaptureListener {
  /** Worded for the user, each said once. */
  onNotice(problem: Problem, endpointUrl?: string): void;
  onStatus?(endpoint: EndpointReport): void;
  onProbe?(progress: ProbeProgress): void;
}

/** How a capture ends in which no endpoint has answered with metrics. */
export const NOTHING_CAPTURED = "No endpoint answered with metrics during the capture: there is nothing to write.";

/** The share of one core that looking for the start of the load may take while the capture goes on. */
const LOOKING_SHARE = 0.02;

export type CaptureStage = "capturing" | "stopping" | "stopped";

/**
 * A capture from its first scrape to its last: collector, store, journal and phases.
 * Begun by `startCapture`; ended once, by `stop`.
 */
export class Capture {
  private currentState: CaptureStage = "capturing";
  private warmupTimer: (() => void) | undefined;
  private gridStart: EpochNs | undefined;
  private stopping: Promise<void> | undefined;
  private warmupEnds = false;
  private boundaries: Promise<void> = Promise.resolve();
  /** Aborted: the final scrapes are not waited for. */
  private readonly stopWaiting = new AbortController();
  private currentRule: WindowRule;
  private found: EpochNs | undefined;
  private lookMs = 0;

  constructor(
    readonly run: Run,
    private readonly collector: Collector,
    private readonly journal: JournalWriter | undefined,
    private readonly events: readonly ServerEventReader[],
    private readonly options: CaptureOptions,
    private readonly time: Clock,
    private readonly listener: CaptureListener,
    /** Adds to what the run says of the endpoints that were asked for. */
    private readonly configure: (target: Target) => void,
    private readonly provenance: ProvenanceRecorder | undefined,
  ) {
    this.currentRule = options.window ?? "load";
  }

  get state(): CaptureStage {
    return this.currentState;
  }

  /** What is measured: from its load on, or all that is captured. */
  get rule(): WindowRule {
    return this.currentRule;
  }

  /** Where its load has begun; undefined until the servers show it. Of a capture under way. */
  get loadStart(): EpochNs | undefined {
    return this.found;
  }

  /** Measures from the load on, or all that is captured: now, and when the capture is over. */
  measureBy(rule: WindowRule): void {
    this.currentRule = rule;
    this.measureFromLoad();
  }

  /** Has statistics begin where the load did, as far as it shows by now. A long run is looked at less often. */
  followLoad(): void {
    const begun = performance.now();
    if (this.currentState !== "capturing" || begun < this.lookMs) return;
    this.found = loadBegun(this.run);
    this.measureFromLoad();
    const now = performance.now();
    this.lookMs = now + (now - begun) / LOOKING_SHARE;
  }

  private measureFromLoad(): void {
    const { run, found } = this;
    const from = found === undefined ? undefined : epochNs(found + BigInt(secondsToNs(this.warmupSeconds)));
    run.measureFrom(this.currentRule === "load" && run.startIsSet ? from : undefined);
  }

  private get warmupSeconds(): number {
    const { warmup } = this.options;
    return warmup.kind === "duration" ? warmup.seconds : 0;
  }

  get phase(): Phase {
    return this.run.startIsSet
      ? this.time.now() < this.run.profilingStart
        ? "warmup"
        : "profiling"
      : this.options.warmup.kind === "none"
        ? "profiling"
        : "warmup";
  }

  /** Since the grid began. */
  get elapsedSeconds(): number {
    const start = this.gridStart;
    if (start === undefined) return 0;
    const end = this.run.profilingEnd ?? this.time.now();
    return Number(end - start) / NS_PER_MS / 1000;
  }

  /** Since profiling began; negative before a warm-up of known length ends. */
  get profiledSeconds(): number {
    if (!this.run.startIsSet) return this.elapsedSeconds - this.warmupSeconds;
    return Number((this.run.profilingEnd ?? this.time.now()) - this.run.profilingStart) / NS_PER_MS / 1000;
  }

  get journalPath(): string | undefined {
    return this.journal?.path;
  }

  /** How many endpoints have answered with metrics. */
  get answered(): number {
    return answeredEndpoints(this.run);
  }

  /** Why there is nothing to write: without any answer there is no run. Undefined where there is one. */
  get nothing(): Problem | undefined {
    if (this.answered > 0) return undefined;
    const reason = `${NOTHING_CAPTURED} ${silenceReasons(this.endpoints())}`.trimEnd();
    return warningOf(reason, "Check the addresses, and that the servers are running.");
  }

  /** Scrapes that the journal has not on disk: a crash would lose them. */
  get unjournalled(): number {
    return this.journal?.unwritten ?? this.run.store.scrapes;
  }

  /** Whether some of those are in the journal as soon as a disk takes them. */
  get journalWaits(): boolean {
    return this.journal?.isWaiting === true;
  }

  /** Goes on with the journal in another file, such as on a disk with more room. @throws UserError */
  async moveJournal(path: string): Promise<void> {
    await this.journal?.moveTo(path);
  }

  /** Keeps how much a store has got: what is missing there after a crash is sent from the journal. */
  noteWritten(written: WrittenTo): void {
    this.journal?.event({ kind: "remote_write", time: this.time.now(), written });
  }

  endpoints(): readonly EndpointReport[] {
    return this.collector.status();
  }

  /** @throws the signal's reason when aborted during the baseline scrape */
  async begin(signal?: AbortSignal): Promise<void> {
    const start = await this.collector.start(signal);
    this.gridStart = start;
    this.provenance?.start();
    const { warmup } = this.options;
    if (warmup.kind === "none") this.setProfilingStart(start);
    else this.putPhase({ name: WARMUP, kind: "warmup", start });
    if (warmup.kind === "duration") {
      const end = epochNs(start + BigInt(secondsToNs(warmup.seconds)));
      const wait = Number(end - this.time.now()) / NS_PER_MS;
      this.warmupTimer = this.time.after(Math.max(0, wait), () => void this.endWarmup());
    }
  }

  /** Ends the warm-up now. Settles once profiling has started. @throws UserError when it has ended already */
  async markProfilingStart(): Promise<void> {
    this.requireCapturing();
    if (this.run.startIsSet || this.warmupEnds)
      throw engineError(
        "not-capturing",
        "profiling has started already",
        "The boundary can be moved after the capture.",
      );
    await this.endWarmup();
  }

  /**
   * A label "phase NAME" also begins a phase of that name, which begins now whatever the mark's time.
   * @param at where it is not now
   * @throws UserError when no capture is running
   */
  async addMark(label: string, at?: OffsetNs): Promise<void> {
    this.requireCapturing();
    const mark = { time: at === undefined ? this.time.now() : toEpoch(at, this.run.origin), label };
    this.run.addMark(mark);
    this.journal?.event({ kind: "mark", ...mark });
    const phase = markedPhase(label);
    if (phase !== undefined) await this.beginPhase(phase);
  }

  /**
   * Ends the phase that goes on, and begins one of the given name; the first one that is no warm-up is where profiling
   * starts. Settles once it has begun: after a scrape of every endpoint, which still belongs to the phase before.
   * @param text a name, or what can be made one; "warmup" begins a warm-up
   * @throws UserError when no capture is running
   */
  async beginPhase(text: string): Promise<void> {
    this.requireCapturing();
    await this.atBoundary((time) => {
      for (const phase of this.run.phases) if (phase.end === undefined) this.putPhase({ ...phase, end: time });
      const kind = text.trim().toLowerCase() === WARMUP ? "warmup" : "profiling";
      if (kind === "profiling" && !this.run.hasNamedProfiling) {
        this.warmupTimer?.();
        this.setProfilingStart(time);
      }
      this.putPhase({ name: phaseNameOf(text, this.run.phases), kind, start: time });
    });
  }

  retry(url: string): void {
    this.collector.retryNow(url);
  }

  /**
   * Tests another endpoint and takes it into the capture. One that does not answer yet is tried again.
   * @throws InvalidUrlError
   */
  async add(endpoint: EndpointOptions): Promise<void> {
    const { reachabilityTimeoutMs: timeoutMs, limits } = this.options;
    const { probes } = await probeAndRemember([endpoint], { timeoutMs, limits });
    this.join(probes.map(({ target }) => target));
  }

  /** Takes endpoints that have been tested into the capture; those that are in it already are left out. */
  join(targets: readonly Target[]): void {
    for (const target of targets)
      if (this.currentState === "capturing" && this.collector.addEndpoint(target)) this.configure(target);
  }

  remove(url: string): void {
    this.collector.removeEndpoint(url);
  }

  /**
   * Ends profiling, makes the final scrapes and closes the journal. Settles within the flush period and a moment, once
   * the signal aborts without the final scrapes. A second call joins the first, and its signal hurries it too.
   */
  async stop(signal?: AbortSignal): Promise<void> {
    if (this.currentState === "stopped") return;
    const abortWaiting = () => this.stopWaiting.abort();
    signal?.addEventListener("abort", abortWaiting);
    if (signal?.aborted === true) abortWaiting();
    await (this.stopping ??= this.end());
    signal?.removeEventListener("abort", abortWaiting);
  }

  private async end(): Promise<void> {
    this.currentState = "stopping";
    this.warmupTimer?.();
    const end = this.time.now();
    if (!this.run.startIsSet) {
      this.setProfilingStart(this.gridStart ?? this.run.store.origin);
      if (this.options.warmup.kind !== "none")
        this.listener.onNotice(
          warningOf(
            "The capture was stopped during its warm-up, so no warm-up is excluded: the statistics cover all of it.",
          ),
        );
    }
    this.run.setProfilingEnd(end);
    this.journal?.event({ kind: "profiling_end", time: end });
    await Promise.all([
      this.collector.stop(this.stopWaiting.signal),
      this.stopEvents(this.options.flushPeriodMs),
      this.provenance?.end(this.stopWaiting.signal),
    ]);
    this.run.configure(
      withMissedHere(
        this.endpoints().flatMap(({ url, missedTicksHere }) => (missedTicksHere > 0 ? [[url, missedTicksHere]] : [])),
      ),
    );
    await this.journal?.close();
    this.run.measureFrom(undefined);
    this.measureLoad();
    this.currentState = "stopped";
  }

  /**
   * Measures the load, of a capture that is over; where its load generator's files were found, as they tell it. Where
   * all is to be measured, the load can be chosen.
   */
  measureLoad(found: Pick<MeasureOptions, "clients" | "clientWarmup"> = {}): void {
    const options = { ...found, warmupSeconds: this.warmupSeconds };
    if (this.currentRule === "load") measureLoad(this.run, options);
    else offerLoad(this.run, options);
  }

  /** Gives up without a final scrape; the journal keeps what was captured. */
  async abandon(): Promise<void> {
    this.warmupTimer?.();
    this.collector.abort();
    await this.provenance?.end(AbortSignal.abort());
    await this.stopEvents(0);
    this.currentState = "stopped";
    await this.journal?.close();
  }

  /** Deletes the journal: the run has been written, or there is nothing to keep. */
  async discard(): Promise<void> {
    await this.journal?.delete();
  }

  private requireCapturing(): void {
    if (this.currentState !== "capturing") throw engineError("not-capturing", "no capture is running");
  }

  private stopEvents(limitMs: number): Promise<unknown> {
    return Promise.all(this.events.map((server) => server.stop(this.stopWaiting.signal.aborted ? 0 : limitMs)));
  }

  private async endWarmup(): Promise<void> {
    this.warmupEnds = true;
    this.warmupTimer?.();
    await this.atBoundary((time) => {
      if (!this.run.startIsSet) this.setProfilingStart(time);
    });
  }

  /** One boundary after another; one that the end of the capture overtakes is none. */
  private atBoundary(begin: (time: EpochNs) => void): Promise<void> {
    this.boundaries = this.boundaries.then(async () => {
      await this.collector.boundary();
      if (this.currentState === "capturing") begin(this.time.now());
    });
    return this.boundaries;
  }

  private putPhase(phase: NamedPhase): void {
    this.run.putPhase(phase);
    this.journal?.event({ kind: "phase", time: phase.start, phase });
  }

  private setProfilingStart(time: EpochNs): void {
    this.run.setProfilingStart(time);
    this.journal?.event({ kind: "profiling_start", time });
  }
}
