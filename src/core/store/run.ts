import {
  offsetNs,
  toEpoch,
  toOffset,
  type FileStatistics,
  loadWindowOf,
  marksOf,
  withLoadWindow,
  withMarks,
  type EpochNs,
  type LoadWindow,
  type Mark,
  type NamedPhase,
  type OffsetNs,
  type Phase,
  type RunMetadata,
  type Scrape,
  type ServerEvent,
  type TimeRange,
  type WindowRule,
} from "../model/index.js";
import type { JsonObject } from "../text/index.js";
import { PartReader, PartWriter, type SeriesPart } from "./parts.js";
import { Store, type StorePart } from "./store.js";

/** The phases and windows of a run, as they were recorded and as a user chose them. */
interface RunState {
  start: EpochNs | undefined;
  /** What the end of the warm-up was before a user moved it. */
  moved: { readonly from: EpochNs | undefined } | undefined;
  end: EpochNs | undefined;
  slice: number;
  named: readonly NamedPhase[];
  chosen: { readonly start: EpochNs; readonly end: EpochNs } | undefined;
  load: LoadWindow | undefined;
}

/** What a run holds beside its series, as plain data. */
export interface RunPart {
  readonly metadata: RunMetadata;
  readonly store: StorePart;
  readonly serverEvents: readonly ServerEvent[];
  readonly fileStatistics: FileStatistics | undefined;
  readonly state: Readonly<RunState>;
  readonly tagged: Run["tagged"];
}

/** Series that are made plain data at a time. */
const SERIES_A_PART = 64;

/** From an endpoint's first scrape tagged as profiling's to its last, and the times of those tagged as warm-up's. */
export interface TaggedRange extends TimeRange {
  readonly warmup?: readonly EpochNs[];
}

/** A run: its samples, its phases and what the user said of it. */
export class Run {
  readonly marks: Mark[];
  /** In the order in which they were read. */
  readonly serverEvents: ServerEvent[] = [];
  readonly store: Store;
  /** What the run's file says beyond its samples; absent when they tell all. */
  fileStatistics: FileStatistics | undefined;
  /**
   * Of a run whose scrapes carry tags, as AIPerf's do: by endpoint, the stretch of profiling's. Scrapes of the warm-up
   * may come after profiling has started.
   */
  tagged: ReadonlyMap<string, TaggedRange> | undefined;
  private state: RunState;
  private about: RunMetadata;
  private offered = false;
  private begun: EpochNs | undefined;

  constructor(metadata: RunMetadata, store = new Store()) {
    this.about = metadata;
    this.store = store;
    this.state = {
      start: undefined,
      moved: undefined,
      end: undefined,
      slice: metadata.sliceDurationSeconds,
      named: [],
      chosen: undefined,
      load: loadWindowOf(metadata.inputConfig),
    };
    this.marks = [...marksOf(metadata.inputConfig)];
  }

  get metadata(): RunMetadata {
    return this.about;
  }

  /**
   * The window of the load, where it is known: from its file, or as it was found. Whether it is measured, `windowRule`
   * tells.
   */
  get load(): LoadWindow | undefined {
    return this.state.load;
  }

  /** What profiling is: the load, or all that was captured. Where a user moved its start, what it was before. */
  get windowRule(): WindowRule {
    const { start, moved, end, load } = this.state;
    return load !== undefined && (moved ?? { from: start }).from === load.start && end === load.end ? "load" : "all";
  }

  /** Makes profiling the load's window, and has the run's files tell it. */
  measureLoad(load: LoadWindow): void {
    this.state.load = load;
    this.applyWindowRule("load");
  }

  /** Keeps the load's window beside what is measured, so that it can be chosen; undefined forgets it. */
  offerLoad(load: LoadWindow | undefined): void {
    this.state.load = load;
    this.offered = load !== undefined;
  }

  /**
   * Whether the samples of the load and of all that was captured are there. A Parquet file that was written of a load
   * holds nothing else.
   */
  get isWindowSwitchable(): boolean {
    const { load: known } = this.state;
    if (known === undefined || this.offered) return known !== undefined;
    const holdsAll = this.origin <= known.whole.start && toEpoch(this.newest, this.origin) >= known.end;
    return this.fileStatistics === undefined && holdsAll;
  }

  /** Measures the load, or all that was captured. Nothing changes where no load is known. */
  applyWindowRule(rule: WindowRule): void {
    const { load: known } = this.state;
    if (known === undefined) return;
    const { start, end } = rule === "load" ? known : known.whole;
    this.state.start = start;
    this.state.end = end;
    this.state.moved = undefined;
    const warmup = this.state.named.find(({ kind }) => kind === "warmup");
    if (warmup !== undefined && known.warmup !== undefined) this.putPhase({ ...warmup, ...known.warmup[rule] });
    if (rule === "load") this.about = { ...this.about, inputConfig: withLoadWindow(this.about.inputConfig, known) };
  }

  /** Where statistics begin: with profiling, or later in a capture under way whose load began later. */
  get measuredFrom(): EpochNs {
    return this.begun ?? this.profilingStart;
  }

  /**
   * Has statistics begin with the load while the capture goes on, where there is something to show from then on;
   * undefined: with profiling again.
   */
  measureFrom(begun: EpochNs | undefined): void {
    const shows = begun !== undefined && begun > this.profilingStart && this.offset(begun) < this.newest;
    this.begun = shows ? begun : undefined;
  }

  /**
   * The run as it stands now, as plain data that another thread can be sent: all but its series, and its series bit by
   * bit. Samples that come meanwhile are left out.
   */
  parts(): { readonly head: RunPart; readonly series: Iterable<SeriesPart> } {
    const { metadata, serverEvents, fileStatistics, store, tagged } = this;
    const count = store.seriesCount;
    function* series() {
      const writer = new PartWriter();
      for (let from = 0; from < count; from += SERIES_A_PART)
        yield writer.part(store.seriesBetween(from, Math.min(count, from + SERIES_A_PART)));
    }
    const state = { ...this.state };
    return { head: { metadata, store: store.part(), serverEvents, fileStatistics, state, tagged }, series: series() };
  }

  /** The run of such parts. It may be read, but must not grow: its cells are another thread's. */
  static of(
    { metadata, store, serverEvents, fileStatistics, state, tagged }: RunPart,
    parts: Iterable<SeriesPart>,
  ): Run {
    const run = new Run(metadata, Store.of(store));
    const reader = new PartReader();
    for (const part of parts) for (const series of reader.series(part)) run.store.adopt(series);
    run.serverEvents.push(...serverEvents);
    run.fileStatistics = fileStatistics;
    run.state = { ...state };
    run.tagged = tagged;
    return run;
  }

  /** Length of the slices that views and artifacts cut; the metadata's until it is changed. */
  get sliceSeconds(): number {
    return this.state.slice;
  }

  /** @throws RangeError unless positive */
  setSliceSeconds(seconds: number): void {
    if (!(seconds > 0)) throw new RangeError(`slice duration must be positive, not ${seconds} s`);
    this.state.slice = seconds;
  }

  /** An exact window that a user chose for all statistics; absent: the profiling phase as recorded. */
  get chosenWindow(): { readonly start: EpochNs; readonly end: EpochNs } | undefined {
    return this.state.chosen;
  }

  /** @throws RangeError for an empty window */
  chooseWindow(window: { readonly start: EpochNs; readonly end: EpochNs } | undefined): void {
    if (window !== undefined && window.end <= window.start) throw new RangeError("the window ends before it starts");
    this.state.chosen = window;
  }

  /** The time of offset 0: that of the first scrape; of a run without any, where its profiling was set to begin. */
  get origin(): EpochNs {
    return this.store.scrapes === 0 ? (this.state.start ?? this.store.origin) : this.store.origin;
  }

  /** End of the warm-up; the first scrape's time until one was set. */
  get profilingStart(): EpochNs {
    return this.state.start ?? this.store.origin;
  }

  /** Absent while the run goes on. */
  get profilingEnd(): EpochNs | undefined {
    return this.state.end;
  }

  /** False while a warm-up goes on whose end is not known yet. */
  get startIsSet(): boolean {
    return this.state.start !== undefined;
  }

  /** May be moved afterwards; statistics follow. */
  setProfilingStart(time: EpochNs): void {
    this.state.start = time;
  }

  /**
   * Moves the end of the warm-up as a user wants it, for views and statistics; undefined goes back to where it was
   * recorded.
   */
  moveProfilingStart(time: EpochNs | undefined): void {
    if (time === undefined) {
      if (this.state.moved !== undefined) this.state.start = this.state.moved.from;
      this.state.moved = undefined;
    } else {
      this.state.moved ??= { from: this.state.start };
      this.state.start = time;
    }
  }

  /** Where the warm-up ended as recorded, when a user has moved its end. */
  get recordedStart(): EpochNs | undefined {
    return this.state.moved === undefined ? undefined : (this.state.moved.from ?? this.store.origin);
  }

  /** Undefined: the run goes on after all. */
  setProfilingEnd(time: EpochNs | undefined): void {
    this.state.end = time;
  }

  /** Of a run that is over without a recorded end, the last scrape is taken for it. */
  endWithLastScrape(): void {
    this.state.end ??= toEpoch(this.newest, this.origin);
  }

  /** Warm-ups and named phases in the order of their starts; none where the run is one stretch of profiling. */
  get phases(): readonly NamedPhase[] {
    return this.state.named;
  }

  /** Adds a phase, or tells more of the one of that name, such as its end. */
  putPhase(phase: NamedPhase): void {
    this.putPhases([phase]);
  }

  /** As `putPhase`, of several of different names. */
  putPhases(phases: readonly NamedPhase[]): void {
    const names = new Set(phases.map(({ name }) => name));
    const others = this.state.named.filter(({ name }) => !names.has(name));
    this.state.named = [...others, ...phases].sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
  }

  /** Takes over what a user set of another run of the same samples: slice length, window and end of the warm-up. */
  adjustLike({ state: { end, named, ...others } }: Run): void {
    const ofLoad = others.load === undefined ? {} : { end, named };
    this.state = { ...this.state, ...others, ...ofLoad };
  }

  /** Adds entries to the run's configuration that are known only while or after it goes on. */
  configure(entries: JsonObject): void {
    this.about = { ...this.about, inputConfig: { ...this.about.inputConfig, ...entries } };
  }

  /** Adds a mark to the run, unless its file's configuration has told it already. */
  addMark(mark: Mark): void {
    if (this.marks.some(({ time, label }) => time === mark.time && label === mark.label)) return;
    this.marks.push(mark);
    this.configure(withMarks(this.marks));
  }

  addServerEvent(event: ServerEvent): void {
    this.serverEvents.push(event);
  }

  /**
   * The phase that a scrape belongs to: that of the moment it began, or the phase whose bounds name its time. Absent
   * for what lies before the first phase or between two.
   */
  phaseOf({ time, requestSent }: Pick<Scrape, "time" | "requestSent">): Phase | undefined {
    if (this.state.load !== undefined && this.windowRule === "load" && time >= this.state.load.start)
      return time <= this.state.load.end ? "profiling" : undefined;
    const own = this.state.named.find(({ tags }) => tags !== undefined && time >= tags.from && time < tags.to);
    if (own !== undefined) return own.kind;
    const rest = this.state.named.filter(({ tags }) => tags === undefined);
    if (rest.length === 0 && this.state.named.length > 0) return undefined;
    const begun = this.state.named.findLast(({ start }) => start <= requestSent);
    if (begun === undefined) {
      const profiles = this.state.start === undefined || requestSent >= this.state.start;
      return profiles && !this.hasNamedProfiling ? "profiling" : undefined;
    }
    if (begun.kind === "warmup") {
      // What is still in flight at its end settles in scrapes that belong to the warm-up.
      return this.state.start === undefined || requestSent < this.state.start ? "warmup" : "profiling";
    }
    const isLast = this.state.named.at(-1) === begun;
    return isLast || begun.end === undefined || requestSent <= begun.end ? "profiling" : undefined;
  }

  /** Whether parts of profiling have names. */
  get hasNamedProfiling(): boolean {
    return this.state.named.some(({ kind }) => kind === "profiling");
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
    return toOffset(time, this.origin);
  }
}
