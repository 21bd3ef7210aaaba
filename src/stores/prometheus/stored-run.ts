import {
  displayName,
  durationNs,
  epochNs,
  urlOfInstance,
  warningOf,
  noteOf,
  type Problem,
  type SampleBatch,
  type Scrape,
  type MetricType,
  type SeriesKey,
} from "../../core/model/index.js";
import { getOrInsert } from "../../core/math/index.js";
import type { JsonObject } from "../../core/text/index.js";
import type { SampleRoles } from "../../core/exposition/index.js";
import { Run, type ScrapeReading, type SeriesCells, type Store } from "../../core/store/index.js";
import type { StoredSamples } from "./samples.js";
import { StoredTarget, type StoredScrape } from "./target.js";
import { keyMetricOf } from "../../core/catalog/index.js";
import { DEFAULT_CONFIDENCE, longRunVariance } from "../../core/compare/index.js";
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

interface StoredRunAbout {
  readonly id: string;
  readonly label: string | undefined;
  readonly sliceDurationSeconds: number;
  /** Of all instances, those without samples too. */
  readonly urls: readonly string[];
  /** What `input_config` says of where the run comes from. */
  readonly source: JsonObject;
  /** What was noticed as it was read; kept with the source. */
  readonly problems: readonly Problem[];
}

const NOTHING: SampleBatch = { defs: [], ids: new Int32Array(0), values: new Float64Array(0), length: 0 };

/**
 * What a store holds as scrapes and their samples: an endpoint for each `instance`, a scrape for each time that has
 * samples. The scrapes of all endpoints are in time order, as a capture would have made them.
 * @param rawFromMs before it are values in steps
 */
export function storedReading(
  series: readonly StoredSamples[],
  roles: SampleRoles,
  storeUrl: string,
  rawFromMs = -Infinity,
): ScrapeReading {
  const targets = new Map<string, StoredTarget>();
  for (const samples of series) {
    const url = endpointOf(samples, storeUrl);
    const target = getOrInsert(targets, url, () => new StoredTarget(url));
    target.add(samples, roles);
  }
  const rows = [...targets.values()].flatMap((target) =>
    target.scrapes(rawFromMs).map((scrape) => ({ target, ...scrape })),
  );
  rows.sort((a, b) => a.timeMs - b.timeMs);
  const times = new Map<StoredTarget, number[]>();
  for (const { target, timeMs } of rows) getOrInsert(times, target, () => []).push(timeMs);
  return { scrapes: rows.map(scrapeOf), series: cellsOf(times) };
}

function* cellsOf(times: ReadonlyMap<StoredTarget, readonly number[]>): Generator<SeriesCells, void> {
  for (const [target, own] of times) yield* target.cells(Float64Array.from(own));
}

function scrapeOf({ target, timeMs, latencyNs, failure }: StoredScrape & { readonly target: StoredTarget }): Scrape {
  const time = epochNs(BigInt(timeMs) * 1_000_000n);
  return {
    endpointUrl: target.url,
    time,
    latency: durationNs(latencyNs),
    requestSent: time,
    outcome:
      failure === undefined
        ? { kind: "samples", batch: NOTHING }
        : { kind: "failed", error: { type: "other", message: failure } },
  };
}

/** The endpoint that a series is recorded under: that of its instance, else the store itself. */
export function endpointOf({ labels: { instance } }: StoredSamples, storeUrl: string): string {
  return instance === undefined ? `${storeUrl}/metrics` : urlOfInstance(instance);
}

/** Makes a run of what was read, which keeps in its `input_config` what there is to say of it. */
export function storedRun(
  store: Store,
  { id, label, urls, sliceDurationSeconds, source, problems }: StoredRunAbout,
): { readonly run: Run; readonly problems: readonly Problem[] } {
  const runOf = (about: JsonObject) => {
    const labelled = label === undefined ? {} : { label };
    const inputConfig = { server_metrics: urls, ...labelled, source: about };
    const run = new Run(
      { benchmarkId: id, ...labelled, endpointsConfigured: urls, sliceDurationSeconds, inputConfig },
      store,
    );
    run.endWithLastScrape();
    return run;
  };
  const sparse = sparseProblem(runOf(source));
  const kept = [...problems, ...(sparse === undefined ? [] : [sparse])];
  const notes = kept.map(({ severity, reason, remedy }) => ({ severity, reason, remedy }));
  const run = runOf(notes.length === 0 ? source : { ...source, notes });
  return { run, problems: [...kept, ...gapProblems(run)] };
}

function gapProblems({ store }: Run): readonly Problem[] {
  return store.endpoints
    .filter(({ failures }) => failures > 0)
    .map(({ url, failures, rows }) =>
      warningOf(
        `${displayName(url)}: ${failures} of ${rows} scrapes failed or are missing in the store; they are gaps.`,
      ),
    );
}

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
