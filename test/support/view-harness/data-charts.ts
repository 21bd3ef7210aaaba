import { offsetNs } from "../../../src/core/model/index.js";
import {
  type Assertion,
  type CheckResult,
  type DistributionData,
  type HeatmapData,
  type SeriesChange,
} from "../../../src/protocol/index.js";
import { chart, FAMILIES, type SyntheticRun } from "./data.js";
import { statistics } from "./data-tables.js";

const UPPERS = Float64Array.of(0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity);

/** A latency that doubles at half time; for a while no scrape answers. */
export function heatmap(family: string): HeatmapData {
  const columns = 40;
  const edges = Float64Array.from({ length: columns + 1 }, (_, c) => c * 4e9);
  const rates = Float64Array.from({ length: columns * UPPERS.length }, (_, i) => {
    const column = Math.floor(i / UPPERS.length);
    if (column >= 25 && column < 30) return NaN;
    const centre = column < columns / 2 ? 2 : 4;
    return 30 * Math.exp(-(((i % UPPERS.length) - centre) ** 2));
  });
  return { family, unit: "seconds", uppers: UPPERS, edges, rates };
}

export function distribution(family: string): DistributionData {
  const quantiles = (
    [
      [0.5, 0.25, 0.5],
      [0.9, 1, 2.5],
      [0.95, 1, 2.5],
      [0.99, 10, Infinity],
    ] as const
  ).map(([q, lower, upper]) => ({ q, value: lower * 1.3, lower, upper }));
  return {
    family,
    unit: "seconds",
    uppers: UPPERS,
    counts: Float64Array.of(40, 320, 610, 420, 160, 70, 20, 12),
    quantiles,
  };
}

const limit = (family: string, statistic: string, most: number): Assertion => ({
  text: `${family} ${statistic} < ${most}`,
  over: "all",
  family,
  selectors: [],
  statistic,
  operator: "<",
  limit: most,
});
/** One that holds, one that does not, one beyond all lines. */
export const ASSERTIONS: readonly Assertion[] = [
  limit("vllm:num_requests_running", "max", 110),
  limit("vllm:kv_cache_usage_perc", "avg", 0.3),
  limit("vllm:generation_tokens", "rate", 100_000),
];

export function check(assertion: Assertion): CheckResult {
  const { rows } = statistics({ family: assertion.family });
  const series = rows.map(({ endpointUrl, labels, values }) => {
    const value = values[assertion.statistic] ?? NaN;
    return { endpointUrl, labels, value, passed: value < assertion.limit };
  });
  const unit = FAMILIES.find(({ name }) => name === assertion.family)?.unit;
  return {
    assertion,
    passed: series.every((one) => one.passed),
    family: assertion.family,
    series,
    ...(unit === undefined ? {} : { unit }),
  };
}

/** A level that changes and a value that stands out, in the first series of whatever is asked for. */
export function changes(run: SyntheticRun, family: string): readonly SeriesChange[] {
  const [first] = chart(run, { family, maxSeries: 1, maxPoints: 100 }).lines;
  const [t1 = 0, t2 = 0] = [first?.times[40], first?.times[70]];
  if (first === undefined) return [];
  const { endpointUrl, labels, values } = first;
  const value = values[70] ?? 0;
  const base = { endpointUrl, labels };
  return [
    { ...base, kind: "level-change", start: offsetNs(t1), before: (values[39] ?? 0) * 0.8, after: values[41] ?? 0 },
    { ...base, kind: "outlier", start: offsetNs(t2 - 1e9), end: offsetNs(t2 + 1e9), value, usual: value * 0.7 },
  ];
}
