import {
  boundText,
  boundValue,
  labelKey,
  makeLabels,
  type Family,
  type Labels,
  type SamplePart,
} from "../../core/model/index.js";
import { getOrInsert } from "../../core/math/index.js";
import type { SampleRoles } from "../../core/exposition/index.js";
import { rowsOf, stretchesOf, type PartCells, type SeriesCells } from "../../core/store/index.js";
import { SCRAPE_SERIES } from "./discover.js";
import type { StoredSamples } from "./samples.js";
import { longestInterval } from "./time.js";
import { noun } from "../../core/text/plural.js";

type Parts = Map<string, { readonly part: SamplePart; readonly samples: StoredSamples }>;

interface Collected {
  readonly family: Family;
  readonly labels: Labels;
  readonly parts: Parts;
}

/** A scrape as the store tells of it. */
export interface StoredScrape {
  readonly timeMs: number;
  readonly latencyNs: number;
  /** Absent: it brought samples. */
  readonly failure?: string;
}

/** Values of a series by their times. */
type ByTime = Map<number, number>;

/** What a store holds of one endpoint, put together series by series. */
export class StoredTarget {
  private readonly series = new Map<string, Collected>();
  private readonly up: ByTime = new Map();
  private readonly durations: ByTime = new Map();
  /** Times at which the store marks a series as missing. */
  private readonly missing = new Set<number>();

  constructor(readonly url: string) {}

  /** Takes one series of the store: a scalar, a part of a histogram, or what the store says of the scrapes. */
  add(samples: StoredSamples, roles: SampleRoles): void {
    const { __name__: name = "", instance: _instance, ...rest } = samples.labels;
    if (SCRAPE_SERIES.has(name)) {
      if (name === "up") keep(this.up, samples);
      if (name === "scrape_duration_seconds") keep(this.durations, samples);
      return;
    }
    const role = roles.roleOf(roles.nameOf(name));
    if (role.kind !== "sample") return;
    for (const time of samples.missing ?? []) this.missing.add(time);
    const { le, ...others } = rest;
    const part = partOf(role.part, le);
    const labels = makeLabels(Object.entries(part.kind === "bucket" ? others : rest));
    const { family } = role;
    const key = `${family.type} ${family.name} ${labelKey(labels)}`;
    const collected = getOrInsert(this.series, key, () => ({ family, labels, parts: new Map() }));
    collected.parts.set(part.kind === "bucket" ? part.bound : part.kind, { part, samples });
  }

  /**
   * Those that brought samples, those that the store says failed or marks as missing, and one for each hole; in time
   * order.
   * @param rawFromMs before it are values in steps, which are further apart
   */
  scrapes(rawFromMs: number): readonly StoredScrape[] {
    const times = union(
      [...this.series.values()].flatMap(({ parts }) => [...parts.values()].map((p) => p.samples.times)),
    );
    const failures = new Map<number, string>();
    for (const time of this.missing) failures.set(time, "the store marks the samples of this scrape as missing");
    for (const [time, up] of this.up)
      if (up === 0) failures.set(time, "the store says that this scrape failed (up is 0)");
    for (const time of times) failures.delete(time);
    const latencyNs = (timeMs: number) => Math.round((this.durations.get(timeMs) ?? 0) * 1e9);
    const scrapes: StoredScrape[] = [
      ...Array.from(times, (timeMs) => ({ timeMs, latencyNs: latencyNs(timeMs) })),
      ...Array.from(failures, ([timeMs, failure]) => ({ timeMs, latencyNs: latencyNs(timeMs), failure })),
    ];
    scrapes.sort((a, b) => a.timeMs - b.timeMs);
    const isRaw = ({ timeMs }: StoredScrape) => timeMs >= rawFromMs;
    return [...withHoles(scrapes.filter((one) => !isRaw(one))), ...withHoles(scrapes.filter(isRaw))];
  }

  /** @param times of the endpoint's rows, milliseconds, ascending */
  *cells(times: Float64Array): Generator<SeriesCells, void> {
    for (const { family, labels, parts } of this.series.values()) {
      const own = union([...parts.values()].map(({ samples }) => samples.times));
      const rows = rowsOf(own, times);
      const cells = [...parts.values()].map(({ part, samples }) => ({ part, cells: placed(samples, own) }));
      const of = { endpointUrl: this.url, family, labels };
      if (family.type !== "histogram") {
        yield { ...of, rows, parts: cells };
        continue;
      }
      for (const { from, to, present } of stretchesOf(cells, own.length))
        if (isWhole(present))
          yield {
            ...of,
            rows: rows.subarray(from, to),
            parts: present.map((one) => ({ part: one.part, cells: one.cells.subarray(from, to) })),
          };
    }
  }
}

function keep(into: ByTime, { times, values }: StoredSamples): void {
  times.forEach((time, i) => into.set(time, values[i] ?? NaN));
}

function partOf(part: "value" | "sum" | "count" | "bucket", le: string | undefined): SamplePart {
  if (part !== "bucket") return { kind: part };
  const bound = le ?? "+Inf";
  return { kind: "bucket", bound: boundText(bound), upper: boundValue(bound) };
}

/** A histogram needs a count, which may also be that of its last bucket, and buckets with numbers for bounds. */
function isWhole(parts: readonly PartCells[]): boolean {
  return (
    parts.some(({ part }) => part.kind === "count" || (part.kind === "bucket" && part.upper === Infinity)) &&
    parts.every(({ part }) => part.kind !== "bucket" || !Number.isNaN(part.upper))
  );
}

/** All times, each once, ascending. */
function union(lists: readonly Float64Array[]): Float64Array {
  const [first] = lists;
  if (first !== undefined && lists.every((list) => same(list, first))) return first;
  const all = new Set<number>();
  let last: Float64Array | undefined;
  for (const list of lists) {
    // Most series share all times with the one before.
    if (last !== undefined && same(list, last)) continue;
    for (const time of list) all.add(time);
    last = list;
  }
  return Float64Array.from(all).sort();
}

function same(a: Float64Array, b: Float64Array): boolean {
  return a === b || (a.length === b.length && a.every((time, i) => time === b[i]));
}

/** The values at all of the times; NaN where there is none. */
function placed({ times, values }: StoredSamples, all: Float64Array): Float64Array {
  if (times.length === all.length) return values;
  const cells = new Float64Array(all.length).fill(NaN);
  rowsOf(times, all).forEach((row, i) => (cells[row] = values[i] ?? NaN));
  return cells;
}

/** Where a store has nothing for much longer than between other scrapes, a failed scrape stands for what is missing. */
function withHoles(scrapes: readonly StoredScrape[]): readonly StoredScrape[] {
  const intervals = Float64Array.from(scrapes.slice(1), ({ timeMs }, i) => timeMs - (scrapes[i]?.timeMs ?? 0)).sort();
  const usual = intervals[Math.floor(intervals.length / 2)] ?? 0;
  const longest = longestInterval(usual);
  return scrapes.flatMap((scrape, i) => {
    const before = scrapes[i - 1];
    if (before === undefined || scrape.timeMs - before.timeMs <= longest) return [scrape];
    const missing = Math.max(1, Math.round((scrape.timeMs - before.timeMs) / usual) - 1);
    const failure = `the store has no sample for ${((scrape.timeMs - before.timeMs) / 1000).toFixed(1)} s: about ${missing} ${noun(missing, "scrape is", "scrapes are")} missing`;
    return [{ timeMs: before.timeMs + usual, latencyNs: 0, failure }, scrape];
  });
}
