import { isDecided } from "../../../src/core/compare/report/report.js";
import type { Comparison, ComparisonRow } from "../../../src/protocol/comparison.js";
import { CHART_QUANTITIES, type ComparedChart } from "../layout.js";
import { labelKey } from "../../../src/core/model/index.js";

/** Charts that a comparison begins with. */
const FIRST_CHARTS = 4;

function chartOf(row: ComparisonRow): ComparedChart {
  return {
    rowId: row.id,
    mode: "lines",
    quantity: CHART_QUANTITIES.find((quantity) => quantity === row.quantity) ?? "p99",
  };
}

/** The largest differences, one of each family; without any, the key metrics. */
export function firstCharts({ rows }: Pick<Comparison, "rows">): readonly ComparedChart[] {
  const decided = rows.filter(isDecided);
  const families = new Set<string>();
  return (decided.length > 0 ? decided : rows.filter(({ isKey }) => isKey))
    .filter(({ family }) => !families.has(family) && families.add(family))
    .slice(0, FIRST_CHARTS)
    .map(chartOf);
}

/**
 * With a row's chart; one of the same series is there already and turns to the row's quantity. Also tells which chart
 * that is.
 */
export function withChart(
  charts: readonly ComparedChart[],
  row: ComparisonRow,
  rows: readonly ComparisonRow[],
): { readonly charts: readonly ComparedChart[]; readonly shown: string } {
  const wanted = chartOf(row);
  const known = charts.find(({ rowId }) => rows.some((one) => one.id === rowId && sameSeries(one, row)));
  if (known === undefined) return { charts: [...charts, wanted], shown: wanted.rowId };
  return {
    charts: charts.map((chart) => (chart === known ? { ...chart, quantity: wanted.quantity } : chart)),
    shown: known.rowId,
  };
}

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
