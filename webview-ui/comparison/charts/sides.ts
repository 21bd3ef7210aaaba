import { labelKey } from "../../../src/core/model/index.js";
import type { ComparisonRow } from "../../../src/protocol/comparison.js";

/** Rows of one series (or group of series), whatever their quantity. */
export function sameSeries(a: ComparisonRow, b: ComparisonRow): boolean {
  return (
    a.family === b.family &&
    a.endpointUrl === b.endpointUrl &&
    a.type === b.type &&
    labelKey(a.labels) === labelKey(b.labels)
  );
}
