import type { MetricType } from "../../src/core/model/index.js";
import type { ChartQuery, FamilySummary, RunHeader } from "../../src/protocol/index.js";
import type { ChartEntry } from "./layout.js";

/** Lines beyond this are a thicket; histograms draw four a series. */
const MAX_SERIES: { readonly [T in MetricType]: number } = { gauge: 20, unknown: 20, counter: 20, histogram: 5 };
const MAX_POINTS = 1000;

/** What a chart asks of the whole run. */
export function wholeRunQuery(entry: Pick<ChartEntry, "family" | "series">, type: MetricType): ChartQuery {
  return {
    family: entry.family,
    ...(entry.series === undefined ? {} : { series: entry.series }),
    maxSeries: MAX_SERIES[type],
    maxPoints: MAX_POINTS,
  };
}

/** More series than can be distinguished in one chart. */
const MANY_SERIES = 12;
/** With as few endpoints, series are distinguished by labels, and which ones matter is the user's to say. */
const FEW_ENDPOINTS = 3;
const ALL_SERIES = 500;
const BAND_POINTS = 200;

/** Whether a family is shown as median, band and outliers unless the user asks for its series. */
export function isMany(
  entry: Pick<ChartEntry, "series" | "mode">,
  family: Pick<FamilySummary, "seriesCount">,
  { endpoints }: Pick<RunHeader, "endpoints">,
): boolean {
  return (
    entry.series === undefined &&
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
