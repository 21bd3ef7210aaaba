import { epochNs, type EpochNs } from "../../src/core/model/index.js";
import type { Clock } from "../../src/collect/index.js";

interface Timer {
  readonly due: bigint;
  readonly callback: () => void;
}

/** A clock that a test moves, with the timers that hang on it. */
export class FakeTime implements Clock {
  private timers: Timer[] = [];
  private stalled = 0;
  private suspended = 0;

  constructor(private current = 1_763_000_000_000_000_000n) {}

  now(): EpochNs {
    return epochNs(this.current);
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer: Timer = { due: this.current + BigInt(Math.round(delayMs * 1e6)), callback };
    this.timers.push(timer);
    return () => (this.timers = this.timers.filter((each) => each !== timer));
  }

  /** Of a thread that does nothing but wait. */
  idleMs(): number {
    return Number(this.current) / 1e6;
  }

  stalledMs(): number {
    return this.stalled;
  }

  /** Lets time pass as `hold` does, for want of a processor. */
  stall(ms: number): void {
    this.hold(ms);
    this.stalled += ms;
  }

  suspendedMs(): number {
    return this.suspended;
  }

  /** Lets time pass as `hold` does, while the machine is suspended. */
  suspend(ms: number): void {
    this.hold(ms);
    this.suspended += ms;
  }

  /** Timers set and neither fired nor cancelled. */
  get pending(): number {
    return this.timers.length;
  }

  /** Lets time pass without any timer firing: the process was held up. */
  hold(ms: number): void {
    this.current += BigInt(Math.round(ms * 1e6));
  }

  /** Lets time pass, firing each timer at its moment (or `lateMs` after it) and what promises wait for that. */
  async advance(ms: number, lateMs = 0): Promise<void> {
    const end = this.current + BigInt(Math.round(ms * 1e6));
    const late = BigInt(Math.round(lateMs * 1e6));
    for (;;) {
      const next = this.timers.reduce<Timer | undefined>(
        (first, each) => (first === undefined || each.due < first.due ? each : first),
        undefined,
      );
      if (next === undefined || next.due + late > end) break;
      this.timers = this.timers.filter((each) => each !== next);
      if (next.due + late > this.current) this.current = next.due + late;
      next.callback();
      await settlePromises();
    }
    if (end > this.current) this.current = end;
    await settlePromises();
  }
}

/** Runs all that promises already wait for. */
export function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
