import type { Chart, Plugin } from "chart.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { NS_PER_SECOND, type Labels } from "../../src/core/model/index.js";
import type { ChartLine, SeriesChange } from "../../src/protocol/index.js";
import { formatRelative } from "../format/time.js";
import type { Viewport } from "../state/run-store.js";
import type { BareLine } from "./line-controller.js";
import type { Point } from "./lines.js";
import { withinPlot } from "./plot.js";
import { css, type ChartTheme, type Rgba } from "./theme.js";

/** A change of level or an outlier as it is drawn. Times in seconds from the start of profiling. */
export interface ChangeMark {
  readonly kind: SeriesChange["kind"];
  /** Of the line that it is on. */
  readonly line: string;
  readonly color: Rgba;
  readonly from: number;
  readonly to: number;
  /** Of a level: before and after. Of an outlier: what is usual around it, and where its mark stands. */
  readonly values: readonly [before: number, after: number];
  /** As the tooltip and the list below the chart say it. */
  readonly text: string;
}

interface ChangedLine {
  readonly line: Pick<ChartLine, "endpointUrl" | "labels" | "quantity">;
  readonly drawn: {
    readonly key: string;
    readonly name: string;
    readonly color: Rgba;
    readonly points: readonly Point[];
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
      const { key: line, color, points } = drawn;
      const whose = bySeries.size > 1 ? `${drawn.name}: ` : "";
      const from = seconds(change.start);
      if (change.kind === "level-change") {
        const { before, after } = change;
        const text = `${whose}from ${formatValue(before, unit)} to ${formatValue(after, unit)} at ${formatRelative(from)}`;
        return [{ kind: change.kind, line, color, from, to: from, values: [before, after], text }];
      }
      const { value, usual } = change;
      const to = seconds(change.end);
      const inside = points.filter(({ x }) => x >= from && x <= to);
      const onLine = inside.filter(({ y }) => !Number.isNaN(y));
      // No line is drawn there, as where a series restarted.
      if (inside.length > 0 && onLine.length === 0) return [];
      // The mark stands on the line: where it is furthest from what is usual.
      const furthest = onLine.reduce((a, { y }) => (Math.abs(y - usual) > Math.abs(a - usual) ? y : a), usual);
      const text = `${whose}${formatValue(value, unit)} at ${formatRelative(from)}, ${formatValue(usual, unit)} around it`;
      return [{ kind: change.kind, line, color, from, to, values: [usual, furthest], text }];
    })
    .sort((a, b) => a.from - b.from);
}

/** "Level change: from 12 to 30 requests at 1:10". */
export function changeText({ kind, text }: ChangeMark): string {
  return `${kind === "level-change" ? "Level change" : "Outlier"}: ${text}`;
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

/** Half the width of a step's mark and of a diamond, pixels. */
const STEP = 9;
const DIAMOND = 5;

/** Draws a step at each change of level and a diamond at each outlier, set off from the lines by the background. */
export function changeGlyphs(current: () => MarkedModel): Plugin<BareLine> {
  return {
    id: "changeGlyphs",
    afterDatasetsDraw(chart) {
      const { changes = [], axis, theme } = current();
      const { ctx } = chart;
      const seen = changes.filter(({ from, to }) => to >= axis.from && from <= axis.to);
      if (seen.length === 0) return;
      withinPlot(chart, () => {
        ctx.lineJoin = "miter";
        for (const mark of seen) {
          trace(chart, mark);
          const isLevel = mark.kind === "level-change";
          ctx.strokeStyle = css(theme.background);
          ctx.lineWidth = 4.5;
          ctx.stroke();
          ctx.fillStyle = css(theme.background);
          if (!isLevel) ctx.fill();
          ctx.strokeStyle = css(theme.highContrast ? theme.foreground : mark.color);
          ctx.lineWidth = isLevel ? 2 : 1.5;
          ctx.stroke();
        }
      });
    },
  };
}

/** Makes a mark's outline the current path. */
function trace(chart: Chart, { kind, from, to, values: [before, after] }: ChangeMark): void {
  const { x: xAxis, y: yAxis } = chart.scales;
  if (xAxis === undefined || yAxis === undefined) return;
  const { ctx } = chart;
  const x = xAxis.getPixelForValue((from + to) / 2);
  const [low, high] = [yAxis.getPixelForValue(before), yAxis.getPixelForValue(after)];
  ctx.beginPath();
  if (kind === "level-change") {
    ctx.moveTo(x - STEP, low);
    ctx.lineTo(x, low);
    ctx.lineTo(x, high);
    ctx.lineTo(x + STEP, high);
    return;
  }
  ctx.moveTo(x, high - DIAMOND);
  ctx.lineTo(x + DIAMOND, high);
  ctx.lineTo(x, high + DIAMOND);
  ctx.lineTo(x - DIAMOND, high);
  ctx.closePath();
}
