import type { MetricType } from "../../src/core/model/index.js";
import type { ChartQuery, FamilySummary } from "../../src/protocol/index.js";
import type { ChartEntry } from "./layout.js";

/** Lines beyond this are a thicket; histograms draw four a series. */
const MAX_SERIES: { readonly [T in MetricType]: number } = { gauge: 20, unknown: 20, counter: 20, histogram: 5 };
/** Lines that a series is drawn with: a histogram's percentiles and its average. */
const LINES_OF_SERIES: { readonly [T in MetricType]: number } = { gauge: 1, unknown: 1, counter: 1, histogram: 4 };
/** Of a line: more than a chart has pixels beside one another. */
const MAX_POINTS = 1000;
/**
 * Of a chart: to rasterise a point takes 1 to 2 µs without a graphics processor, to lay it out and draw it 1 µs, and a
 * frame has 16 ms. Twenty lines get 200 points each, which keep the extremes of 67 stretches; zooming in brings more.
 */
const MAX_CHART_POINTS = 4000;

/** What a chart asks of the whole run. */
export function wholeRunQuery(
  entry: Pick<ChartEntry, "family" | "series">,
  family: Pick<FamilySummary, "type" | "seriesCount"> | undefined,
): ChartQuery {
  const type = family?.type ?? "unknown";
  const series = Math.min(MAX_SERIES[type], entry.series?.length ?? family?.seriesCount ?? 1);
  const lines = Math.max(1, series) * LINES_OF_SERIES[type];
  return {
    family: entry.family,
    ...(entry.series === undefined ? {} : { series: entry.series }),
    maxSeries: MAX_SERIES[type],
    maxPoints: Math.min(MAX_POINTS, Math.round(MAX_CHART_POINTS / lines)),
  };
}

/** More series than can be distinguished in one chart. */
const MANY_SERIES = 12;
/** With as few endpoints, series are distinguished by labels, and which ones matter is the user's to say. */
const FEW_ENDPOINTS = 3;
const ALL_SERIES = 500;
const BAND_POINTS = 200;

/**
 * Whether a family is shown as median, band and outliers, or a histogram's series as one, unless the user asks for its
 * series. There is no band of several families in one chart.
 * @param endpoints that the view shows
 */
export function isMany(
  entry: Pick<ChartEntry, "series" | "also" | "mode">,
  family: Pick<FamilySummary, "type" | "seriesCount">,
  endpoints: readonly unknown[],
): boolean {
  return (
    entry.series === undefined &&
    (entry.also === undefined || family.type === "histogram") &&
    entry.mode === undefined &&
    family.seriesCount > MANY_SERIES &&
    endpoints.length > FEW_ENDPOINTS
  );
}

/** All series of a family: a histogram's as one, of others enough of each for a band. */
export function manyQuery(query: ChartQuery, type: MetricType): ChartQuery {
  return type === "histogram"
    ? { ...query, together: true }
    : { ...query, maxSeries: ALL_SERIES, maxPoints: BAND_POINTS };
}
