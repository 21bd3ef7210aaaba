import { durationNs, NS_PER_MS, type DurationNs, type EpochNs } from "../core/model/index.js";
import { EndpointCapture, type EndpointContext } from "./endpoint.js";
import { familyFilter } from "./filter.js";
import { GridSchedule, gridStarts } from "./schedule.js";
import { MonotonicClock, type Clock } from "./clock.js";
import type { CollectOptions, CollectSink, EndpointReport, Target } from "./types.js";

interface Member {
  readonly endpoint: EndpointCapture;
  schedule?: GridSchedule;
}

/**
 * Scrapes a set of endpoints on one grid until it is stopped. Endpoints do not wait for one another.
 * Life: `start` once, then `stop` (final scrapes) or `abort` (none) once; `status` at any time.
 */
export class Collector {
  private readonly members: Member[];
  private readonly context: EndpointContext;
  private gridStart: EpochNs | undefined;
  private ended = false;

  constructor(
    targets: readonly Target[],
    private readonly options: CollectOptions,
    sink: CollectSink,
    private readonly time: Clock = new MonotonicClock(),
  ) {
    this.context = {
      options,
      time,
      sink,
      keepFamily: familyFilter(options.include, options.exclude),
      isTaken: (url) => this.members.some(({ endpoint }) => endpoint.url === url && !endpoint.disabled),
    };
    this.members = targets.map((target) => ({ endpoint: new EndpointCapture(target, this.context) }));
  }

  /**
   * Makes the baseline scrape of every endpoint, then sets the grid going. Waits for the endpoints that answered the
   * reachability test, and for the slowest of them no longer than the flush period.
   * @returns the grid's start: the end of the baseline, the beginning of the warm-up.
   * @throws the signal's reason when aborted before that; the collector has then ended.
   */
  async start(signal?: AbortSignal): Promise<EpochNs> {
    signal?.throwIfAborted();
    const baselines = this.members.map(({ endpoint }) => ({ endpoint, done: endpoint.scrape() }));
    const awaited = baselines.filter(({ endpoint }) => endpoint.target.answered).map(({ done }) => done);
    await this.atMost(this.options.flushPeriodMs, Promise.all(awaited), signal);
    if (signal?.aborted === true) {
      this.abort();
      signal.throwIfAborted();
    }
    const start = this.time.now();
    this.gridStart = start;
    const starts = gridStarts(start, this.members.length, this.interval);
    for (const [i, member] of this.ended ? [] : this.members.entries()) {
      const schedule = this.scheduleOf(member, starts[i] ?? start);
      if (!member.endpoint.disabled) schedule.begin();
    }
    return start;
  }

  /** Takes another endpoint into the capture; its first scrape is made at once. @returns whether it was not in yet */
  addEndpoint(target: Target): boolean {
    if (this.ended || this.gridStart === undefined || this.context.isTaken(target.url)) return false;
    const member: Member = { endpoint: new EndpointCapture(target, this.context) };
    this.members.push(member);
    this.scheduleOf(member, this.gridStart).runNow();
    return true;
  }

  private get interval(): DurationNs {
    return durationNs(Math.round(this.options.intervalMs * NS_PER_MS));
  }

  private scheduleOf(member: Member, start: EpochNs): GridSchedule {
    const { endpoint } = member;
    const schedule = new GridSchedule(this.time, start, this.interval, () => endpoint.scrape());
    endpoint.missedTicks = () => ({
      missedTicks: schedule.missedTicks,
      missedTicksHere: schedule.missedTicksHere,
    });
    member.schedule = schedule;
    return schedule;
  }

  /**
   * Ends the capture with a final scrape of every endpoint that has answered. Settles after the flush period at the
   * latest; at once when the signal aborts.
   */
  async stop(signal?: AbortSignal): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    for (const { schedule } of this.members) schedule?.stop();
    const close = () => this.close();
    signal?.addEventListener("abort", close);
    if (signal?.aborted === true) close();
    await Promise.all(this.members.map(({ endpoint }) => endpoint.finish(this.options.flushPeriodMs)));
    signal?.removeEventListener("abort", close);
  }

  /**
   * The boundary between two phases: what is in flight ends, then every endpoint is scraped once, and no regular scrape
   * begins meanwhile. So what came before is in the earlier phase, and the last scrape is the later one's reference.
   * Settles after the flush period at the latest: an endpoint that hangs does not hold the others up.
   */
  async boundary(): Promise<void> {
    for (const { schedule } of this.members) schedule?.hold();
    const scraped = Promise.all(this.members.map(({ endpoint }) => endpoint.scrapeBetweenPhases()));
    await this.atMost(this.options.flushPeriodMs, scraped, undefined);
    for (const { schedule } of this.members) schedule?.release();
  }

  /** Ends the capture at once: no final scrape, and nothing more is heard of a scrape under way. */
  abort(): void {
    this.ended = true;
    this.close();
  }

  /** Scrapes an endpoint now, whatever pause it is in; a disabled one gets another chance. */
  retryNow(url: string): void {
    const member = this.find(url);
    if (member === undefined || this.ended) return;
    member.endpoint.prepareRetry();
    member.schedule?.runNow();
  }

  /** Takes an endpoint out of the capture; what it brought so far stays. */
  removeEndpoint(url: string): void {
    const member = this.find(url);
    if (member === undefined) return;
    this.members.splice(this.members.indexOf(member), 1);
    member.schedule?.stop();
    member.endpoint.close();
    this.context.sink.onStatus(member.endpoint.report());
  }

  /** In the order the endpoints were given. */
  status(): readonly EndpointReport[] {
    return this.members.map(({ endpoint }) => endpoint.report());
  }

  private find(url: string): Member | undefined {
    return (
      this.members.find(({ endpoint }) => endpoint.url === url) ??
      this.members.find(({ endpoint: { target } }) => target.url === url || target.asked === url)
    );
  }

  private close(): void {
    for (const { endpoint, schedule } of this.members) {
      schedule?.stop();
      endpoint.close();
    }
  }

  /** Waits for `work`, but no longer than `limitMs`, nor after an abort. `work` does not reject. */
  private atMost(limitMs: number, work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancelTimer();
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const cancelTimer = this.time.after(limitMs, done);
      signal?.addEventListener("abort", done);
      void work.then(done);
    });
  }
}
