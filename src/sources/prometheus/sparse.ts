import { keyMetricOf } from "../../core/catalog/index.js";
import { DEFAULT_CONFIDENCE, longRunVariance } from "../../core/compare/index.js";
import type { Problem, SeriesKey } from "../../core/model/index.js";
import {
  criticalT,
  currentWindow,
  cutTrack,
  endpointWindow,
  estimateQuantiles,
  joinSegments,
  risesOf,
  usualScrapeSeconds,
} from "../../core/stats/index.js";
import type { Run } from "../../core/store/index.js";

/** From here on a run is reported as sparse. */
const SPARSE_SECONDS = 2;
/** Histograms that are measured: each takes as long as its percentiles in a table. */
const MOST_MEASURED = 8;

interface Widths {
  readonly family: string;
  /** Half of the 90 % interval of the 99th percentile, as a share of it; NaN where it is open. */
  readonly estimate: number;
  /** By how much the means of two runs like this one have to differ at least, as a share; NaN of too few scrapes. */
  readonly difference: number;
}

/** How wide intervals are in a run whose scrapes are far apart; undefined of one that is as dense as a capture. */
export function sparseProblem(run: Run): Problem | undefined {
  const apart = Math.max(0, ...run.store.endpoints.map((axis) => usualScrapeSeconds(axis) ?? 0));
  if (apart < SPARSE_SECONDS) return undefined;
  const measured = measuredKeys(run).flatMap((key) => widthsOf(run, key) ?? []);
  const estimates = measured.filter(({ estimate }) => !Number.isNaN(estimate));
  estimates.sort((a, b) => a.estimate - b.estimate);
  const differences = measured.map(({ difference }) => difference).filter((one) => !Number.isNaN(one));
  const [typical, widest] = [estimates[estimates.length >> 1], estimates.at(-1)];
  const said = [
    ...(typical === undefined || widest === undefined ? [] : [estimateText(typical, widest, estimates.length)]),
    ...(differences.length === 0
      ? []
      : [
          `averages of two such runs must differ by ${percent(differences.sort((a, b) => a - b)[differences.length >> 1])} to be told apart`,
        ]),
  ];
  return {
    severity: "info",
    reason: `Scrapes in the store are ${apart.toFixed(0)} s apart (333 ms in a capture), so estimates and verdicts have wide intervals${said.length === 0 ? "" : `: ${said.join(", and ")}`}.`,
  };
}

function estimateText(typical: Widths, widest: Widths, count: number): string {
  if (count === 1) return `the 99th percentile of ${typical.family} is known to ±${percent(typical.estimate)}`;
  return `99th percentiles are known to ±${percent(typical.estimate)} (median of ${count} key histograms; ±${percent(widest.estimate)} of ${widest.family})`;
}

function percent(share = NaN): string {
  const value = share * 100;
  return `${value.toFixed(value < 1 ? 2 : value < 10 ? 1 : 0)} %`;
}

/** The histograms among the key metrics, one series of each. */
function measuredKeys({ store }: Run): readonly SeriesKey[] {
  const keys = new Map<string, SeriesKey>();
  for (const key of store.seriesKeys()) {
    const { name, type } = key.family;
    if (type === "histogram" && !keys.has(name) && keyMetricOf(name) !== undefined) keys.set(name, key);
    if (keys.size === MOST_MEASURED) break;
  }
  return [...keys.values()];
}

function widthsOf(run: Run, { id, endpointUrl, family }: SeriesKey): Widths | undefined {
  const samples = run.store.read(id);
  const axis = run.store.endpoints.find(({ url }) => url === endpointUrl);
  const whole = samples.kind === "histogram" ? joinSegments(samples) : undefined;
  if (whole === undefined || axis === undefined) return undefined;
  const { start, end } = endpointWindow(run, axis, currentWindow(run), run.sliceSeconds);
  const track = cutTrack(whole, start, end);
  const rises = track === undefined ? undefined : risesOf(track);
  if (rises === undefined || !(rises.count > 0)) return undefined;
  const { sequence, sum, count } = rises;
  const [p99] = estimateQuantiles(sequence, [0.99]);
  const [low = NaN, high = NaN] = p99?.interval ?? [];
  const halfWidth = (high - low) / 2 / (p99?.value ?? NaN);
  return {
    family: family.name,
    estimate: Number.isFinite(halfWidth) ? halfWidth : NaN,
    difference: leastDifference(sequence.sums, sequence.counts, sum / count),
  };
}

/** The mean is a ratio of two sums over the scrapes: its error is that of what each scrape differs from it by. */
function leastDifference(sums: Float64Array, buckets: readonly Float64Array[], mean: number): number {
  const counts = sums.map((_, i) => buckets.reduce((total, bucket) => total + (bucket[i] ?? 0), 0));
  const { varianceOfMean, df } = longRunVariance(sums.map((sum, i) => sum - mean * (counts[i] ?? 0)));
  const perScrape = counts.reduce((total, one) => total + one, 0) / counts.length;
  const share = (criticalT(DEFAULT_CONFIDENCE, df) * Math.sqrt(2 * varianceOfMean)) / perScrape / mean;
  return Number.isFinite(share) ? share : NaN;
}
