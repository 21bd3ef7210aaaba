import type { ChartDataset } from "chart.js";
import { isBeyond } from "../format/estimate.js";
import type { DrawnLine } from "./drawing.js";
import type { Point } from "./lines.js";
import { css, type ChartTheme } from "./theme.js";

/** A line as Chart.js draws it. */
export function dataset(line: DrawnLine, theme: ChartTheme): ChartDataset<"line", Point[]> {
  const color = css(line.color, theme.highContrast ? 1 : line.style.alpha);
  const { incompleteFrom } = line;
  return {
    label: line.name,
    data: line.points,
    hidden: line.hidden,
    borderColor: color,
    backgroundColor: line.fillsToNext === true ? css(line.color, theme.highContrast ? 0.3 : 0.16) : color,
    fill: line.fillsToNext === true ? "+1" : false,
    borderWidth: line.style.width + (theme.highContrast ? 0.6 : 0),
    borderDash: [...line.style.dash],
    borderJoinStyle: "round",
    ...pointStyle(line.points, color, theme),
    pointHoverRadius: 3.5,
    pointHitRadius: 0,
    hoverBorderWidth: line.style.width,
    spanGaps: false,
    ...(incompleteFrom === undefined
      ? {}
      : {
          segment: {
            borderColor: (segment) => ((segment.p1.parsed.x ?? 0) > incompleteFrom ? css(line.color, 0.35) : undefined),
          },
        }),
  };
}

/**
 * A lone point between two gaps would otherwise be invisible; an extrapolated one is a hollow ring. Where there is
 * neither, all points share one style: Chart.js resolves functions point by point, which took two thirds of the work of
 * a frame of sixty live charts.
 */
function pointStyle(points: readonly Point[], color: string, theme: ChartTheme) {
  const special = points.some((point, i) => isExtrapolated(point) || (isLone(points, i) && !Number.isNaN(point.y)));
  if (!special) return { pointRadius: 0, pointBackgroundColor: color, pointBorderWidth: 1 };
  const at =
    <T>(ring: T, lone: T, other: T) =>
    ({ dataIndex: i }: { readonly dataIndex: number }): T =>
      isExtrapolated(points[i]) ? ring : isLone(points, i) ? lone : other;
  return {
    pointRadius: at(3, 2, 0),
    pointBackgroundColor: at(css(theme.background), color, color),
    pointBorderWidth: at(1.5, 1, 1),
  };
}

function isExtrapolated(point: Point | undefined): boolean {
  return point?.certain !== undefined && isBeyond(point.certain) && !Number.isNaN(point.y);
}

function isLone(points: readonly Point[], index: number): boolean {
  const nothing = (point: Point | undefined) => point === undefined || Number.isNaN(point.y);
  return nothing(points[index - 1]) && nothing(points[index + 1]);
}
