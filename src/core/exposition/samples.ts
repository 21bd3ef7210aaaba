import {
  epochNs,
  LINE_LIMITS,
  makeLabels,
  NS_PER_SECOND,
  type CreatedSeries,
  type DroppedLines,
  type LineLimit,
  type SampleBatch,
} from "../model/index.js";
import type { Statement } from "./declarations.js";
import type { ScrapeLines } from "./lines.js";
import type { MetricName, SampleRole, SampleRoles } from "./roles.js";
import { OVER_LIMIT, type SampleNumbers, type WrittenSeries } from "./series.js";

/** What a line up to its value says. Lines refer to it by its number; those that say nothing have one below 0. */
export type Entry = WrittenSeries | { readonly kind: "statement"; readonly statement: Statement };

/** Blank lines and plain comments. */
export const NOTHING = -1;
export const EOF = -2;
/** Lines dropped by a limit have the entry below this one by the limit's place. */
const DROPPED = -3;

/** The entry of lines that a limit dropped. */
export function droppedEntry(limit: LineLimit): number {
  return DROPPED - LINE_LIMITS.indexOf(limit);
}

/** Which samples the lines of a scrape bring. It holds for the next scrape too while the lines are the same. */
export class ScrapeSamples {
  private ids = new Int32Array(0);
  private values = new Float64Array(0);
  /** The line of each sample. */
  private lines = new Int32Array(0);
  private length = 0;
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
   * @param isFirst of its endpoint: only then times of creation are read
   */
  settle(lines: ScrapeLines, entries: readonly Entry[], isFirst: boolean): void {
    const statements: Statement[] = [];
    this.ids = grown(this.ids, lines.length, (n) => new Int32Array(n));
    this.values = grown(this.values, lines.length, (n) => new Float64Array(n));
    this.lines = grown(this.lines, lines.length, (n) => new Int32Array(n));
    for (let line = 0; line < lines.length; line++) {
      const entry = entries[lines.entry(line)];
      if (entry?.kind === "statement") statements.push(entry.statement);
    }
    this.roles.declarations.replace(statements);
    this.length = 0;
    const dropped: Partial<Record<LineLimit, number>> = {};
    const drop = (limit: LineLimit | undefined) => {
      if (limit !== undefined) dropped[limit] = (dropped[limit] ?? 0) + 1;
    };
    let name: MetricName | undefined;
    let role: SampleRole | undefined;
    for (let line = 0; line < lines.length; line++) {
      const number = lines.entry(line);
      if (number <= DROPPED) drop(LINE_LIMITS[DROPPED - number]);
      const entry = entries[number];
      if (entry?.kind !== "series") continue;
      if (entry.name !== name) {
        name = entry.name;
        role = this.roles.roleOf(name);
      }
      const sample = this.numbers.numberOf(entry, role);
      if (sample === OVER_LIMIT) drop("series");
      if (sample < 0) continue;
      this.ids[this.length] = sample;
      this.lines[this.length++] = line;
    }
    this.droppedLines = dropped;
    if (isFirst) this.created = [...this.createdIn(lines, entries)];
  }

  private *createdIn(lines: ScrapeLines, entries: readonly Entry[]): Iterable<CreatedSeries> {
    let name: MetricName | undefined;
    let family: CreatedSeries["family"] | undefined;
    for (let line = 0; line < lines.length; line++) {
      const entry = entries[lines.entry(line)];
      if (entry?.kind !== "series") continue;
      if (entry.name !== name) {
        name = entry.name;
        family = this.roles.createdOf(name.text);
      }
      const ns = Math.round((lines.values[line] ?? NaN) * NS_PER_SECOND);
      if (family === undefined || !Number.isFinite(ns)) continue;
      const { pairs, le } = entry;
      const labels = makeLabels(le === undefined ? pairs : [...pairs, le]);
      yield { family, labels, time: epochNs(BigInt(ns)) };
    }
  }

  /**
   * The samples with these values; the batch's arrays hold until the next call.
   * @param values of each line
   */
  batch(values: Float64Array): SampleBatch {
    const { ids, values: samples, lines, length, created } = this;
    for (let i = 0; i < length; i++) samples[i] = values[lines[i] ?? 0] ?? NaN;
    const batch = { defs: this.numbers.defs, ids, values: samples, length };
    if (created.length === 0) return batch;
    this.created = [];
    return { ...batch, created };
  }
}

function grown<T extends Int32Array | Float64Array>(array: T, length: number, make: (length: number) => T): T {
  if (array.length >= length) return array;
  const larger = make(Math.max(64, Math.ceil(1.25 * length)));
  larger.set(array);
  return larger;
}
