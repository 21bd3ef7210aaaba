import { t } from "@vscode/l10n";
import { vectorLabelOf } from "../../src/core/catalog/vectors.js";
import type { ChartMode, FamilySummary } from "../../src/protocol/index.js";
import type { ChoiceOption } from "../components/choice.js";
import { plural } from "../../src/core/text/plural.js";
import { isReport } from "../report/opened.js";
import { CARD_MODES, type CardMode } from "../state/chart-mode.js";

const MODES: { readonly [M in CardMode]: Omit<ChoiceOption<CardMode>, "value"> } = {
  lines: { icon: "graph-line", text: t("Lines"), title: t("Lines: over time") },
  heatmap: { icon: "table", text: t("Heatmap"), title: t("Heatmap: observations by bucket over time") },
  distribution: {
    icon: "graph",
    text: t("Distribution"),
    title: t("Distribution: observations by bucket over the window"),
  },
  vector: {
    icon: "symbol-array",
    text: t("Positions"),
    title: t("Positions: one bar for each, and their course"),
  },
  ranking: {
    icon: "list-ordered",
    text: t("Top"),
    title: t("Top: the series with the greatest values over the window"),
  },
  shares: {
    icon: "pie-chart",
    text: t("Shares"),
    title: t("Shares: how the load over the window falls on endpoints"),
  },
};

/** The modes that a family can be shown in; the current one among them whatever is known of the family. */
export function modesOf(
  family: Pick<FamilySummary, "name" | "type" | "seriesCount">,
  current: CardMode,
): ChoiceOption<CardMode>[] {
  const offered: { readonly [M in CardMode]: boolean } = {
    lines: true,
    heatmap: family.type === "histogram",
    distribution: family.type === "histogram",
    vector: vectorLabelOf(family.name) !== undefined,
    ranking: family.seriesCount > 1 && !isReport,
    shares: family.seriesCount > 1 && !isReport,
  };
  return CARD_MODES.filter((mode) => offered[mode] || mode === current).map((value) => ({ value, ...MODES[value] }));
}

/** A saved mode as far as the family allows it: only histograms have buckets, only vectors positions. */
export function modeOf(
  mode: ChartMode | undefined,
  family: Pick<FamilySummary, "name" | "type"> | undefined,
): CardMode {
  if (mode === undefined || family === undefined) return "lines";
  if (mode === "heatmap" || mode === "distribution") return family.type === "histogram" ? mode : "lines";
  return mode === "vector" && vectorLabelOf(family.name) === undefined ? "lines" : mode;
}

/**
 * What is counted, and of how many series together: "observations/s, sum of 2 series", "observations in the window, sum
 * of 3 of 8 series".
 */
export function histogramSubtitle(mode: "heatmap" | "distribution", chosen: number | undefined, total: number): string {
  const what = mode === "heatmap" ? t("observations/s") : t("observations in the window");
  const of = chosen === undefined || chosen === total ? "" : t`${chosen} of `;
  return total > 1
    ? `${what}, ${chosen === 1 ? "" : t("sum of ")}${of}${plural(total, t("series"), t("series"))}`
    : what;
}
