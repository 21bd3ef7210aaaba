import {
  epochNs,
  NS_PER_SECOND,
  type CreatedSeries,
  type DroppedLines,
  type LineLimit,
  type SampleBatch,
} from "../model/index.js";
import type { Statement } from "./declarations.js";
import type { SampleRoles } from "./roles.js";
import { allLabels, OVER_LIMIT, type SampleNumbers, type WrittenSeries } from "./series.js";

/** What a line of a scrape says; lines that say the same are one object. */
export type KnownLine = WrittenSeries | StatementLine | SilentLine;

/** Metadata. */
export interface StatementLine {
  readonly kind: "statement";
  /** All of the line. */
  readonly key: string;
  readonly statement: Statement;
  /** As that of a series. */
  position: number;
}

/** Blank lines, comments, and what a limit drops. */
export interface SilentLine {
  readonly kind: "silent";
  readonly limit?: LineLimit;
}

/** Which samples the lines of a scrape bring. It holds for the next scrape too while the lines are the same. */
export class ScrapeSamples {
  private ids = new Int32Array(0);
  private values = new Float64Array(0);
  /** The line of each sample. */
  private lines: readonly number[] = [];
  private droppedLines: DroppedLines = {};
  private created: readonly CreatedSeries[] = [];

  constructor(
    private readonly roles: SampleRoles,
    private readonly numbers: SampleNumbers,
  ) {}

  /** What limits dropped of these lines. */
  get dropped(): DroppedLines {
    return this.droppedLines;
  }

  /**
   * Reads the metadata of all lines first, as it holds for every line; then which samples they bring.
   * @param values read only of the first scrape of an endpoint, for times of creation; undefined of others
   */
  settle(lines: readonly KnownLine[], values: readonly number[] | undefined): void {
    this.roles.declarations.replace(lines.flatMap((line) => (line.kind === "statement" ? line.statement : [])));
    const dropped: Partial<Record<LineLimit, number>> = {};
    const drop = (limit: LineLimit) => {
      dropped[limit] = (dropped[limit] ?? 0) + 1;
    };
    const ids: number[] = [];
    const bringing: number[] = [];
    for (const [i, line] of lines.entries()) {
      if (line.kind === "silent" && line.limit !== undefined) drop(line.limit);
      if (line.kind !== "series") continue;
      const sample = this.numbers.numberOf(line, this.roles.roleOf(line.name));
      if (sample === OVER_LIMIT) drop("series");
      if (sample < 0) continue;
      ids.push(sample);
      bringing.push(i);
    }
    this.ids = Int32Array.from(ids);
    this.values = new Float64Array(ids.length);
    this.lines = bringing;
    this.droppedLines = dropped;
    if (values !== undefined) this.created = lines.flatMap((line, i) => this.createdBy(line, values[i] ?? NaN));
  }

  private createdBy(line: KnownLine, seconds: number): readonly CreatedSeries[] {
    const family = line.kind === "series" ? this.roles.createdOf(line.name.text) : undefined;
    const ns = Math.round(seconds * NS_PER_SECOND);
    if (line.kind !== "series" || family === undefined || !Number.isFinite(ns)) return [];
    return [{ family, labels: allLabels(line), time: epochNs(BigInt(ns)) }];
  }

  /**
   * The samples with these values; the batch's arrays hold until the next call.
   * @param values of each line
   */
  batch(values: readonly number[]): SampleBatch {
    const { ids, values: samples, lines, created } = this;
    for (const [i, line] of lines.entries()) samples[i] = values[line] ?? NaN;
    const batch = { defs: this.numbers.defs, ids, values: samples, length: lines.length };
    if (created.length === 0) return batch;
    this.created = [];
    return { ...batch, created };
  }
}
