import { labelKey } from "../../../src/core/model/index.js";
import type { ComparisonRow } from "../../../src/protocol/comparison.js";

/** Rows that one chart draws: of one series (or group of series), whatever their quantity; a ratio has its own. */
export function sameSeries(a: ComparisonRow, b: ComparisonRow): boolean {
  return (
    a.family === b.family &&
    a.endpointUrl === b.endpointUrl &&
    a.type === b.type &&
    (a.quantity === "ratio") === (b.quantity === "ratio") &&
    labelKey(a.labels) === labelKey(b.labels)
  );
}
