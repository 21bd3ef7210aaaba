import {
  displayName,
  droppedProblem,
  durationNs,
  epochNs,
  LINE_LIMITS,
  NS_PER_MS,
  type EpochNs,
  type LineLimit,
  type Problem,
  type Scrape,
  type ScrapeError,
  noteOf,
} from "../core/model/index.js";
import { disabledProblem } from "./not-prometheus.js";
import { CostMeter } from "./scrape-cost.js";
import { failureProblem, type Failure } from "./failure.js";
import { liveSource } from "./live-source.js";
import type { NextRun } from "./schedule.js";
import type { LiveReading, LiveRequest, TextSource } from "./text-source.js";
import type { Clock } from "./clock.js";
import type { CollectOptions, CollectSink, CollectState, EndpointReport, Target } from "./types.js";
import { prometheusFallbackUrl } from "./url.js";
import { messageOf } from "../core/text/errors.js";

/** What all endpoints of a capture share. */
export interface EndpointContext {
  readonly options: CollectOptions;
  readonly time: Clock;
  readonly sink: CollectSink;
  readonly keepFamily: (name: string) => boolean;
  /** Another endpoint of this capture is already recorded under this URL. */
  readonly isTaken: (url: string) => boolean;
}

type Limit = Omit<LiveRequest, "at">;
/** An endpoint that has never answered is tried again after at most this long. */
const LONGEST_PAUSE_MS = 10_000;
const NEXT_TICK: NextRun = { kind: "next-tick" };
const STOP: NextRun = { kind: "stop" };

/** One endpoint of a capture: its source and what has become of it. */
export class EndpointCapture {
  /** Asked when reporting: the schedule counts them. */
  missedTicks: () => Pick<EndpointReport, "missedTicks" | "missedTicksHere"> = () => ({
    missedTicks: 0,
    missedTicksHere: 0,
  });

  private state: CollectState = "connecting";
  private answered: boolean;
  private fallbackTried: boolean;
  private fallbackFirst: boolean;
  /** What the reachability test was answered with; recorded once, by the first scrape. */
  private refusal: Failure | undefined;
  private scrapes = 0;
  private failures = 0;
  /** Of a never-answered endpoint: attempts since the start or the last retry by hand. */
  private attempts = 0;
  private latencyMs: number | undefined;
  private failure: Problem | undefined;
  private readonly remarks: Problem[] = [];
  /** Limits that have dropped lines; each is reported once. */
  private readonly limitsReported = new Set<LineLimit>();
  private droppedLines = 0;
  private readonly meter: CostMeter;
  /** Said once. */
  private costReported = false;
  private readonly source: TextSource;
  private inFlight: Promise<NextRun> | undefined;
  private begun: EpochNs | undefined;
  private suspendedMs = 0;

  constructor(
    readonly target: Target,
    private readonly context: EndpointContext,
  ) {
    this.answered = target.answered;
    this.fallbackTried = target.fallbackTried;
    this.fallbackFirst = target.fallbackFirst ?? false;
    this.refusal = target.refusal;
    this.meter = new CostMeter(context.options.intervalMs);
    const { time, keepFamily, options } = context;
    this.source = liveSource(target.source, { access: target, time, keepFamily, limits: options.limits });
  }

  /** As recorded; changes when the endpoint moves to `/prometheus/metrics`. */
  get url(): string {
    return this.source.url;
  }

  get disabled(): boolean {
    return this.state === "disabled";
  }

  /** One scrape, from request to the sink; joins the one under way. Never rejects. */
  scrape(limit: Limit = { timeoutMs: this.context.options.scrapeTimeoutMs }): Promise<NextRun> {
    if (this.disabled) return Promise.resolve(STOP);
    if (this.inFlight !== undefined) return this.inFlight;
    const now = this.context.time.now();
    this.recordSuspension(now);
    this.begun = now;
    return (this.inFlight = this.run(limit).finally(() => (this.inFlight = undefined)));
  }

  /** Where the machine was suspended since the scrape before, the one that was due next is a gap with its reason. */
  private recordSuspension(now: EpochNs): void {
    const { time, options } = this.context;
    const suspendedMs = time.suspendedMs() - this.suspendedMs;
    this.suspendedMs += suspendedMs;
    if (suspendedMs === 0 || this.begun === undefined) return;
    const due = epochNs(this.begun + BigInt(Math.round(options.intervalMs * NS_PER_MS)));
    if (due >= now) return;
    this.failures++;
    const error: ScrapeError = { type: "suspended", message: suspendedText(suspendedMs) };
    const outcome = { kind: "failed", error } as const;
    this.record({ endpointUrl: this.url, time: due, requestSent: due, latency: durationNs(0), outcome });
  }

  /**
   * The final scrape: begun after the one under way is done, and over after `timeoutMs`. One that has outlasted its
   * tick by then has failed.
   */
  async finish(timeoutMs: number): Promise<void> {
    const deadline = this.context.time.now() + BigInt(Math.round(timeoutMs * NS_PER_MS));
    const cancelDeadline = this.context.time.after(timeoutMs, () => {
      if (this.msSinceBegun() >= this.context.options.intervalMs) this.source.giveUp();
      this.close();
    });
    await this.inFlight;
    cancelDeadline();
    const leftMs = Number(deadline - this.context.time.now()) / NS_PER_MS;
    if (this.answered && leftMs > 0)
      await this.scrape({ timeoutMs: leftMs, limit: { name: "flush period", ms: timeoutMs } });
    this.close();
  }

  /** A scrape between two phases, begun after the one under way is done; none of an endpoint that never answered. */
  async scrapeBetweenPhases(): Promise<void> {
    await this.inFlight;
    if (this.answered) await this.scrape();
  }

  private msSinceBegun(): number {
    const { time } = this.context;
    return Number(time.now() - (this.begun ?? time.now())) / NS_PER_MS;
  }

  /** Ends the scrape under way without a trace and closes the connection. */
  close(): void {
    this.source.close();
  }

  /** By the user's wish: forgets the pause, and gives a disabled endpoint another chance. */
  prepareRetry(): void {
    this.attempts = 0;
    if (!this.disabled) return;
    this.fallbackTried = false;
    this.changeState("connecting", undefined);
  }

  report(): EndpointReport {
    const { label } = this.target;
    const { cost } = this.meter;
    return {
      url: this.url,
      configuredUrl: this.target.url,
      displayName: displayName(this.url),
      ...(label === undefined ? {} : { label }),
      state: this.state,
      ...(this.latencyMs === undefined ? {} : { latencyMs: this.latencyMs }),
      ...(cost === undefined ? {} : { cost }),
      scrapes: this.scrapes,
      failures: this.failures,
      ...this.missedTicks(),
      droppedLines: this.droppedLines,
      problems: this.failure === undefined ? [...this.remarks] : [this.failure, ...this.remarks],
    };
  }

  private async run(limit: Limit): Promise<NextRun> {
    try {
      const { refusal } = this;
      if (refusal !== undefined) {
        this.refusal = undefined;
        const now = this.context.time.now();
        const nothing = { endpointUrl: this.url, time: now, requestSent: now, latency: durationNs(0) };
        return this.leaveOut({ ...nothing, outcome: { kind: "failed", error: scrapeError(refusal) } }, refusal);
      }
      if (!this.fallbackFirst) return await this.take(await this.source.read(limit));
      const moved = await this.readFallback(limit);
      return moved === "moved" ? NEXT_TICK : await this.take(moved);
    } catch (error) {
      // Neither server nor network: a fault of the parser or of whoever hears the scrapes. The capture goes on and says
      // so.
      const reason = `Internal error at a scrape of ${this.url}: ${messageOf(error)}`;
      this.remark({ severity: "error", reason, remedy: "Please report this with the log. The capture continues." });
      return NEXT_TICK;
    }
  }

  private async take(reading: LiveReading | undefined): Promise<NextRun> {
    if (reading === undefined) return STOP;
    const { refused } = reading;
    if (refused === undefined) return this.accept(reading);
    return refused.kind === "foreign" ? this.refuse(reading, refused.failure) : this.fail(reading, refused.failure);
  }

  /**
   * Of an endpoint whose `/metrics` is JSON that a reading takes away: reads `/prometheus/metrics`.
   * @returns "moved" when that brought samples; else its failure, or what `/metrics` answers once the server has said
   *   that it has no metrics there; undefined after `close`
   */
  private async readFallback(limit: Limit): Promise<LiveReading | "moved" | undefined> {
    const fallback = prometheusFallbackUrl(this.url);
    if (fallback !== undefined) {
      const reading = await this.source.read({ ...limit, at: fallback });
      if (reading !== undefined && hasSamples(reading)) {
        this.move(fallback, reading);
        return "moved";
      }
      const refused = reading?.refused;
      if (reading === undefined || (refused?.kind === "failed" && refused.failure.status === undefined)) return reading;
    }
    this.fallbackFirst = false;
    return this.source.read(limit);
  }

  private accept(reading: LiveReading): NextRun {
    const [scrape] = reading.scrapes;
    this.answered = true;
    this.scrapes++;
    this.latencyMs = scrape.latency / NS_PER_MS;
    this.meter.add(reading.waitedMs, reading.bytes);
    this.record(scrape);
    const costly = this.costReported ? undefined : this.meter.problem(this.url);
    if (costly !== undefined) {
      this.costReported = true;
      this.remark(costly);
    }
    for (const note of this.source.takeNotes()) this.remark(note);
    this.countDropped();
    this.changeState("up", undefined);
    return NEXT_TICK;
  }

  private countDropped(): void {
    for (const limit of LINE_LIMITS) {
      const count = this.source.dropped[limit] ?? 0;
      this.droppedLines += count;
      if (count === 0 || this.limitsReported.has(limit)) continue;
      this.limitsReported.add(limit);
      this.remark(droppedProblem(displayName(this.url), limit, count, this.context.options.limits));
    }
  }

  private fail({ scrapes: [scrape] }: LiveReading, failure: Failure): NextRun {
    this.failures++;
    this.record(scrape);
    this.changeState("failing", failureProblem(failure));
    if (this.answered) return NEXT_TICK;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, this.context.options.intervalMs * 2 ** this.attempts++);
    return { kind: "pause", duration: durationNs(pauseMs * NS_PER_MS) };
  }

  /**
   * The answer is not an exposition: a gap after a valid one, else one look at `/prometheus/metrics`. Then it is tried
   * again, ever later; of JSON that is the end.
   */
  private async refuse(reading: LiveReading, failure: Failure): Promise<NextRun> {
    if (this.answered) return this.fail(reading, failure);
    const fallback = this.fallbackTried ? undefined : prometheusFallbackUrl(this.url);
    if (fallback !== undefined) {
      this.fallbackTried = true;
      const second = await this.source.read({ timeoutMs: this.context.options.scrapeTimeoutMs, at: fallback });
      if (second === undefined) return STOP;
      if (hasSamples(second)) return this.move(fallback, second);
    }
    // What is no exposition may be one a moment later; JSON may be what a reading takes from others.
    return failure.type === "parse" ? this.fail(reading, failure) : this.leaveOut(reading.scrapes[0], failure);
  }

  private leaveOut(scrape: Scrape, failure: Failure): NextRun {
    this.failures++;
    this.record(scrape);
    const problem = disabledProblem(failure);
    this.changeState("disabled", problem);
    this.context.sink.onNotice(problem, this.report());
    return STOP;
  }

  private move(url: string, reading: LiveReading): NextRun {
    const from = this.url;
    if (this.context.isTaken(url)) {
      const problem: Problem = noteOf(
        `${from} is the same server as ${url}, which is captured already: only that one is kept.`,
      );
      this.changeState("disabled", problem);
      this.context.sink.onNotice(problem, this.report());
      return STOP;
    }
    this.source.url = url;
    this.fallbackFirst = false;
    this.remark(noteOf(`The metrics are at ${url}, not at ${from}: they are recorded under that URL.`));
    return this.accept(reading);
  }

  /** What another URL answered is recorded under this one, unless the endpoint has moved there. */
  private record(scrape: Scrape): void {
    this.context.sink.onScrape({ ...scrape, endpointUrl: this.url });
  }

  private remark(problem: Problem): void {
    if (this.remarks.some((known) => known.reason === problem.reason)) return;
    this.remarks.push(problem);
    this.context.sink.onNotice(problem, this.report());
    this.context.sink.onStatus(this.report());
  }

  private changeState(state: CollectState, failure: Problem | undefined): void {
    if (this.state === state && this.failure?.reason === failure?.reason) return;
    this.state = state;
    this.failure = failure;
    this.context.sink.onStatus(this.report());
  }
}

/** @param ms milliseconds */
export function suspendedText(ms: number): string {
  return `This machine was suspended for ${(ms / 1000).toFixed(1)} s.`;
}

function hasSamples({ scrapes: [scrape] }: LiveReading): boolean {
  return scrape.outcome.kind === "samples";
}

function scrapeError(failure: Failure): ScrapeError {
  return { type: failure.type, message: failure.reason };
}
