import { keyMetricOf } from "../../core/catalog/index.js";
import { DEFAULT_CONFIDENCE, longRunVariance } from "../../core/compare/index.js";
import { type MetricType, type Problem, type SeriesKey, noteOf } from "../../core/model/index.js";
import {
  criticalT,
  currentWindow,
  cutTrack,
  endpointWindow,
  estimateQuantiles,
  joinSegments,
  risesOf,
  endpointInfo,
} from "../../core/stats/index.js";
import type { Run } from "../../core/store/index.js";

/** From here on a run is reported as sparse. */
const SPARSE_SECONDS = 2;
/** Of each type: a histogram takes as long as its percentiles in a table. */
const MAX_MEASURED = 8;

/** What is known of one metric of a run with sparse scrapes. */
interface Width {
  readonly family: string;
  /**
   * Of a histogram half of the 90 % interval of the 99th percentile, of a gauge by how much the averages of two runs
   * like this one have to differ at least, as a share of the value.
   */
  readonly share: number;
}

/**
 * How wide intervals are in a run whose scrapes are far apart; undefined of one that is as dense as a capture. What is
 * counted is as exact as ever: rates, and the averages of histograms, have intervals as wide as in a capture.
 */
export function sparseProblem(run: Run): Problem | undefined {
  const apart = Math.max(
    0,
    ...run.store.endpoints.map((axis) => (endpointInfo(axis, run.store.origin)?.median_fetch_interval_ms ?? 0) / 1000),
  );
  if (apart < SPARSE_SECONDS) return undefined;
  const percentiles = measured(run, "histogram", percentileWidth);
  const gauges = measured(run, "gauge", gaugeWidth);
  const [typical, widest] = [percentiles[percentiles.length >> 1], percentiles.at(-1)];
  const gauge = gauges[gauges.length >> 1];
  const said = [
    ...(typical === undefined || widest === undefined ? [] : [estimateText(typical, widest, percentiles.length)]),
    ...(gauge === undefined ? [] : [gaugeText(gauge, gauges.length)]),
  ];
  return noteOf(
    `Scrapes in the store are ${apart.toFixed(0)} s apart (333 ms in a capture), so percentiles and averages of gauges have wide intervals${said.length === 0 ? "" : `: ${said.join(", and ")}`}. Totals, rates and averages of histograms lose nothing.`,
  );
}

function estimateText(typical: Width, widest: Width, count: number): string {
  if (count === 1) return `the 99th percentile of ${typical.family} is known to ±${percent(typical.share)}`;
  return `99th percentiles are known to ±${percent(typical.share)} (median of ${count} key histograms; ±${percent(widest.share)} of ${widest.family})`;
}

function gaugeText({ family, share }: Width, count: number): string {
  const what = count === 1 ? family : `a gauge (median of ${count} key gauges)`;
  return `averages of ${what} in two such runs must differ by some ${percent(share)} to be told apart`;
}

function percent(share: number): string {
  const value = share * 100;
  return `${value.toFixed(value < 1 ? 2 : value < 10 ? 1 : 0)} %`;
}

/** Of the key metrics of that type, one series of each, the narrowest first. */
function measured(
  run: Run,
  type: MetricType,
  widthOf: (run: Run, key: SeriesKey) => number | undefined,
): readonly Width[] {
  const widths: Width[] = [];
  const seen = new Set<string>();
  for (const key of run.store.seriesKeys()) {
    const { name } = key.family;
    if (key.family.type !== type || seen.has(name) || keyMetricOf(name) === undefined) continue;
    seen.add(name);
    const share = widthOf(run, key);
    // A gauge that never moves, and one that is 0, say nothing of others.
    if (share !== undefined && share > 0 && Number.isFinite(share)) widths.push({ family: name, share });
    if (seen.size === MAX_MEASURED) break;
  }
  return widths.sort((a, b) => a.share - b.share);
}

function percentileWidth(run: Run, { id, endpointUrl }: SeriesKey): number | undefined {
  const samples = run.store.read(id);
  const axis = run.store.endpoints.find(({ url }) => url === endpointUrl);
  const whole = samples.kind === "histogram" ? joinSegments(samples) : undefined;
  if (whole === undefined || axis === undefined) return undefined;
  const { start, end } = endpointWindow(run, axis, currentWindow(run), run.sliceSeconds);
  const track = cutTrack(whole, start, end);
  const rises = track === undefined ? undefined : risesOf(track);
  if (rises === undefined || !(rises.count > 0)) return undefined;
  const [p99] = estimateQuantiles(rises.sequence, [0.99]);
  const [low = NaN, high = NaN] = p99?.interval ?? [];
  return (high - low) / 2 / (p99?.value ?? NaN);
}

/** The error of the mean of its samples, which drift with the load: that of two of them, at the comparison's level. */
function gaugeWidth(run: Run, { id }: SeriesKey): number | undefined {
  const samples = run.store.read(id);
  if (samples.kind !== "scalar") return undefined;
  const values = samples.values.filter((value) => !Number.isNaN(value));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const { varianceOfMean, df } = longRunVariance(values);
  return (criticalT(DEFAULT_CONFIDENCE, df) * Math.sqrt(2 * varianceOfMean)) / Math.abs(mean);
}
