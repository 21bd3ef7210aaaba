import {
  offsetNs,
  toEpoch,
  toOffset,
  type CarriedFacts,
  type EpochNs,
  type Mark,
  type OffsetNs,
  type Phase,
  type RunMetadata,
} from "../model/index.js";
import { Store } from "./store.js";

/** A run: its samples, its phases and what the user said of it. */
export class Run {
  readonly marks: Mark[] = [];
  readonly store: Store;
  /** What the run's file says beyond its samples; absent when they tell all. */
  carried: CarriedFacts | undefined;
  private start: EpochNs | undefined;
  private end: EpochNs | undefined;
  private slice: number;
  private chosen: { readonly start: EpochNs; readonly end: EpochNs } | undefined;

  constructor(
    readonly metadata: RunMetadata,
    store = new Store(),
  ) {
    this.store = store;
    this.slice = metadata.sliceDurationSeconds;
  }

  /** Length of the slices that views and artifacts cut; the metadata's until it is changed. */
  get sliceSeconds(): number {
    return this.slice;
  }

  /** @throws RangeError unless positive */
  setSliceSeconds(seconds: number): void {
    if (!(seconds > 0)) throw new RangeError(`slice duration must be positive, not ${seconds} s`);
    this.slice = seconds;
  }

  /** An exact window that a user chose for all statistics; absent: the profiling phase as recorded. */
  get chosenWindow(): { readonly start: EpochNs; readonly end: EpochNs } | undefined {
    return this.chosen;
  }

  /** @throws RangeError for an empty window */
  chooseWindow(window: { readonly start: EpochNs; readonly end: EpochNs } | undefined): void {
    if (window !== undefined && window.end <= window.start) throw new RangeError("the window ends before it starts");
    this.chosen = window;
  }

  /** End of the warm-up; the first scrape's time until one was set. */
  get profilingStart(): EpochNs {
    return this.start ?? this.store.origin;
  }

  /** Absent while the run goes on. */
  get profilingEnd(): EpochNs | undefined {
    return this.end;
  }

  /** False while a warm-up goes on whose end is not known yet. */
  get startIsSet(): boolean {
    return this.start !== undefined;
  }

  /** May be moved afterwards; statistics follow. */
  setProfilingStart(time: EpochNs): void {
    this.start = time;
  }

  /** Undefined: the run goes on after all. */
  setProfilingEnd(time: EpochNs | undefined): void {
    this.end = time;
  }

  /** Of a run that is over without having told its end, the last scrape is taken for it. */
  endWithLastScrape(): void {
    this.end ??= toEpoch(this.newest, this.store.origin);
  }

  /** Takes over what a user set of another run of the same samples: slice length, window and end of the warm-up. */
  adjustLike({ slice, chosen, start }: Run): void {
    this.slice = slice;
    this.chosen = chosen;
    this.start = start;
  }

  addMark(mark: Mark): void {
    this.marks.push(mark);
  }

  phaseAt(time: EpochNs): Phase {
    return this.start !== undefined && time < this.start ? "warmup" : "profiling";
  }

  /** Newest time of any scrape. */
  get newest(): OffsetNs {
    let newest = 0;
    for (const axis of this.store.endpoints) {
      const order = axis.timeOrder();
      const last = axis.rows === 0 ? 0 : axis.times.at(order?.[axis.rows - 1] ?? axis.rows - 1);
      if (last > newest) newest = last;
    }
    return offsetNs(newest);
  }

  offset(time: EpochNs): OffsetNs {
    return toOffset(time, this.store.origin);
  }
}
