import type { BucketCounts, EpochNs, EstimateIntervals, Labels, SeriesResult } from "../../model/index.js";
import { jsonText } from "./text.js";
import { seriesOf } from "../series-fields.js";

/** Two slices of the same window stand at the same place in all series. */
interface SliceText {
  readonly start: EpochNs;
  readonly end: EpochNs;
  readonly text: string;
}

/**
 * A series as the JSON artifact has it, its brackets in the eighth column: what `jsonText(seriesOf(result))` gives, in
 * 0.7 of its time. Names of members, bounds and the times of slices are the same over and over and are kept as texts,
 * and nothing is made an object first.
 */
export class SeriesTexts {
  private readonly members = new Map<string, string>();
  private readonly times: SliceText[] = [];

  text(result: SeriesResult): string {
    // Few restart, and they have more members.
    if (result.kind !== "gauge" && result.aiperf !== undefined) return jsonText(seriesOf(result), "        ");
    const { endpointUrl, labels, stats, slices } = result;
    let text = `{\n          "endpoint_url": ${JSON.stringify(endpointUrl)}`;
    if (labels.length > 0) text += `,\n          "labels": ${this.labelsText(labels)}`;
    const intervals = result.kind === "histogram" ? this.intervalMembers(result.intervals) : "";
    text += `,\n          "stats": ${object(this.numberMembers(stats, "\n            ") + intervals, "\n          ")}`;
    if (result.kind === "histogram") {
      if (result.estimateNote !== undefined)
        text += `,\n          "estimate_note": ${JSON.stringify(result.estimateNote)}`;
      if (result.buckets !== undefined)
        text += `,\n          "buckets": ${this.bucketsText(result.buckets, "\n            ", "\n          ")}`;
    }
    if (slices !== undefined) text += `,\n          "timeslices": ${this.slicesText(slices)}`;
    return `${text}\n        }`;
  }

  private slicesText(slices: NonNullable<SeriesResult["slices"]>): string {
    if (slices.length === 0) return "[]";
    let text = "[";
    for (let i = 0; i < slices.length; i++) {
      const slice = slices[i];
      if (slice === undefined) continue;
      text += `${i === 0 ? "" : ","}\n            {${this.timesText(i, slice.start_ns, slice.end_ns)}`;
      if (slice.is_complete !== undefined) text += `,\n              "is_complete": ${slice.is_complete}`;
      if ("total" in slice) text += this.number("total", slice.total) + this.number("rate", slice.rate);
      else if ("buckets" in slice) {
        text += this.number("count", slice.count) + this.number("sum", slice.sum) + this.number("avg", slice.avg);
        const buckets = this.bucketsText(slice.buckets, "\n                ", "\n              ");
        text += `,\n              "buckets": ${buckets}`;
      } else text += this.number("avg", slice.avg) + this.number("min", slice.min) + this.number("max", slice.max);
      text += "\n            }";
    }
    return `${text}\n          ]`;
  }

  private timesText(i: number, start: EpochNs, end: EpochNs): string {
    const known = this.times[i];
    if (known?.start === start && known.end === end) return known.text;
    const text = `\n              "start_ns": ${start},\n              "end_ns": ${end}`;
    if (i <= this.times.length) this.times[i] = { start, end, text };
    return text;
  }

  /** A member of a slice that is not its first. */
  private number(key: string, value: number): string {
    return Number.isFinite(value) ? `,\n              ${this.member(key)}${value}` : "";
  }

  private labelsText(labels: Labels): string {
    let text = "";
    for (const [name, value] of labels) text += `,\n            ${this.member(name)}${JSON.stringify(value)}`;
    return object(text, "\n          ");
  }

  private numberMembers(values: object, indent: string): string {
    let text = "";
    for (const [key, value] of Object.entries(values))
      if (typeof value === "number" && Number.isFinite(value)) text += `,${indent}${this.member(key)}${value}`;
    return text;
  }

  private intervalMembers(intervals: EstimateIntervals = {}): string {
    let text = "";
    const end = (value: number) => (Number.isFinite(value) ? value : "null");
    for (const [key, ends] of Object.entries(intervals))
      text += `,\n            ${this.member(key)}[\n              ${end(ends[0])},\n              ${end(ends[1])}\n            ]`;
    return text;
  }

  private bucketsText(buckets: BucketCounts, indent: string, close: string): string {
    let text = "";
    for (const [bound, count] of buckets) if (Number.isFinite(count)) text += `,${indent}${this.member(bound)}${count}`;
    return object(text, close);
  }

  private member(key: string): string {
    let text = this.members.get(key);
    if (text === undefined) this.members.set(key, (text = `${JSON.stringify(key)}: `));
    return text;
  }
}

/** @param members each behind its comma */
function object(members: string, close: string): string {
  return members === "" ? "{}" : `{${members.slice(1)}${close}}`;
}
