import {
  offsetNs,
  toOffset,
  type CreatedSeries,
  type EndpointId,
  type EpochNs,
  type Family,
  type Labels,
  type MetricType,
  type OffsetNs,
  type Scrape,
  type SeriesId,
  type SeriesKey,
  type SeriesSamples,
} from "../model/index.js";
import { Column } from "./column.js";
import { EndpointAxis, type AxisPart, type RowKind, EndpointSeries, familyKey } from "./endpoint.js";
import type { PartSeries } from "./parts.js";
import { fillColumns, Plan, type PartCells } from "./plan.js";
import { readLast, readScalar, readSegments } from "./read.js";
import { RowReader } from "./rows.js";
import { type Scratch, Slabs } from "./memory.js";
import { layoutColumns, type StoredSeries } from "./series.js";

type ScalarType = Exclude<MetricType, "histogram">;

/** What a store holds beside its series, as plain data. */
export interface StorePart {
  readonly origin: EpochNs | undefined;
  readonly firstId: number;
  readonly scrapes: number;
  readonly axes: readonly AxisPart[];
  readonly families: readonly Family[];
  readonly birthsKnown: boolean;
  readonly scrapesOverlap: boolean;
}

/**
 * All samples of a run: columns per series over one time axis per endpoint, append-only.
 * Times are OffsetNs from `origin`, the first scrape's time (or the one given).
 */
export class Store {
  private readonly states: EndpointSeries[] = [];
  /** Of `states`: some ask for one of them for each series. */
  private readonly axes: EndpointAxis[] = [];
  private readonly stateByUrl = new Map<string, EndpointSeries>();
  private readonly allSeries: StoredSeries[] = [];
  private readonly familiesByKey = new Map<string, Family>();
  private readonly slabs = new Slabs();
  private scrapeCount = 0;
  private firstTime: EpochNs | undefined;
  /** Whether a series that appears late began then. False of a file that does not tell what it had counted before. */
  birthsKnown = true;
  /** Whether a scrape may have been begun before the one ahead of it was answered, as AIPerf's are. */
  scrapesOverlap = false;

  /** @param firstId id of the first series; stores that share out one file's series must not share ids */
  constructor(
    origin?: EpochNs,
    private readonly firstId = 0,
  ) {
    this.firstTime = origin;
  }

  /** A store of these scrapes and families, to which `adopt` adds the series. */
  static of({ origin, firstId, scrapes, axes, families, birthsKnown, scrapesOverlap }: StorePart): Store {
    const store = new Store(origin, firstId);
    store.birthsKnown = birthsKnown;
    store.scrapesOverlap = scrapesOverlap;
    store.scrapeCount = scrapes;
    for (const axis of axes) store.stateOf(axis.url).axis.addAll(axis);
    for (const family of families) store.familiesByKey.set(familyKey(family), family);
    return store;
  }

  /** All but the series, as it stands now. */
  part(): StorePart {
    const { firstTime: origin, firstId, scrapeCount: scrapes, birthsKnown, scrapesOverlap } = this;
    const axes = this.endpoints.map((axis) => axis.part());
    return { origin, firstId, scrapes, axes, families: this.families(), birthsKnown, scrapesOverlap };
  }

  /** Some series by the order of their appearance, with all their samples so far in their columns. */
  seriesBetween(from: number, to: number): readonly StoredSeries[] {
    this.flush();
    return this.allSeries.slice(from, to);
  }

  /**
   * Takes over the next series of another store, which is only read from then on. Its columns are asked for whenever
   * they are needed, so that none has to be kept.
   */
  adopt({ endpoint, family, labels, created, columns }: PartSeries): void {
    const state = this.stateById(endpoint);
    const key = this.nextKey(state, family, labels);
    const series: StoredSeries = {
      key: created === undefined ? key : { ...key, created },
      get columns() {
        return columns();
      },
    };
    this.allSeries.push(series);
    state.series.push(series);
  }

  /** Time of offset 0; 0 while nothing was appended. */
  get origin(): EpochNs {
    return this.firstTime ?? (0n as EpochNs);
  }

  get scrapes(): number {
    return this.scrapeCount;
  }

  get endpoints(): readonly EndpointAxis[] {
    return this.axes;
  }

  /** In order of first appearance, which ids count. */
  get seriesCount(): number {
    return this.allSeries.length;
  }

  families(): readonly Family[] {
    return [...this.familiesByKey.values()];
  }

  /** @throws RangeError for an id this store never gave. */
  seriesKey(id: SeriesId): SeriesKey {
    return this.stored(id).key;
  }

  /** @param endpoint only its series; absent: those of all */
  *seriesKeys(endpoint?: EndpointId): Iterable<SeriesKey> {
    const found = endpoint === undefined ? this.allSeries : this.stateById(endpoint).series;
    for (const series of found) yield series.key;
  }

  endpoint(url: string): EndpointAxis | undefined {
    return this.stateByUrl.get(url)?.axis;
  }

  /** Bytes used by columns. */
  get bytes(): number {
    this.flush();
    let sum = 0;
    for (const { columns } of this.allSeries) {
      if (columns.kind === "scalar") sum += columns.column.bytes;
      else for (const layout of columns.layouts.values()) sum += layoutColumns(layout).reduce((s, c) => s + c.bytes, 0);
    }
    return sum;
  }

  /**
   * Takes one scrape, in order of arrival; times may run backwards and are sorted when read.
   * @throws RangeError when its time lies over 104 days from the origin.
   */
  append(scrape: Scrape): void {
    this.firstTime ??= scrape.time;
    const time = toOffset(scrape.time, this.firstTime);
    const state = this.stateOf(scrape.endpointUrl);
    const { outcome } = scrape;
    const kind: RowKind = outcome.kind === "samples" ? "update" : outcome.kind;
    const sent = toOffset(scrape.requestSent, this.firstTime);
    const row = state.axis.add(
      time,
      scrape.latency,
      sent,
      this.scrapeCount++,
      kind,
      outcome.kind === "failed" ? outcome.error : undefined,
    );
    if (outcome.kind === "samples") {
      const { batch } = outcome;
      if (state.plan?.fits(batch) !== true) {
        state.plan?.flush();
        state.plan = new Plan(batch, ({ family, labels }) => this.seriesOf(state, family, labels), this.slabs);
      }
      state.plan.append(row, batch.values);
      // Of an endpoint that answered before, its scrapes tell what began.
      if (batch.created !== undefined && state.axis.rows - state.axis.failures === 1)
        this.noteCreated(state, batch.created, time);
    } else if (outcome.kind === "duplicate") {
      state.plan?.repeat(row);
    }
  }

  /**
   * Writes samples of one series at rows that its endpoint has already (of scrapes appended without samples): an
   * artifact holds series by series what a capture sees scrape by scrape, and a long one is rebuilt much faster so.
   * Rows ascend, also from call to call.
   * @param rows of each sample
   * @param parts those that these samples have; of a scalar a value that is not finite is a gap
   * @param buckets false: those of histograms were not read, and there is not even the one of all observations
   */
  fill(
    endpointUrl: string,
    family: Family,
    labels: Labels,
    rows: Int32Array,
    parts: readonly PartCells[],
    buckets = true,
  ): void {
    fillColumns(this.seriesOf(this.stateOf(endpointUrl), family, labels), rows, parts, { slabs: this.slabs, buckets });
  }

  /**
   * Takes a scrape whose samples come by `fill`, as it lies in a file: its latency is not known.
   * @throws RangeError when its time lies over 104 days from the origin
   */
  appendEmpty(endpointUrl: string, time: OffsetNs): void {
    if (!Number.isSafeInteger(time))
      throw new RangeError(`a scrape of ${endpointUrl} lies more than 104 days from the run's first timestamp`);
    this.stateOf(endpointUrl).axis.add(time, 0, time, this.scrapeCount++, "update");
  }

  /**
   * Gives a family of scalars another type, once all its samples are known. What is appended later under the old type
   * is a family of its own.
   * @throws Error when there is a family of that name and type already
   */
  retype(name: string, from: ScalarType, to: ScalarType): void {
    const before = familyKey({ type: from, name });
    const family = this.familiesByKey.get(before);
    if (family === undefined) return;
    const retyped = { ...family, type: to };
    if (this.familiesByKey.has(familyKey(retyped))) throw new Error(`${name} is a ${to} already`);
    this.familiesByKey.delete(before);
    this.familiesByKey.set(familyKey(retyped), retyped);
    for (const state of this.states) state.retype(family, retyped);
  }

  /** All samples of a series in time order. @param scratch they may lie in: valid until it begins anew */
  read(id: SeriesId, scratch?: Scratch): SeriesSamples {
    const { key, columns } = this.written(id);
    const state = this.stateById(key.endpoint);
    return columns.kind === "scalar"
      ? readScalar(columns.column, state.axis, scratch)
      : { kind: "histogram", segments: readSegments([...columns.layouts.values()], state.axis, scratch) };
  }

  /** The values of a scalar in its endpoint's rows from one on, in order of arrival. @returns none of a histogram */
  valuesFrom(id: SeriesId, row: number): Float64Array {
    const { columns } = this.written(id);
    if (columns.kind !== "scalar" || columns.column.length <= row) return new Float64Array(0);
    const cells = new Float64Array(columns.column.length - row);
    columns.column.read(row, columns.column.length, cells);
    return cells.filter((cell) => !Number.isNaN(cell));
  }

  /** Newest value of a scalar, newest count of a histogram; NaN when there is none. */
  last(id: SeriesId): number {
    const { key, columns } = this.written(id);
    const { rows } = this.stateById(key.endpoint).axis;
    return columns.kind === "scalar"
      ? readLast([columns.column], rows)
      : readLast(
          Array.from(columns.layouts.values(), (layout) => layout.count),
          rows,
        );
  }

  /**
   * Every scrape in order of arrival, as it was appended; those that come meanwhile are left out. The batch is reused
   * between calls. A gap comes back as NaN, whatever non-finite value it was.
   * @param from how many of the first scrapes are passed over
   */
  *scrapesInOrder(count = this.scrapeCount, from = 0): Iterable<Scrape> {
    this.flush();
    const readers = this.states.map((state) => new RowReader(state.axis, state.series));
    // Of each scrape its endpoint: asking every endpoint for each is too much where there are many of both.
    const owners = new Int32Array(Math.max(0, count - from)).fill(-1);
    const rows = this.states.map(({ axis }, e) => {
      const first = axis.rowOfSequence(from);
      for (let row = first; row < axis.rows && axis.sequence.at(row) < count; row++)
        owners[axis.sequence.at(row) - from] = e;
      return first;
    });
    for (const e of owners) {
      const state = this.states[e];
      const reader = readers[e];
      if (state === undefined || reader === undefined) continue;
      const row = rows[e] ?? 0;
      rows[e] = row + 1;
      yield reader.scrape(row, this.origin);
    }
  }

  /** Says when a series was created: during the run, where no scrape before its first sample succeeded. */
  setCreated(id: SeriesId, created: OffsetNs): void {
    const series = this.stored(id);
    series.key = { ...series.key, created };
  }

  private noteCreated(state: EndpointSeries, created: readonly CreatedSeries[], until: OffsetNs): void {
    for (const { family, labels, time } of created) {
      const since = Number(time - this.origin);
      const series = since > 0 && since < until ? state.find(family, labels) : undefined;
      if (series !== undefined) this.setCreated(series.key.id, offsetNs(since));
    }
  }

  private flush(): void {
    for (const { plan } of this.states) plan?.flush();
  }

  /** A series with all its samples in its columns. */
  private written(id: SeriesId): StoredSeries {
    const series = this.stored(id);
    this.states[series.key.endpoint]?.plan?.flush();
    return series;
  }

  private stored(id: SeriesId): StoredSeries {
    const series = this.allSeries[id - this.firstId];
    if (series === undefined) throw new RangeError(`no series ${id} among ${this.allSeries.length}`);
    return series;
  }

  private stateById(id: EndpointId): EndpointSeries {
    const state = this.states[id];
    if (state === undefined) throw new RangeError(`no endpoint ${id} among ${this.states.length}`);
    return state;
  }

  private stateOf(url: string): EndpointSeries {
    let state = this.stateByUrl.get(url);
    if (state === undefined) {
      const axis = new EndpointAxis(this.states.length as EndpointId, url);
      state = new EndpointSeries(axis);
      this.states.push(state);
      this.axes.push(axis);
      this.stateByUrl.set(url, state);
    }
    return state;
  }

  private seriesOf(state: EndpointSeries, family: Family, labels: Labels): StoredSeries {
    const known = state.find(family, labels);
    if (known !== undefined) return known;
    this.describe(family);
    const series: StoredSeries = {
      key: this.nextKey(state, family, labels),
      columns:
        family.type === "histogram"
          ? { kind: "histogram", layouts: new Map() }
          : { kind: "scalar", column: new Column(this.slabs) },
    };
    this.allSeries.push(series);
    state.add(series);
    return series;
  }

  /** A description may come with a later scrape than the name. */
  private describe(family: Family): void {
    const key = familyKey(family);
    const known = this.familiesByKey.get(key);
    if (known === undefined || (known.description === "" && family.description !== ""))
      this.familiesByKey.set(key, family);
  }

  private nextKey({ axis }: EndpointSeries, family: Family, labels: Labels): SeriesKey {
    const id = (this.firstId + this.allSeries.length) as SeriesId;
    return { id, endpoint: axis.id, endpointUrl: axis.url, family, labels };
  }
}
