import type { HistogramMode } from "../../src/protocol/index.js";
import type { IconName } from "../components/icon.js";
import { plural } from "../format/text.js";

/** What a histogram's chart card shows; lines are its quantiles over time. */
export type CardMode = "lines" | HistogramMode;

export const CARD_MODES: readonly { readonly mode: CardMode; readonly icon: IconName; readonly name: string; readonly title: string }[] = [
  { mode: "lines", icon: "graph-line", name: "Lines", title: "Lines: quantiles over time" },
  { mode: "heatmap", icon: "table", name: "Heatmap", title: "Heatmap: observations by bucket over time" },
  { mode: "distribution", icon: "graph", name: "Distribution", title: "Distribution: observations by bucket over the window" },
];

/** Reads what was saved; undefined for lines and for what is no mode. */
export function savedMode(value: unknown): HistogramMode | undefined {
  return value === "heatmap" || value === "distribution" ? value : undefined;
}

/** What is counted, and of how many series together: "observations/s, sum of 2 series", "observations in the window, sum of 3 of 8 series". */
export function histogramSubtitle(mode: HistogramMode, chosen: number | undefined, total: number): string {
  const what = mode === "heatmap" ? "observations/s" : "observations in the window";
  const of = chosen === undefined || chosen === total ? "" : `${chosen} of `;
  return total > 1 ? `${what}, ${chosen === 1 ? "" : "sum of "}${of}${plural(total, "series", "series")}` : what;
}
