import type { MetricType } from "../../src/core/model/index.js";
import type { ChartQuery } from "../../src/protocol/index.js";
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
