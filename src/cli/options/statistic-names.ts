import { METRIC_TYPES } from "../../core/model/index.js";
import { statisticColumns } from "../../core/query/index.js";

const KEYS = METRIC_TYPES.flatMap((type) => statisticColumns(type, undefined).map(({ key }) => key));

/** What `--statistics` takes: `p99` is the percentile of a gauge, and the estimate of a histogram's. */
export const STATISTIC_NAMES: readonly string[] = [
  ...new Set(KEYS.flatMap((key) => [key, key.replace("_estimate", "")])),
];
