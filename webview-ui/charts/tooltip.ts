import { t } from "@vscode/l10n";
import type { ChartOptions, TooltipItem } from "chart.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { estimateText } from "../format/estimate.js";
import { elideMiddle } from "../shorten/text-group.js";
import { formatClock, formatRelative } from "../format/time.js";
import { changeText, marksAt } from "./changes.js";
import type { ChartModel } from "./drawing.js";
import { eventsNear } from "./events.js";
import type { LinePoint } from "./lines.js";
import { css } from "./theme.js";

type Tooltip = NonNullable<NonNullable<ChartOptions<"line">["plugins"]>["tooltip"]>;

/** As many as fit into a chart's height: those nearest to the pointer, which come first. */
const TOOLTIP_LINES = 10;

/**
 * What is said of the lines at the time pointed at, which is that of a point; a line whose own point lies at another
 * time says which.
 * @param pointedAt as the crosshair has it
 */
export function tooltip(model: ChartModel, pointedAt: () => number | undefined): Tooltip {
  const { originMs, profilingStart, unit, lines, theme } = model;
  const family = theme.fontFamily;
  return {
    backgroundColor: css(theme.surface),
    borderColor: css(theme.border),
    titleColor: css(theme.foreground),
    bodyColor: css(theme.foreground),
    footerColor: css(theme.muted),
    titleFont: { size: 11, weight: "bold", family },
    bodyFont: { size: 11, family },
    footerFont: { size: 10, weight: "normal", family },
    borderWidth: 1,
    cornerRadius: 3,
    padding: { x: 8, y: 5 },
    boxWidth: 8,
    boxHeight: 8,
    boxPadding: 4,
    caretSize: 0,
    // Beside the crosshair, not over it.
    yAlign: "center",
    caretPadding: 8,
    itemSort: (a, b) => (b.parsed.y ?? 0) - (a.parsed.y ?? 0),
    filter: (_item, index) => index < TOOLTIP_LINES,
    callbacks: {
      title: (items) => {
        const [item] = items;
        if (item === undefined) return "";
        const seconds = pointedAt() ?? item.parsed.x ?? 0;
        return `${formatRelative(seconds, 1)} · ${formatClock(originMs, seconds * 1e9 + profilingStart)}`;
      },
      label: (item) => {
        const own = formatRelative(item.parsed.x ?? NaN, 1);
        const at = own === formatRelative(pointedAt() ?? item.parsed.x ?? NaN, 1) ? "" : t`, at ${own}`;
        return `${pointLabel(item, lines[item.datasetIndex]?.name ?? "", unit)}${at}`;
      },
      footer: (items) => {
        const at = pointedAt() ?? items[0]?.parsed.x ?? NaN;
        const surplus = (items[0]?.chart.tooltip?.getActiveElements().length ?? 0) - items.length;
        return [
          ...eventsNear(model, at),
          ...marksAt(model.changes ?? [], at, model.axis).map(changeText),
          ...(items.some((item) => (item.raw as LinePoint).certain !== undefined)
            ? [t("In brackets: the bucket that must contain it")]
            : []),
          ...(surplus > 0 ? [t`and ${surplus} more`] : []),
        ];
      },
    },
  };
}

/** The value, of an estimate with what is certain, and whose it is. */
function pointLabel(item: TooltipItem<"line">, name: string, unit: string | undefined): string {
  const { y, certain } = item.raw as LinePoint;
  return certain === undefined
    ? `${formatValue(y, unit)}  ${elideMiddle(name, 48)}`
    : `${estimateText(y, certain, unit)}  ${elideMiddle(name, 36)}`;
}
