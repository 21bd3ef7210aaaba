import { isCountedAverage, joiningOf, shownUnit } from "../../core/catalog/index.js";
import type { SampleRoles } from "../../core/exposition/index.js";
import type { PrometheusApi } from "./api.js";
import { readBeginning, type Beginning } from "./beginning.js";
import { readSamples, type ReadContext, type ReadSamples, type SampleQuestion, type StoredSamples } from "./samples.js";

/** What tells the parts of one histogram or summary apart; all other labels are summed over. */
const KEPT = ["__name__", "le", "quantile"];

export interface Aggregated extends ReadSamples {
  /** Steps at which series restarted, joined or left. */
  readonly breaks: number;
  /** Where the store has totals in coarser steps only, or none; undefined where they begin with the range. */
  readonly beginning: Beginning | undefined;
}

/** Missed scrapes that a total looks back over: without them it would fall and rise by all that an instance counted. */
const MISSED_SCRAPES = 4;

/**
 * Totals over all instances of a selection, made by the store itself: counters, histogram buckets by `le` and gauges
 * are summed; of gauges that do not add up, such as shares, temperatures and latencies, the mean is taken. Where the
 * store has no raw samples of the beginning, its totals are of what the store has downsampled. Where series
 * restart, join or leave, a counter's sum goes on from where it was: what came in that step is lost, and the step is
 * counted.
 * @param scrapeMs how far scrapes are apart
 * @throws UserError; the signal's reason
 */
export async function readAggregated(
  api: PrometheusApi,
  {
    selectors,
    range,
    stepMs,
    scrapeMs,
  }: Omit<SampleQuestion, "expected" | "stepMs"> & { readonly stepMs: number; readonly scrapeMs: number },
  roles: SampleRoles,
  { signal, onProgress }: ReadContext,
): Promise<Aggregated> {
  const apartMs = Math.max(stepMs, scrapeMs);
  const ask = async (operation: string, share: (fraction: number) => number) => {
    const selectorsAt = (step: number) => {
      const lookback = Math.ceil(Math.max(step, MISSED_SCRAPES * scrapeMs));
      return selectors.map(
        (selector) => `${operation} by (${KEPT.join(", ")}) (last_over_time(${selector}[${lookback}ms]))`,
      );
    };
    const read = await readSamples(
      api,
      { selectors: selectorsAt(stepMs), range, stepMs, expected: undefined },
      { signal, onProgress: (fraction, samples) => onProgress?.(share(fraction), samples) },
    );
    const beginning = await readBeginning(api, { selectorsAt, range, apartMs }, read, { fill: true, signal });
    return { ...read, series: beginning?.series ?? read.series, beginning };
  };
  const sums = await ask("sum", (fraction) => fraction / 2);
  const means = await ask("avg", (fraction) => 0.5 + fraction / 2);
  const meansOf = new Map(means.series.map((samples) => [keyOf(samples), samples]));
  const ofFamily = (samples: StoredSamples) => roleOf(samples, roles);
  // Parts of one histogram go on together, or its buckets would no longer fit its count.
  const breaks = new Map<string, Set<number>>();
  for (const samples of sums.series) {
    const { kind, family } = ofFamily(samples);
    if (kind !== "counter") continue;
    const times = breaks.get(family) ?? new Set();
    breaks.set(family, times);
    for (const time of breaksOf(samples, meansOf.get(keyOf(samples)))) times.add(time);
  }
  const series = sums.series.flatMap((samples) => {
    const { kind, family } = ofFamily(samples);
    if (kind === "counter") return [steady(samples, breaks.get(family) ?? new Set())];
    return kind === "sum" ? [samples] : [meansOf.get(keyOf(samples)) ?? []].flat();
  });
  return {
    series,
    beginning: sums.beginning,
    breaks: new Set([...breaks.values()].flatMap((times) => [...times])).size,
    nativeHistograms: new Set([...sums.nativeHistograms, ...means.nativeHistograms]),
    warnings: new Set([...sums.warnings, ...means.warnings]),
  };
}

function keyOf({ labels }: StoredSamples): string {
  return KEPT.map((name) => labels[name] ?? "").join("\n");
}

function roleOf(
  { labels }: StoredSamples,
  roles: SampleRoles,
): { readonly kind: "counter" | "sum" | "mean"; readonly family: string } {
  const name = labels["__name__"] ?? "";
  const role = roles.roleOf(roles.nameOf(name));
  if (role.kind !== "sample") return { kind: "sum", family: name };
  const { family, part } = role;
  const rises = family.type === "counter" && !isCountedAverage(family);
  if (rises || family.type === "histogram" || part === "count") return { kind: "counter", family: family.name };
  return { kind: joiningOf("gauge", shownUnit(family)).compared, family: family.name };
}

/**
 * Times at which a sum fell, or is of more or fewer series than before: a sum by its mean tells of how many, except
 * where all of them are 0.
 */
function breaksOf({ times, values }: StoredSamples, mean: StoredSamples | undefined): readonly number[] {
  const means = new Map(mean === undefined ? [] : Array.from(mean.times, (time, i) => [time, mean.values[i] ?? NaN]));
  let known = NaN;
  return Array.from(times).filter((time, i) => {
    const value = values[i] ?? NaN;
    const members = Math.round(value / (means.get(time) ?? NaN));
    const hasChanged = !Number.isNaN(members) && !Number.isNaN(known) && members !== known;
    if (!Number.isNaN(members)) known = members;
    return i > 0 && (value < (values[i - 1] ?? NaN) || hasChanged);
  });
}

/** A counter's sum that stays where it was at each break. */
function steady({ labels, times, values }: StoredSamples, breaks: ReadonlySet<number>): StoredSamples {
  let shift = 0;
  const result = values.map((value, i) => {
    if (i > 0 && breaks.has(times[i] ?? NaN)) shift += (values[i - 1] ?? value) - value;
    return value + shift;
  });
  return { labels, times, values: result };
}
