import type { EndpointId, Family, Labels, BoundText } from "../model/index.js";
import { Column, slabOf, Slabs, type Chunk, type Slab } from "./column.js";
import { Float64Vector } from "./growable.js";
import type { SeriesColumns } from "./series.js";

/** Some series of a store as plain data, which another thread can be sent. Sealed cells are shared, not copied. */
export interface SeriesPart {
  /** Those that no earlier part had. */
  readonly families: readonly Family[];
  readonly buffers: readonly SharedArrayBuffer[];
  readonly series: readonly PlainSeries[];
  /** Of their columns, in order: rows, the first row, number of chunks, then four numbers a chunk. */
  readonly chunks: Float64Array;
}

interface PlainSeries {
  readonly endpoint: EndpointId;
  /** Counts the families of all parts. */
  readonly family: number;
  readonly labels: Labels;
  /** Of a histogram: its sets of bounds. */
  readonly layouts?: readonly { readonly key: string; readonly bounds: readonly BoundText[]; uppers: Float64Array }[];
}

/** What a chunk is, the first of its four numbers; integers and doubles have the bytes of a cell. */
const CONSTANT = 0;
const DOUBLES = 8;

/** Turns series into parts; one for all parts of a store. */
export class PartWriter {
  private readonly families = new Map<Family, number>();
  private readonly slabs = new Map<Slab, number>();
  /** Of cells that the store itself has not sealed. */
  private readonly newest = new Slabs();

  part(
    stored: Iterable<{
      readonly key: { readonly endpoint: EndpointId; readonly family: Family; readonly labels: Labels };
      readonly columns: SeriesColumns;
    }>,
  ): SeriesPart {
    const families: Family[] = [];
    const buffers: SharedArrayBuffer[] = [];
    const chunks = new Float64Vector();
    const add = (column: Column) => {
      const sealed = column.chunks(this.newest);
      chunks.push(column.length);
      chunks.push(column.firstRow);
      chunks.push(sealed.length);
      for (const chunk of sealed) for (const number of this.numbersOf(chunk, buffers)) chunks.push(number);
    };
    const series = Array.from(stored, ({ key: { endpoint, family, labels }, columns }): PlainSeries => {
      let index = this.families.get(family);
      if (index === undefined) {
        this.families.set(family, (index = this.families.size));
        families.push(family);
      }
      if (columns.kind === "scalar") {
        add(columns.column);
        return { endpoint, family: index, labels };
      }
      const layouts = Array.from(columns.layouts, ([key, { bounds, uppers, sum, count, buckets }]) => {
        for (const column of [sum, count, ...buckets]) add(column);
        return { key, bounds, uppers };
      });
      return { endpoint, family: index, labels, layouts };
    });
    return { families, buffers, series, chunks: chunks.view().slice() };
  }

  private numbersOf(chunk: Chunk, buffers: SharedArrayBuffer[]): readonly [number, number, number, number] {
    if (chunk.kind === "constant") return [CONSTANT, chunk.value, 0, 0];
    let slab = this.slabs.get(chunk.slab);
    if (slab === undefined) {
      this.slabs.set(chunk.slab, (slab = this.slabs.size));
      buffers.push(chunk.slab.buffer);
    }
    return chunk.kind === "doubles" ? [DOUBLES, 0, slab, chunk.at] : [chunk.width, chunk.base, slab, chunk.at];
  }
}

/** Turns parts into series again, in their order. */
export class PartReader {
  private readonly families: Family[] = [];
  private readonly slabs: Slab[] = [];

  *series(part: SeriesPart) {
    this.families.push(...part.families);
    this.slabs.push(...part.buffers.map(slabOf));
    const { chunks } = part;
    let at = 0;
    const next = () => chunks[at++] ?? NaN;
    const column = () => {
      const [rows, firstRow, length] = [next(), next(), next()];
      return Column.of(
        Array.from({ length }, () => this.chunk(next)),
        rows,
        firstRow,
      );
    };
    for (const { endpoint, family: index, labels, layouts } of part.series) {
      const family = this.families[index];
      if (family === undefined) throw new RangeError(`no family ${index} among ${this.families.length}`);
      const columns: SeriesColumns =
        layouts === undefined
          ? { kind: "scalar", column: column() }
          : {
              kind: "histogram",
              layouts: new Map(
                layouts.map(({ key, bounds, uppers }) => [
                  key,
                  { bounds, uppers, sum: column(), count: column(), buckets: bounds.map(column) },
                ]),
              ),
            };
      yield { endpoint, family, labels, columns };
    }
  }

  private chunk(next: () => number): Chunk {
    const [kind, value, index, at] = [next(), next(), next(), next()];
    if (kind === CONSTANT) return { kind: "constant", value };
    const slab = this.slabs[index];
    if (slab === undefined) throw new RangeError(`no slab ${index} among ${this.slabs.length}`);
    if (kind === DOUBLES) return { kind: "doubles", slab, at };
    if (kind !== 1 && kind !== 2 && kind !== 4) throw new RangeError(`a chunk has cells of ${kind} bytes`);
    return { kind: "integers", base: value, width: kind, slab, at };
  }
}
