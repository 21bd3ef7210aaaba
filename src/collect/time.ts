import { performance } from "node:perf_hooks";
import { processorWaitMs } from "./processor.js";
import { epochNs, type EpochNs } from "../core/model/index.js";

/** What tells the time and wakes a schedule; tests put their own in its place. */
export interface Time {
  /** Integer nanoseconds since the epoch; never goes back. */
  now(): EpochNs;
  /**
   * Calls back once, not before `delayMs` have passed (save for a timer's own millisecond); returns what cancels it.
   */
  after(delayMs: number, callback: () => void): () => void;
  /** Milliseconds that this thread has waited for the world outside so far, and not worked. */
  idleMs(): number;
  /** Milliseconds that this thread could have worked so far, but had no processor. */
  stalledMs(): number;
}

/**
 * The machine's monotonic clock, anchored once to the wall clock: a step of the wall clock (NTP, a user) during a
 * capture never reorders or squeezes samples. Resolution is that of `process.hrtime`; the anchor is exact to a
 * millisecond.
 */
export class MonotonicClock implements Time {
  private readonly base: bigint;

  constructor(
    wallMs: () => number = Date.now,
    private readonly monotonicNs: () => bigint = () => process.hrtime.bigint(),
  ) {
    this.base = BigInt(Math.round(wallMs())) * 1_000_000n - monotonicNs();
  }

  now(): EpochNs {
    return epochNs(this.base + this.monotonicNs());
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  }

  idleMs(): number {
    return performance.eventLoopUtilization().idle;
  }

  stalledMs(): number {
    return processorWaitMs();
  }
}
