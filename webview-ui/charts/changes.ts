import { t } from "@vscode/l10n";
import type { Plugin } from "chart.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { NS_PER_SECOND, type Labels } from "../../src/core/model/index.js";
import type { ChartLine, SeriesChange } from "../../src/protocol/index.js";
import { formatRelative } from "../format/time.js";
import type { Viewport } from "../state/run-store.js";
import type { LinePoint } from "./lines.js";
import { css, type ChartTheme, type Rgba } from "./theme.js";

/** A change of level or an outlier as it is drawn. Times in seconds from the start of profiling. */
export interface ChangeMark {
  readonly kind: SeriesChange["kind"];
  /** Of the line that it is about. */
  readonly color: Rgba;
  readonly from: number;
  readonly to: number;
  /** It went up, or lies above what is usual. */
  readonly rises: boolean;
  /** As the tooltip and the list below the chart say it. */
  readonly text: string;
}

interface ChangedLine {
  readonly line: Pick<ChartLine, "endpointUrl" | "labels" | "quantity">;
  readonly drawn: {
    readonly name: string;
    readonly color: Rgba;
    readonly points: readonly LinePoint[];
    readonly hidden: boolean;
  };
}

/** Changes of a histogram are those of its average. */
const CHANGING: readonly ChartLine["quantity"][] = ["value", "rate", "avg"];

/** The marks of the lines that are shown, in order of time. @param profilingStart offset, nanoseconds */
export function changeMarks(
  changes: readonly SeriesChange[],
  lines: readonly ChangedLine[],
  profilingStart: number,
  unit: string | undefined,
): readonly ChangeMark[] {
  const nameOf = ({ endpointUrl, labels }: { readonly endpointUrl: string; readonly labels: Labels }) =>
    JSON.stringify([endpointUrl, labels]);
  const bySeries = new Map(
    lines
      .filter(({ line, drawn }) => CHANGING.includes(line.quantity) && !drawn.hidden)
      .map(({ line, drawn }) => [nameOf(line), drawn]),
  );
  const seconds = (offset: number) => (offset - profilingStart) / NS_PER_SECOND;
  return changes
    .flatMap((change): ChangeMark[] => {
      const drawn = bySeries.get(nameOf(change));
      if (drawn === undefined) return [];
      const { color, points } = drawn;
      const whose = lines.length > 1 ? `${drawn.name}: ` : "";
      const from = seconds(change.start);
      if (change.kind === "level-change") {
        const { before, after } = change;
        const text = t`${whose}from ${formatValue(before, unit)} to ${formatValue(after, unit)} at ${formatRelative(from)}`;
        return [{ kind: change.kind, color, from, to: from, rises: after > before, text }];
      }
      const { value, usual } = change;
      const to = seconds(change.end);
      const inside = points.filter(({ x }) => x >= from && x <= to);
      // No line is drawn there, as where a series restarted.
      if (inside.length > 0 && inside.every(({ y }) => Number.isNaN(y))) return [];
      const text = t`${whose}${formatValue(value, unit)} at ${formatRelative(from)}, ${formatValue(usual, unit)} around it`;
      return [{ kind: change.kind, color, from, to, rises: value > usual, text }];
    })
    .sort((a, b) => a.from - b.from);
}

/** "Level change: from 12 to 30 requests at 1:10". */
export function changeText({ kind, text }: ChangeMark): string {
  return `${kind === "level-change" ? t("Level change") : t("Outlier")}: ${text}`;
}

/** Those at a time, within what a pointer can tell apart. */
export function marksAt(marks: readonly ChangeMark[], seconds: number, axis: Viewport): readonly ChangeMark[] {
  const reach = (axis.to - axis.from) / 100;
  return marks.filter(({ from, to }) => seconds >= from - reach && seconds <= to + reach);
}

interface MarkedModel {
  readonly changes?: readonly ChangeMark[];
  readonly axis: Viewport;
  readonly theme: ChartTheme;
}

/** Height of the lane beneath the time axis that the marks stand in, and half the width of a mark, pixels. */
export const LANE = 12;
const HALF = 4;

/**
 * Draws the marks beneath the time axis, where none can be taken for a part of a line: a triangle that points up or
 * down for a change of level, a diamond for an outlier.
 */
export function changeGlyphs(current: () => MarkedModel): Plugin<"line"> {
  return {
    id: "changeGlyphs",
    afterDatasetsDraw({ ctx, scales, height }) {
      const { changes = [], axis, theme } = current();
      const y = height - LANE / 2;
      for (const { kind, color, from, to, rises } of changes) {
        const time = (from + to) / 2;
        const x = time < axis.from || time > axis.to ? undefined : scales["x"]?.getPixelForValue(time);
        if (x === undefined) continue;
        const tip = rises ? -HALF : HALF;
        ctx.fillStyle = css(theme.highContrast ? theme.foreground : color);
        ctx.beginPath();
        ctx.moveTo(x, y + tip);
        ctx.lineTo(x + HALF, kind === "outlier" ? y : y - tip);
        if (kind === "outlier") ctx.lineTo(x, y - tip);
        ctx.lineTo(x - HALF, kind === "outlier" ? y : y - tip);
        ctx.fill();
      }
    },
  };
}
