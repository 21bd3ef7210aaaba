import {
  durationNs,
  offsetNs,
  toEpoch,
  type CreatedSeries,
  type EpochNs,
  type SampleBatch,
  type SampleDef,
  type Scrape,
  type SeriesKey,
} from "../model/index.js";
import { ABSENT, GAP } from "./chunk.js";
import type { Column } from "./column.js";
import type { EndpointAxis } from "./endpoint.js";
import type { StoredSeries } from "./series.js";

/** Rows decoded at a time when a store is read scrape by scrape. */
const BLOCK = 64;

/** Gives the samples of one endpoint row by row, decoding a block of rows of all its columns at once. */
export class RowReader {
  private readonly defs: SampleDef[] = [];
  /** Series that say when they were created, and the row that says it: the first that did not fail. */
  private readonly created: readonly SeriesKey[];
  private readonly first: number;
  private readonly columns: Column[] = [];
  private readonly blocks: Float64Array[] = [];
  private blockStart = -1;
  private readonly ids: Int32Array;
  private readonly values: Float64Array;

  constructor(
    private readonly axis: EndpointAxis,
    series: readonly StoredSeries[],
  ) {
    this.created = series.map(({ key }) => key).filter(({ created }) => created !== undefined);
    let first = 0;
    while (first < axis.rows && axis.kind(first) === "failed") first++;
    this.first = first;
    for (const { key, columns } of series) {
      const add = (part: SampleDef["part"], column: Column) => {
        this.defs.push({ family: key.family, labels: key.labels, part });
        this.columns.push(column);
        this.blocks.push(new Float64Array(BLOCK));
      };
      if (columns.kind === "scalar") {
        add({ kind: "value" }, columns.column);
        continue;
      }
      for (const layout of columns.layouts.values()) {
        layout.buckets.forEach((column, b) => {
          const bound = layout.bounds[b];
          const upper = layout.uppers[b];
          if (bound !== undefined && upper !== undefined) add({ kind: "bucket", bound, upper }, column);
        });
        add({ kind: "sum" }, layout.sum);
        add({ kind: "count" }, layout.count);
      }
    }
    this.ids = new Int32Array(this.defs.length);
    this.values = new Float64Array(this.defs.length);
  }

  /** As it was appended; a gap comes back as NaN. The batch is reused between calls. */
  scrape(row: number, origin: EpochNs): Scrape {
    const { axis } = this;
    const kind = axis.kind(row);
    return {
      endpointUrl: axis.url,
      time: toEpoch(offsetNs(axis.times.at(row)), origin),
      latency: durationNs(axis.latencies.at(row)),
      requestSent: toEpoch(offsetNs(axis.requestsSent.at(row)), origin),
      outcome:
        kind === "update"
          ? { kind: "samples", batch: this.batch(row, origin) }
          : kind === "duplicate"
            ? { kind }
            : { kind, error: axis.errors.get(row) ?? { type: "other", message: "the scrape failed" } },
    };
  }

  private batch(row: number, origin: EpochNs): SampleBatch {
    const start = row - (row % BLOCK);
    if (start !== this.blockStart) {
      const end = Math.min(start + BLOCK, this.axis.rows);
      this.columns.forEach((column, c) => column.read(start, end, this.blocks[c] ?? new Float64Array(BLOCK)));
      this.blockStart = start;
    }
    let length = 0;
    for (let c = 0; c < this.blocks.length; c++) {
      const cell = this.blocks[c]?.[row - start] ?? ABSENT;
      if (Number.isNaN(cell)) continue;
      this.ids[length] = c;
      this.values[length++] = cell === GAP && this.defs[c]?.part.kind === "value" ? NaN : cell;
    }
    const batch = { defs: this.defs, ids: this.ids, values: this.values, length };
    return row === this.first && this.created.length > 0 ? { ...batch, created: this.createdSeries(origin) } : batch;
  }

  private createdSeries(origin: EpochNs): CreatedSeries[] {
    return this.created.flatMap(({ family, labels, created }) =>
      created === undefined ? [] : [{ family, labels, time: toEpoch(created, origin) }],
    );
  }
}
