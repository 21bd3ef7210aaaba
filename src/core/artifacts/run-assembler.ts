import type { EpochNs, Mark, NamedPhase, Phase, RunMetadata, Scrape, ServerEvent, WrittenTo } from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import { Run, Store, type TaggedRange } from "../store/index.js";
import type { RunEvent } from "./jsonl/write.js";
import type { JsonlReader } from "./jsonl/read.js";
import { grouped } from "../text/plural.js";

/** Of one file: a run has a few. */
const MAX_PHASES = 10_000;

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
  private readonly serverEvents: ServerEvent[] = [];
  private readonly phases = new Map<string, NamedPhase>();
  private run: Run | undefined;

  /** @param phase as the file's line gives it */
  scrape(scrape: Scrape, phase: string | undefined): void {
    this.store.append(scrape);
    if (this.metadata === undefined) this.tagged(scrape, phase);
  }

  /**
   * Tags bound the windows of a file without events: the warm-up and profiling each go from their first scrape to their
   * last. Scrapes between two phases have none.
   */
  private tagged({ time, endpointUrl }: Scrape, phase: string | undefined): void {
    const kind = phase === "warmup" || phase === "profiling" ? phase : undefined;
    if (kind === "warmup") {
      this.setWarmup(time);
      this.warmupOf(endpointUrl).push(time);
    }
    if (kind === "profiling") {
      const { start = time, end = time } = this.profiled.get(endpointUrl) ?? {};
      this.profiled.set(endpointUrl, {
        start: time < start ? time : start,
        end: time > end ? time : end,
        warmup: this.warmupOf(endpointUrl),
      });
      if (this.start === undefined || time < this.start) this.setStart(time);
      this.setEnd(undefined);
      if (this.lastTag !== "profiling" || this.lastProfiled === undefined || time > this.lastProfiled)
        this.lastProfiled = time;
    } else if (this.lastProfiled !== undefined) this.setEnd(this.lastProfiled);
    this.lastTag = kind;
  }

  /** Of each endpoint the stretch of scrapes that are tagged as profiling's. */
  private readonly profiled = new Map<string, TaggedRange>();
  private readonly warmedUp = new Map<string, EpochNs[]>();

  private warmupOf(endpointUrl: string): EpochNs[] {
    return getOrInsert(this.warmedUp, endpointUrl, () => []);
  }

  private lastTag: Phase | undefined;
  /** The last scrape of the last ones in a row that are tagged as profiling's. */
  private lastProfiled: EpochNs | undefined;

  /** How much of it a store had got by remote write; of a journal. */
  written: WrittenTo | undefined;

  /** @throws Error for a phase beyond the most that are read */
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
      case "phase":
        this.putPhase(event.phase);
        return;
      case "mark":
        this.addMark({ time: event.time, label: event.label });
        return;
      case "remote_write":
        this.written = event.written;
        return;
      case "server_event":
        this.serverEvents.push(event.event);
        this.run?.addServerEvent(event.event);
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

  /** The tagged warm-up ends with its last scrape. */
  private setWarmup(time: EpochNs): void {
    const before = this.phases.get("warmup");
    const end = before?.end === undefined || time > before.end ? time : before.end;
    this.putPhase({ name: "warmup", kind: "warmup", start: before?.start ?? time, end });
  }

  private putPhase(phase: NamedPhase): void {
    if (this.phases.size >= MAX_PHASES && !this.phases.has(phase.name))
      throw new Error(`it has more than the ${grouped(MAX_PHASES)} phases that are read from a file`);
    this.phases.set(phase.name, phase);
    this.run?.putPhase(phase);
  }

  private addMark(mark: Mark): void {
    this.marks.push(mark);
    this.run?.addMark(mark);
  }

  private build(fallback: RunMetadata): Run {
    const run = new Run(this.metadata ?? fallback, this.store);
    this.store.scrapesOverlap = this.metadata === undefined;
    if (this.start !== undefined) run.setProfilingStart(this.start);
    if (this.end !== undefined) run.setProfilingEnd(this.end);
    run.putPhases([...this.phases.values()]);
    if (this.profiled.size > 0) run.tagged = this.profiled;
    for (const mark of this.marks) run.addMark(mark);
    for (const event of this.serverEvents) run.addServerEvent(event);
    return run;
  }
}

/** Of families that were taken for counters by their name alone, those that fall become gauges. @returns their names */
export function settleGuesses(store: Store, names: Iterable<string>): readonly string[] {
  const guessed = new Set(names);
  const fallen: string[] = [];
  if (guessed.size === 0) return fallen;
  for (const { id, family } of store.seriesKeys()) {
    if (!guessed.has(family.name) || family.type !== "counter") continue;
    const samples = store.read(id);
    if (samples.kind !== "scalar" || !falls(samples.values)) continue;
    store.retype(family.name, "counter", "gauge");
    guessed.delete(family.name);
    fallen.push(family.name);
  }
  return fallen;
}

function falls(values: Float64Array): boolean {
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) < (values[i - 1] ?? 0)) return true;
  return false;
}
