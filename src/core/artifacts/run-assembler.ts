import { type EpochNs, type Mark, type RunMetadata, type Scrape } from "../model/index.js";
import { Run, Store } from "../store/index.js";
import type { RunEvent } from "./jsonl.js";
import type { JsonlReader } from "./jsonl-read.js";
import { settleGuesses } from "./untyped.js";

/**
 * Puts a run together from the scrapes and events of a file. What comes after it has been assembled goes into the same
 * run.
 */
export class RunAssembler {
  readonly store = new Store();
  private metadata: RunMetadata | undefined;
  private start: EpochNs | undefined;
  private end: EpochNs | undefined;
  private readonly marks: Mark[] = [];
  private newest: EpochNs | undefined;
  private run: Run | undefined;

  scrape(scrape: Scrape): void {
    this.store.append(scrape);
    if (this.newest === undefined || scrape.time > this.newest) this.newest = scrape.time;
  }

  /**
   * The phase that the lines from here on give. It bounds the window of a file without events: profiling goes from its
   * first scrape to its last.
   */
  phase(phase: string, time: EpochNs): void {
    if (this.metadata !== undefined) return;
    if (phase === "profiling") this.setStart(this.start ?? time);
    else if (this.start !== undefined) this.setEnd(this.end ?? this.newest);
  }

  event(event: RunEvent): void {
    switch (event.kind) {
      case "run_start":
        this.metadata = event.metadata;
        return;
      case "profiling_start":
        this.setStart(event.time);
        return;
      case "profiling_end":
        this.setEnd(event.time);
        return;
      case "mark":
        this.addMark({ time: event.time, label: event.label });
    }
  }

  /** False for a file of another tool, or one whose beginning is lost. */
  get hasMetadata(): boolean {
    return this.metadata !== undefined;
  }

  get hasWindow(): boolean {
    return this.start !== undefined;
  }

  /** The run as far as it is known now; it grows with the store, and its series keep their ids. */
  preview(fallback: RunMetadata): Run {
    return this.build(fallback);
  }

  /**
   * @param fallback for what the file does not say
   * @param reader whose guesses at types are settled by the samples there are
   */
  assemble(fallback: RunMetadata, reader: JsonlReader): Run {
    this.settle(reader);
    return (this.run = this.build(fallback));
  }

  /** Settles what the reader has guessed, once more samples are there. */
  settle(reader: JsonlReader): void {
    for (const name of settleGuesses(this.store, reader.guessedCounters)) reader.isGauge(name);
  }

  /** The end of profiling that the file tells. */
  get profilingEnd(): EpochNs | undefined {
    return this.end;
  }

  private setStart(time: EpochNs): void {
    if (time === this.start) return;
    this.start = time;
    this.run?.setProfilingStart(time);
  }

  private setEnd(time: EpochNs | undefined): void {
    this.end = time;
    this.run?.setProfilingEnd(time);
  }

  private addMark(mark: Mark): void {
    this.marks.push(mark);
    this.run?.addMark(mark);
  }

  private build(fallback: RunMetadata): Run {
    const run = new Run(
      this.metadata ?? { ...fallback, endpointsConfigured: this.store.endpoints.map((axis) => axis.url) },
      this.store,
    );
    if (this.start !== undefined) run.setProfilingStart(this.start);
    if (this.end !== undefined) run.setProfilingEnd(this.end);
    for (const mark of this.marks) run.addMark(mark);
    return run;
  }
}
