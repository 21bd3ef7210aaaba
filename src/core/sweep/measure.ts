import { CLIENT, CLIENT_RATES, spanOf, type ClientRequest, type ClientResult } from "../client/index.js";
import { conceptOf, type ConceptId } from "../catalog/index.js";
import {
  observedTogether,
  NS_PER_SECOND,
  type CounterResult,
  type EpochNs,
  type FamilyResult,
  type HistogramResult,
  statisticOf,
  type RunStatistics,
  type SeriesResult,
} from "../model/index.js";
import { mean } from "../math/index.js";
import { BATCHES, withBatches, withOrderStatistics } from "./intervals.js";
import { knownEstimate, percentilesInPlace } from "../stats/index.js";
import {
  latencyFigure,
  SWEEP_STATISTICS,
  type Estimated,
  type Figures,
  type LatencyColumn,
  type SweepLatency,
  type SweepLoad,
  type SweepStatistic,
} from "./types.js";

const QUANTILES = [
  ["p50", 0.5],
  ["p90", 0.9],
  ["p99", 0.99],
] as const;

/** What a client's result says: exact of its requests, else as the tool wrote it. */
export function measureClient(result: ClientResult): Figures {
  const completed = result.requests.filter(({ outcome }) => outcome === "completed");
  return completed.length > 0 ? ofRequests(completed) : ofStored(result);
}

/** Load that a client was set to; absent where it does not say. */
export function loadOf({ concurrency, requestRate }: ClientResult): SweepLoad | undefined {
  if (concurrency !== undefined) return { kind: "concurrency", value: concurrency };
  return requestRate === undefined ? undefined : { kind: "request rate", value: requestRate };
}

function ofRequests(requests: readonly ClientRequest[]): Figures {
  const byEnd = [...requests].sort((a, b) => (a.end < b.end ? -1 : a.end > b.end ? 1 : 0));
  const span = spanOf(requests);
  const seconds = span === undefined ? 0 : Number(span.end - span.start) / NS_PER_SECOND;
  const rate = (amount: (request: ClientRequest) => number): Estimated | undefined => {
    const total = byEnd.reduce((sum, request) => sum + amount(request), 0);
    if (span === undefined || !(seconds > 0) || total === 0) return undefined;
    const batches = new Array<number>(BATCHES).fill(0);
    for (const request of byEnd) {
      const at = Number(request.end - span.start) / NS_PER_SECOND / seconds;
      const batch = Math.min(BATCHES - 1, Math.floor(at * BATCHES));
      batches[batch] = (batches[batch] ?? 0) + amount(request);
    }
    return withBatches(
      total / seconds,
      requests.length < 2 * BATCHES ? [] : batches.map((amount) => (amount * BATCHES) / seconds),
    );
  };
  return {
    requests: rate(() => 1),
    tokens: rate(({ outputTokens = 0 }) => outputTokens),
    ...latency(
      "latency",
      byEnd.flatMap((request) => request.latency ?? []),
    ),
    ...latency(
      "ttft",
      byEnd.flatMap((request) => request.timeToFirstToken ?? []),
    ),
    ...latency(
      "itl",
      byEnd.flatMap((request) => request.interTokenLatency ?? []),
    ),
  };
}

/** @param values in the order of time */
function latency(column: LatencyColumn, values: readonly number[]): Figures {
  if (values.length === 0) return {};
  const sorted = Float64Array.from(values).sort();
  const percentiles = percentilesInPlace(
    sorted.slice(),
    QUANTILES.map(([, q]) => q),
  );
  const size = Math.floor(values.length / BATCHES);
  const batches =
    size < 2 ? [] : Array.from({ length: BATCHES }, (_, b) => mean(values.slice(b * size, (b + 1) * size)));
  return {
    [column]: withBatches(mean(values), batches),
    ...Object.fromEntries(
      QUANTILES.map(([name, q], i) => [`${column}.${name}`, withOrderStatistics(percentiles[i] ?? NaN, sorted, q)]),
    ),
  };
}

function ofStored({ stored }: ClientResult): Figures {
  const stats = new Map(stored.map(({ family, stats: own }) => [family, own]));
  const figure = (family: string, statistic: SweepStatistic) => {
    const value = stats.get(family)?.[statistic];
    return value === undefined ? undefined : { value };
  };
  const of = (latency: SweepLatency, family: string): Figures =>
    Object.fromEntries(SWEEP_STATISTICS.map((name) => [latencyFigure(latency, name), figure(family, name)]));
  return {
    requests: figure(CLIENT_RATES.requests, "avg"),
    tokens: figure(CLIENT_RATES.outputTokens, "avg"),
    ...of("request-latency", CLIENT.latency),
    ...of("ttft", CLIENT.timeToFirstToken),
    ...of("inter-token-latency", CLIENT.interTokenLatency),
  };
}

/** What servers call the latencies. */
export const LATENCY_CONCEPTS: { readonly [C in LatencyColumn]: ConceptId } = {
  latency: "e2e-latency",
  ttft: "ttft",
  itl: "inter-token-latency",
};

/** Concepts that `measureServer` and `serverLoad` read. */
const MEASURED: ReadonlySet<ConceptId> = new Set([
  ...Object.values(LATENCY_CONCEPTS),
  "finished",
  "generation-tokens",
  "running",
]);

/** Whether a sweep reads a server's family of this name: it needs a few of all that a run has. */
export function isMeasured(family: string): boolean {
  const concept = conceptOf(family)?.concept.id;
  return concept !== undefined && MEASURED.has(concept);
}

/** What servers say, all endpoints together: the first family of each quantity that has data. */
export function measureServer({ families }: RunStatistics): Figures {
  return {
    requests: counted(families, "finished") ?? observed(families, "e2e-latency"),
    tokens: counted(families, "generation-tokens"),
    ...histogramLatency(families, "latency"),
    ...histogramLatency(families, "ttft"),
    ...histogramLatency(families, "itl"),
  };
}

/** Mean requests running and waiting at the servers: what a load was where nothing says what it was set to. */
export function serverLoad({ families }: RunStatistics): SweepLoad | undefined {
  const running = families.flatMap((family) =>
    (family.type === "gauge" || family.type === "unknown") && conceptOf(family.name)?.concept.id === "running"
      ? [sumOf(family.series, "avg")]
      : [],
  );
  const [value] = running;
  return value === undefined ? undefined : { kind: "concurrency", value: Math.round(value * 10) / 10 };
}

/** Of the series that have it. */
function sumOf(series: readonly SeriesResult[], statistic: string): number {
  return series.reduce((sum, result) => sum + (statisticOf(result, statistic) || 0), 0);
}

function ofConcept(families: readonly FamilyResult[], concept: ConceptId): readonly FamilyResult[] {
  return families.filter(({ name }) => conceptOf(name)?.concept.id === concept);
}

function counted(families: readonly FamilyResult[], concept: ConceptId): Estimated | undefined {
  for (const family of ofConcept(families, concept)) {
    if (family.type !== "counter") continue;
    const value = sumOf(family.series, "rate");
    if (value > 0)
      return withBatches(
        value,
        batched(family.series, (slice) => slice.rate),
      );
  }
  return undefined;
}

/** Observations a second of a histogram. */
function observed(families: readonly FamilyResult[], concept: ConceptId): Estimated | undefined {
  for (const family of ofConcept(families, concept)) {
    if (family.type !== "histogram") continue;
    const value = sumOf(family.series, "count_rate");
    if (value > 0) return { value };
  }
  return undefined;
}

function histogramLatency(families: readonly FamilyResult[], column: LatencyColumn): Figures {
  for (const family of ofConcept(families, LATENCY_CONCEPTS[column])) {
    if (family.type !== "histogram") continue;
    const scale = family.unit === "milliseconds" ? 1e-3 : family.unit === "microseconds" ? 1e-6 : 1;
    const observed = observedTogether(family.series);
    if (observed === undefined) continue;
    const { series, main, avg } = observed;
    const batches = batched(
      series,
      (slice) => slice.sum * scale,
      (slice) => slice.count,
    );
    return {
      [column]: withBatches(avg * scale, batches),
      // Of several series the estimates cannot be put together here.
      ...(series.length === 1 ? estimates(column, main, scale) : {}),
    };
  }
  return {};
}

function estimates(column: LatencyColumn, main: HistogramResult, scale: number): Figures {
  return Object.fromEntries(
    QUANTILES.map(([name]) => {
      const { value, interval: [low, high] = [NaN, NaN] } = knownEstimate(main, `${name}_estimate`) ?? {};
      const interval = Number.isNaN(low) ? {} : { interval: [low * scale, high * scale] as const };
      return [`${column}.${name}`, value === undefined ? undefined : { value: value * scale, ...interval }];
    }),
  );
}

type Sliced = CounterResult | HistogramResult;
type SliceOf<S extends Sliced> = NonNullable<S["slices"]>[number];

/** Of each batch of slices, all series together: sum of amounts by sum of weights, or by the number of slices. */
function batched<S extends Sliced>(
  series: readonly S[],
  amountOf: (slice: SliceOf<S>) => number,
  weightOf?: (slice: SliceOf<S>) => number,
): readonly number[] {
  const byStart = new Map<EpochNs, { amount: number; weight: number }>();
  for (const { slices } of series) {
    const own: readonly SliceOf<S>[] = slices ?? [];
    for (const slice of own) {
      if (slice.is_complete === false) continue;
      const at = byStart.get(slice.start_ns) ?? { amount: 0, weight: 0 };
      at.amount += amountOf(slice);
      at.weight = weightOf === undefined ? 1 : at.weight + weightOf(slice);
      byStart.set(slice.start_ns, at);
    }
  }
  const all = [...byStart].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, slice]) => slice);
  const size = Math.ceil(all.length / BATCHES);
  if (size === 0) return [];
  return Array.from({ length: Math.floor(all.length / size) }, (_, b) => {
    const own = all.slice(b * size, (b + 1) * size);
    return own.reduce((sum, { amount }) => sum + amount, 0) / own.reduce((sum, { weight }) => sum + weight, 0);
  }).filter(Number.isFinite);
}
