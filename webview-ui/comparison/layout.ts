import { isFields } from "../../src/core/text/index.js";
import type { Verdict } from "../../src/protocol/comparison.js";
import { flag, list, oneOf, shape, soundPart, text, type Passed, type ShapeOf } from "../../src/protocol/guards.js";
import { columnWidths } from "../../src/protocol/view-requests.js";

const tab = oneOf("differences", "charts", "matching");
export type ComparisonTab = Passed<typeof tab>;

/** Where the time axes of the runs meet. */
const alignment = oneOf("profiling", "first-request", "wall-clock");
export type Alignment = Passed<typeof alignment>;

const arrangement = oneOf("overlaid", "side-by-side");
export type Arrangement = Passed<typeof arrangement>;

/** What a chart of histograms shows; others have lines only. */
const mode = oneOf("lines", "distribution", "heatmap");
export type ComparedChartMode = Passed<typeof mode>;

/** Of a histogram's lines, the one that is drawn of each run. */
export const CHART_QUANTITIES = ["p50", "p90", "p99", "avg"] as const;
export type ChartQuantity = (typeof CHART_QUANTITIES)[number];

/** What differs, most decided first; the order of chips and words everywhere. */
export const VERDICTS = [
  "worse",
  "better",
  "differs",
  "no-evidence",
  "cannot-tell",
  "same",
] as const satisfies readonly Verdict[];
export const DIFFERING: readonly Verdict[] = ["worse", "better", "differs"];

/** Which rows the table shows; "" for all servers or types. */
const filter = { verdicts: list(oneOf(...VERDICTS)), server: text, type: text, text };
export type DifferenceFilter = ShapeOf<typeof filter>;

/** By "metric", "labels", "quantity", "baseline", or a column of a candidate: "0/share". */
const sorting = shape({ key: text, descending: flag });

/** One chart: the series behind one row. */
const chartOf = { rowId: text };
const look = { mode, quantity: oneOf(...CHART_QUANTITIES) };
export type ComparedChart = ShapeOf<typeof chartOf & typeof look>;

/** `widths`: what columns of the table were given by hand, pixels by the column's key. */
const parts = { tab, arrangement, alignment, widths: columnWidths };
export interface ComparisonLayout extends ShapeOf<typeof parts> {
  readonly filter: DifferenceFilter;
  /** Null: by effect. */
  readonly sorting: Passed<typeof sorting> | null;
  /** Null: those of the largest differences. */
  readonly charts: readonly ComparedChart[] | null;
}

export const NO_FILTER: DifferenceFilter = { verdicts: DIFFERING, server: "", type: "", text: "" };
export const DEFAULT_LAYOUT: ComparisonLayout = {
  tab: "differences",
  filter: NO_FILTER,
  sorting: null,
  charts: null,
  arrangement: "overlaid",
  alignment: "profiling",
  widths: {},
};

/** What may be sound of a saved layout; null, for a default, is as good as absent. */
const savedLayout = shape({}, { ...parts, filter: shape({}, filter), sorting, charts: list(shape(chartOf, look)) });

/** Reads what an earlier version of the view, or another program, may have left; undefined when it is no layout. */
export function parseLayout(value: unknown): ComparisonLayout | undefined {
  if (!isFields(value)) return undefined;
  const { filter, charts, ...rest } = soundPart(savedLayout, value) ?? {};
  return {
    ...DEFAULT_LAYOUT,
    ...rest,
    filter: { ...NO_FILTER, ...filter },
    charts: charts?.map((chart) => ({ mode: "lines", quantity: "p99", ...chart })) ?? null,
  };
}
