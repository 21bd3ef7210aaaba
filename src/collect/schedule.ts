import { epochNs, NS_PER_MS, type DurationNs, type EpochNs } from "../core/model/index.js";
import type { Clock } from "./clock.js";

/** What a run wants before the next: nothing (the next tick), a longer rest, or never again. */
export type NextRun =
  | { readonly kind: "next-tick" }
  | { readonly kind: "pause"; readonly duration: DurationNs }
  | { readonly kind: "stop" };

/**
 * Runs something on a fixed grid: the n-th run is due at start + n·interval whatever the earlier ones took, so it never
 * drifts. One run at a time; ticks that pass while one is running (or while the process was stalled) are skipped and
 * counted, but for those of a suspended machine.
 */
export class GridSchedule {
  private missed = 0;
  private missedHere = 0;
  private running = false;
  private stopped = false;
  private again = false;
  private paused = false;
  /** A tick came while no run may begin. */
  private waiting = false;
  private cancelTimer: () => void = () => {};
  private next = 0;
  private suspendedMs: number;

  constructor(
    private readonly time: Clock,
    private readonly start: EpochNs,
    private readonly interval: DurationNs,
    /** Must not reject. */
    private readonly run: () => Promise<NextRun>,
  ) {
    this.suspendedMs = time.suspendedMs();
  }

  get missedTicks(): number {
    return this.missed;
  }

  /** Of the missed ticks those for which this process came too late: it was busy, or had no processor. */
  get missedTicksHere(): number {
    return this.missedHere;
  }

  begin(): void {
    this.arm(0);
  }

  stop(): void {
    this.stopped = true;
    this.cancelTimer();
  }

  /** Begins no run until `release`; one under way goes on. Ticks that pass meanwhile are not missed. */
  hold(): void {
    this.paused = true;
  }

  /** Goes on with the grid. */
  release(): void {
    this.paused = false;
    if (!this.waiting || this.stopped) return;
    this.waiting = false;
    this.arm(Math.ceil(this.ticksSinceStart()));
  }

  /** Runs at once, or again when the run under way is done; then goes on with the grid. */
  runNow(): void {
    if (this.stopped) return;
    this.cancelTimer();
    if (this.paused) this.waiting = true;
    else if (this.running) this.again = true;
    else void this.execute(Math.floor(this.ticksSinceStart()));
  }

  private ticksSinceStart(): number {
    return Number(this.time.now() - this.start) / this.interval;
  }

  private arm(tick: number): void {
    this.next = tick;
    const delayNs = tick * this.interval - Number(this.time.now() - this.start);
    this.cancelTimer = this.time.after(Math.max(0, Math.ceil(delayNs / NS_PER_MS)), () => this.fire());
  }

  private fire(): void {
    if (this.paused) {
      this.waiting = true;
      return;
    }
    // A timer may be up to a millisecond early, then it is still this tick's; or late by whole ticks when the process
    // was stalled.
    const tick = Math.max(this.next, Math.floor(this.ticksSinceStart()));
    const late = Math.max(0, tick - this.next - this.ticksSuspended());
    this.missed += late;
    this.missedHere += late;
    void this.execute(tick);
  }

  private async execute(tick: number): Promise<void> {
    this.running = true;
    const stalledBefore = this.time.stalledMs();
    let rest = await this.run();
    while (this.again && !this.stopped) {
      this.again = false;
      rest = await this.run();
    }
    this.running = false;
    if (this.stopped || rest.kind === "stop") return;
    const elapsed = this.ticksSinceStart();
    if (rest.kind === "pause") {
      this.arm(Math.max(tick + 1, Math.ceil(elapsed + rest.duration / this.interval)));
      return;
    }
    // A tick that fell exactly now is still in time.
    const next = Math.max(tick + 1, Math.ceil(elapsed));
    const late = Math.max(0, next - (tick + 1) - this.ticksSuspended());
    this.missed += late;
    // Those that would not have passed, had this thread had a processor whenever it could use one.
    const stalled = ((this.time.stalledMs() - stalledBefore) * NS_PER_MS) / this.interval;
    this.missedHere += Math.min(late, next - Math.max(tick + 1, Math.ceil(elapsed - stalled)));
    this.arm(next);
  }

  /** Ticks that passed since the last call while the machine was suspended: the gap that is recorded tells of them. */
  private ticksSuspended(): number {
    const before = this.suspendedMs;
    this.suspendedMs = this.time.suspendedMs();
    return Math.ceil(((this.suspendedMs - before) * NS_PER_MS) / this.interval);
  }
}

/** From so many endpoints on their grids do not begin together, but in groups of some that wake the process once. */
const SPREAD_FROM = 32;
const GROUP = 8;

/**
 * Where the grids of so many endpoints begin: together, or spread over the first interval. The answers of 200 endpoints
 * that arrive at once keep this thread busy for some 80 ms at every tick: latencies would include that wait, and ticks
 * would be missed.
 */
export function gridStarts(start: EpochNs, endpoints: number, interval: DurationNs): readonly EpochNs[] {
  const apart = endpoints < SPREAD_FROM ? 0 : interval / Math.ceil(endpoints / GROUP);
  return Array.from({ length: endpoints }, (_, i) =>
    epochNs(start + BigInt(Math.floor(Math.floor(i / GROUP) * apart))),
  );
}
