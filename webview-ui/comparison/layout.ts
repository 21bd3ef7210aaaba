import { isFields } from "../../src/core/text/index.js";
import type { Verdict } from "../../src/protocol/comparison.js";
import { flag, list, oneOf, shape, soundPart, text } from "../../src/protocol/guards.js";
import { columnWidths } from "../../src/protocol/view-requests.js";
import type { ChosenWidths } from "../tables/columns.js";

export const COMPARISON_TABS = ["differences", "charts", "matching"] as const;
export type ComparisonTab = (typeof COMPARISON_TABS)[number];

/** Where the time axes of the runs meet. */
export const ALIGNMENTS = ["profiling", "first-request", "wall-clock"] as const;
export type Alignment = (typeof ALIGNMENTS)[number];

export const ARRANGEMENTS = ["overlaid", "side-by-side"] as const;
export type Arrangement = (typeof ARRANGEMENTS)[number];

/** What a chart of histograms shows; others have lines only. */
export const COMPARED_CHART_MODES = ["lines", "distribution", "heatmap"] as const;
export type ComparedChartMode = (typeof COMPARED_CHART_MODES)[number];

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

/** Which rows the table shows. */
export interface DifferenceFilter {
  readonly verdicts: readonly Verdict[];
  /** "" for all. */
  readonly server: string;
  readonly type: string;
  readonly text: string;
}

export interface RowSorting {
  /** "metric", "labels", "quantity", "baseline", or a column of a candidate: "0/share". */
  readonly key: string;
  readonly descending: boolean;
}

/** One chart: the series behind one row. */
export interface ComparedChart {
  readonly rowId: string;
  readonly mode: ComparedChartMode;
  readonly quantity: ChartQuantity;
}

export interface ComparisonLayout {
  readonly tab: ComparisonTab;
  readonly filter: DifferenceFilter;
  /** Null: by effect. */
  readonly sorting: RowSorting | null;
  /** Null: those of the largest differences. */
  readonly charts: readonly ComparedChart[] | null;
  readonly arrangement: Arrangement;
  readonly alignment: Alignment;
  /** Widths that columns of the table were given by hand, pixels by the column's key. */
  readonly widths: ChosenWidths;
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
const savedLayout = shape(
  {},
  {
    tab: oneOf(...COMPARISON_TABS),
    filter: shape({}, { verdicts: list(oneOf(...VERDICTS)), server: text, type: text, text }),
    sorting: shape({ key: text, descending: flag }),
    charts: list(
      shape({ rowId: text }, { mode: oneOf(...COMPARED_CHART_MODES), quantity: oneOf(...CHART_QUANTITIES) }),
    ),
    arrangement: oneOf(...ARRANGEMENTS),
    alignment: oneOf(...ALIGNMENTS),
    widths: columnWidths,
  },
);

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
