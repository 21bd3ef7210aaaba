import {
  labelKey,
  offsetNs,
  type BoundText,
  type EndpointId,
  type Family,
  type Labels,
  type OffsetNs,
  type SeriesKey,
} from "../model/index.js";
import { CHUNK_FIELDS } from "./chunk.js";
import { Column } from "./column.js";
import { Float64Vector, placeOf, slabOf, Slabs, type Slab, type SlabList } from "./memory.js";
import type { HistogramColumns, SeriesColumns } from "./series.js";

/**
 * Some series of a store as plain data, which several threads can be sent at once. All numbers are shared, what
 * endpoints have in common stands once, and columns are built when they are read: the export of a fleet with 60,000
 * columns takes 0.7 s of processor time and 180 MB less than with all of them built on each of two threads.
 */
export interface SeriesPart {
  /** Those that no earlier part had; so the next three. */
  readonly families: readonly Family[];
  readonly labels: readonly Labels[];
  readonly layouts: readonly PlainLayout[];
  readonly buffers: readonly SharedArrayBuffer[];
  /**
   * Of each series: how many numbers it has, its endpoint, the positions of its family and labels among those of all
   * parts, when it was created (NaN: not known), then the number of its sets of bounds, -1 for a scalar, and its
   * columns; the columns of a histogram behind the position of each set. A column has rows, the first row, the number
   * of chunks, and three numbers a chunk.
   */
  readonly numbers: Float64Array;
}

interface PlainLayout {
  readonly key: string;
  readonly bounds: readonly BoundText[];
  readonly uppers: Float64Array;
}

/** Things by their positions in the order in which they were met. */
class Positions<K, T> {
  private readonly known = new Map<K, number>();
  private fresh: T[] = [];

  of(key: K, thing: T): number {
    let position = this.known.get(key);
    if (position === undefined) {
      this.known.set(key, (position = this.known.size));
      this.fresh.push(thing);
    }
    return position;
  }

  /** Those that were new since the last call. */
  take(): T[] {
    const { fresh } = this;
    this.fresh = [];
    return fresh;
  }
}

/** Turns series into parts; one for all parts of a store. */
export class PartWriter {
  private readonly families = new Positions<Family, Family>();
  private readonly labels = new Positions<string, Labels>();
  private readonly layouts = new Positions<string, PlainLayout>();
  private readonly buffers = new Positions<Slab, SharedArrayBuffer>();
  /** Of cells that the store itself has not sealed. */
  private readonly newest = new Slabs();

  part(
    stored: Iterable<{
      readonly key: Pick<SeriesKey, "endpoint" | "family" | "labels" | "created">;
      readonly columns: SeriesColumns;
    }>,
  ): SeriesPart {
    const numbers = new Float64Vector(1024);
    for (const { key, columns } of stored) {
      const start = numbers.length;
      numbers.push(0);
      numbers.push(key.endpoint);
      numbers.push(this.families.of(key.family, key.family));
      numbers.push(this.labels.of(labelKey(key.labels), key.labels));
      numbers.push(key.created ?? NaN);
      if (columns.kind === "scalar") {
        numbers.push(-1);
        this.add(columns.column, numbers);
      } else {
        numbers.push(columns.layouts.size);
        for (const [layout, { bounds, uppers, sum, count, buckets }] of columns.layouts) {
          numbers.push(this.layouts.of(layout, { key: layout, bounds, uppers }));
          this.add(sum, numbers);
          this.add(count, numbers);
          for (const bucket of buckets) this.add(bucket, numbers);
        }
      }
      numbers.set(start, numbers.length - start);
    }
    const shared = new Float64Array(new SharedArrayBuffer(numbers.length * Float64Array.BYTES_PER_ELEMENT));
    shared.set(numbers.view());
    return {
      families: this.families.take(),
      labels: this.labels.take(),
      layouts: this.layouts.take(),
      buffers: this.buffers.take(),
      numbers: shared,
    };
  }

  private add(column: Column, numbers: Float64Vector): void {
    numbers.push(column.length);
    numbers.push(column.firstRow);
    numbers.push(column.newestChunks);
    column.eachChunk(this.newest, (kind, value, slab, at) => {
      numbers.push(kind);
      numbers.push(value);
      numbers.push(slab === undefined ? 0 : placeOf(this.buffers.of(slab, slab.buffer), at));
    });
  }
}

/** A series of a part. */
export interface PartSeries extends Pick<SeriesKey, "endpoint" | "family" | "labels"> {
  readonly created: OffsetNs | undefined;
  /** Built anew by each call. */
  readonly columns: () => SeriesColumns;
}

/** Turns parts into series again, in their order. */
export class PartReader {
  private readonly families: Family[] = [];
  private readonly labels: Labels[] = [];
  private readonly layouts: PlainLayout[] = [];
  private readonly slabs: Slab[] = [];
  private readonly slabList: SlabList = { slab: (position) => itemAt(this.slabs, position, "slab") };

  *series(part: SeriesPart): Iterable<PartSeries> {
    this.families.push(...part.families);
    this.labels.push(...part.labels);
    this.layouts.push(...part.layouts);
    this.slabs.push(...part.buffers.map(slabOf));
    const { numbers } = part;
    for (let start = 0; start < numbers.length; start += numbers[start] ?? NaN) {
      const from = start;
      const created = numbers[start + 4] ?? NaN;
      yield {
        endpoint: (numbers[start + 1] ?? NaN) as EndpointId,
        family: itemAt(this.families, numbers[start + 2], "family"),
        labels: itemAt(this.labels, numbers[start + 3], "labels"),
        created: Number.isNaN(created) ? undefined : offsetNs(created),
        columns: () => this.columns(numbers, from + 5),
      };
    }
  }

  private columns(numbers: Float64Array, start: number): SeriesColumns {
    let at = start;
    const next = () => numbers[at++] ?? NaN;
    const column = () => {
      const [rows, firstRow, length] = [next(), next(), next() * CHUNK_FIELDS];
      at += length;
      return Column.of(this.slabList, numbers.subarray(at - length, at), rows, firstRow);
    };
    const count = next();
    if (count < 0) return { kind: "scalar", column: column() };
    const layouts = new Map<string, HistogramColumns>();
    while (layouts.size < count) {
      const { key, bounds, uppers } = itemAt(this.layouts, next(), "set of bounds");
      layouts.set(key, { bounds, uppers, sum: column(), count: column(), buckets: bounds.map(column) });
    }
    return { kind: "histogram", layouts };
  }
}

function itemAt<T>(list: readonly T[], position: number | undefined, what: string): T {
  const found = list[position ?? -1];
  if (found === undefined) throw new RangeError(`no ${what} ${position} among ${list.length}`);
  return found;
}
