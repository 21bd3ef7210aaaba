import { boundText, boundValue, makeLabels, type Labels, type SampleDef, type SamplePart } from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import type { LeftOut, ParserNotes } from "./notes.js";
import type { MetricName, SampleRole, SampleRoles } from "./roles.js";

const BOUNDLESS: LeftOut = {
  what: "A bucket of",
  plural: "families' buckets",
  why: 'the label "le" is missing or is not a number.',
};

export type WrittenPair = readonly [name: string, value: string];

/** A series as its line writes it, and the sample it stands for. */
export interface WrittenSeries {
  readonly kind: "series";
  readonly name: MetricName;
  /** Without `le`; one list for all buckets in a row of the same histogram. */
  readonly pairs: readonly WrittenPair[];
  /** The last label, where that is `le`. */
  readonly le: WrittenPair | undefined;
  /** The role that `sample` was given under. */
  role: SampleRole | undefined;
  sample: number;
}

const PLAIN = { value: { kind: "value" }, sum: { kind: "sum" }, count: { kind: "count" } } as const;

/** The sample of a line that is left out. */
export const NO_SAMPLE = -1;
/** The sample of a line beyond the limit of series. */
export const OVER_LIMIT = -2;

/** Numbers the samples of one source; what was numbered once keeps its number. */
export class SampleNumbers {
  readonly defs: SampleDef[] = [];
  private readonly buckets = new Map<string, SamplePart>();
  /** Of series whose role has changed: the numbers under their earlier ones. */
  private readonly earlier = new Map<WrittenSeries, Map<SampleRole, number>>();

  constructor(
    private readonly roles: SampleRoles,
    private readonly notes: ParserNotes,
    private readonly limit = Infinity,
  ) {}

  /** No further sample is given a number. */
  get isFull(): boolean {
    return this.defs.length >= this.limit;
  }

  /**
   * The sample that a series stands for under the metadata now known; NO_SAMPLE when it is left out, OVER_LIMIT
   * beyond the limit.
   * @param role of its name under that metadata
   */
  numberOf(series: WrittenSeries, role = this.roles.roleOf(series.name)): number {
    if (role === series.role) return series.sample;
    if (series.role !== undefined) this.remember(series, series.role);
    series.sample = this.earlier.get(series)?.get(role) ?? this.define(series, role);
    series.role = role;
    return series.sample;
  }

  private remember(series: WrittenSeries, role: SampleRole): void {
    const samples = getOrInsert(this.earlier, series, () => new Map<SampleRole, number>());
    samples.set(role, series.sample);
  }

  private define(series: WrittenSeries, role: SampleRole): number {
    if (role.kind === "dropped") return NO_SAMPLE;
    const { family } = role;
    const { pairs, le } = series;
    if (role.part !== "bucket")
      return this.add({
        family,
        labels: this.labelsOf(le === undefined ? pairs : [...pairs, le]),
        part: PLAIN[role.part],
      });
    // Such a label may be there twice.
    const part = this.bucketOf((le ?? pairs.findLast(isBound))?.[1]);
    if (part === undefined) {
      this.notes.add(family.name, BOUNDLESS);
      return NO_SAMPLE;
    }
    const labels = this.labelsOf(le === undefined ? pairs.filter((pair) => !isBound(pair)) : pairs);
    return this.add({ family, labels, part });
  }

  /** One part for each bound: there are few, on many lines. */
  private bucketOf(bound: string | undefined): SamplePart | undefined {
    if (bound === undefined) return undefined;
    let part = this.buckets.get(bound);
    if (part === undefined) {
      const upper = boundValue(bound);
      if (Number.isNaN(upper)) return undefined;
      this.buckets.set(bound, (part = { kind: "bucket", bound: boundText(bound), upper }));
    }
    return part;
  }

  /** Sorted; the list of the sample before where the pairs are the same. */
  private labelsOf(pairs: readonly WrittenPair[]): Labels {
    const before = this.defs.at(-1)?.labels;
    if (before === undefined) return sortedLabels(pairs);
    if (before === pairs) return before;
    let same = before.length === pairs.length;
    for (let i = 0; same && i < pairs.length; i++) same = before[i] === pairs[i];
    return same ? before : sortedLabels(pairs);
  }

  /** Beyond the limit the histogram that was begun last is completed: half of its buckets would be another. */
  private add(def: SampleDef): number {
    const last = this.defs.at(-1);
    if (this.isFull && !(def.family.type === "histogram" && last?.family === def.family && sameLabels(last, def)))
      return OVER_LIMIT;
    return this.defs.push(def) - 1;
  }
}

/** Whether a label is a bucket's upper bound. */
export function isBound([name]: WrittenPair): boolean {
  return name === "le";
}

function sameLabels(a: SampleDef, b: SampleDef): boolean {
  return (
    a.labels.length === b.labels.length &&
    a.labels.every(([name, value], i) => b.labels[i]?.[0] === name && b.labels[i][1] === value)
  );
}

function sortedLabels(pairs: readonly WrittenPair[]): Labels {
  for (let i = 1; i < pairs.length; i++)
    if ((pairs[i - 1]?.[0] ?? "") >= (pairs[i]?.[0] ?? "")) return makeLabels(pairs);
  return pairs;
}
