import type { ChartDataset } from "chart.js";
import type { DrawnLine } from "./drawing.js";
import type { LinePoint } from "./lines.js";
import { css, type ChartTheme } from "./theme.js";

/**
 * A line as Chart.js draws it, all of it in one style: where points or parts of a line differ, Chart.js resolves the
 * style point by point, which took two thirds of the work of a frame of sixty live charts. What differs is drawn by
 * `lineDetails`.
 */
export function dataset(line: DrawnLine, theme: ChartTheme): ChartDataset<"line", LinePoint[]> {
  const color = css(line.color);
  return {
    label: line.name,
    data: line.points,
    hidden: line.hidden,
    borderColor: color,
    backgroundColor: line.fillsToNext === true ? css(line.color, theme.highContrast ? 0.3 : 0.16) : color,
    fill: line.fillsToNext === true ? "+1" : false,
    borderWidth: lineWidth(line, theme),
    borderDash: [...line.style.dash],
    borderJoinStyle: "round",
    pointRadius: 0,
    pointBackgroundColor: color,
    pointBorderWidth: 1,
    pointHoverRadius: 3.5,
    pointHitRadius: 0,
    hoverBorderWidth: line.style.width,
    spanGaps: false,
  };
}

export function lineWidth({ style }: DrawnLine, { highContrast }: ChartTheme): number {
  return style.width + (highContrast ? 0.6 : 0);
}
