import { boundText, boundValue, makeLabels, type Labels, type SampleDef, type SamplePart } from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import type { LeftOut, ParserNotes } from "./notes.js";
import type { MetricName, SampleRole } from "./roles.js";

const BOUNDLESS: LeftOut = {
  what: "A bucket of",
  plural: "families' buckets",
  why: 'the label "le" is missing or is not a number.',
};

/** A series as its line writes it, and the sample it stands for. */
export interface WrittenSeries {
  readonly kind: "series";
  /** Its line up to the value. */
  readonly key: string;
  readonly name: MetricName;
  /** Without a bucket's bound; one list for series in a row that have the same. */
  readonly labels: Labels;
  /** The value of the label `le`. */
  readonly bound: string | undefined;
  /** The line of the last scrape that has it; true only if that line points back. */
  position: number;
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
  numberOf(series: WrittenSeries, role: SampleRole): number {
    if (role === series.role) return series.sample;
    if (series.role !== undefined)
      getOrInsert(this.earlier, series, () => new Map<SampleRole, number>()).set(series.role, series.sample);
    series.sample = this.earlier.get(series)?.get(role) ?? this.define(series, role);
    series.role = role;
    return series.sample;
  }

  private define(series: WrittenSeries, role: SampleRole): number {
    if (role.kind === "dropped") return NO_SAMPLE;
    const { family } = role;
    if (role.part !== "bucket") return this.add({ family, labels: allLabels(series), part: PLAIN[role.part] });
    const part = this.bucketOf(series.bound);
    if (part !== undefined) return this.add({ family, labels: series.labels, part });
    this.notes.add(family.name, BOUNDLESS);
    return NO_SAMPLE;
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

  /** Beyond the limit the histogram that was begun last is completed: half of its buckets would be another. */
  private add(def: SampleDef): number {
    const last = this.defs.at(-1);
    if (
      this.isFull &&
      !(def.family.type === "histogram" && last?.family === def.family && sameLabels(last.labels, def.labels))
    )
      return OVER_LIMIT;
    return this.defs.push(def) - 1;
  }
}

/** With the one that is a bound where the family is a histogram. */
export function allLabels({ labels, bound }: WrittenSeries): Labels {
  return bound === undefined ? labels : makeLabels([...labels, ["le", bound]]);
}

/** Whether these are the same labels. */
export function sameLabels(a: Labels, b: Labels): boolean {
  return a.length === b.length && a.every(([name, value], i) => b[i]?.[0] === name && b[i][1] === value);
}
