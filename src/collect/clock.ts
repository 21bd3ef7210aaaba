import { uptime } from "node:os";
import { performance } from "node:perf_hooks";
import { processorWaitMs } from "./processor.js";
import { epochNs, NS_PER_MS, type EpochNs } from "../core/model/index.js";

/** What tells the time and wakes a schedule; tests put their own in its place. */
export interface Clock {
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
  /** Milliseconds that the machine was suspended so far, as far as `now` has noticed. */
  suspendedMs(): number;
}

/** The wall clock moves by so much against the monotonic one when the machine was suspended, or the clock was set. */
const JUMP_MS = 100;

/**
 * Milliseconds since the machine was started, in which suspension counts (Linux: CLOCK_BOOTTIME, to 10 ms). Elsewhere
 * `process.hrtime` counts it already.
 */
const BOOT_MS = process.platform === "linux" ? () => 1000 * uptime() : undefined;

/**
 * The machine's monotonic clock, anchored once to the wall clock: a step of the wall clock (NTP, a user) during a
 * capture never reorders or squeezes samples. Resolution is that of `process.hrtime`; the anchor is exact to a
 * millisecond. On Linux that clock stands still while the machine is suspended: what the boot clock counts meanwhile is
 * added, exact to 20 ms. A virtual machine that its host stops may have clocks that all stand still: nobody inside can
 * tell that from a wall clock that is set afterwards, and it is taken for that.
 */
export class MonotonicClock implements Clock {
  /** Hears how long the machine was suspended, milliseconds. */
  onSuspended: (ms: number) => void = () => {};
  private readonly base: bigint;
  private readonly booted: number;
  private lead: number;
  private suspended = 0;

  constructor(
    private readonly wallMs: () => number = () => Date.now(),
    private readonly monotonicNs: () => bigint = () => process.hrtime.bigint(),
    private readonly bootMs: (() => number) | undefined = BOOT_MS,
  ) {
    const monotonic = monotonicNs();
    const wall = wallMs();
    this.base = BigInt(Math.round(wall)) * 1_000_000n - monotonic;
    this.lead = wall - Number(monotonic) / NS_PER_MS;
    this.booted = this.sinceBoot(monotonic);
  }

  now(): EpochNs {
    const monotonic = this.monotonicNs();
    const lead = this.wallMs() - Number(monotonic) / NS_PER_MS;
    if (Math.abs(lead - this.lead) >= JUMP_MS) {
      // The boot clock is a file to be read: it is asked only then.
      this.lead = lead;
      const asleep = this.sinceBoot(monotonic) - this.booted - this.suspended;
      if (asleep >= JUMP_MS) {
        this.suspended += asleep;
        this.onSuspended(asleep);
      }
    }
    return epochNs(this.base + monotonic + BigInt(Math.round(this.suspended * NS_PER_MS)));
  }

  /** How far the boot clock is ahead of the monotonic one, milliseconds. */
  private sinceBoot(monotonic: bigint): number {
    return this.bootMs === undefined ? 0 : this.bootMs() - Number(monotonic) / NS_PER_MS;
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

  suspendedMs(): number {
    return this.suspended;
  }
}
