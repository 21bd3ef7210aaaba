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
    // A lone point between two gaps would otherwise be invisible; an extrapolated one is a hollow ring.
    pointRadius: ({ dataIndex: i }) => (isExtrapolated(line.points[i]) ? 3 : isLone(line.points, i) ? 2 : 0),
    pointBackgroundColor: ({ dataIndex: i }) => (isExtrapolated(line.points[i]) ? css(theme.background) : color),
    pointBorderWidth: ({ dataIndex: i }) => (isExtrapolated(line.points[i]) ? 1.5 : 1),
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

function isExtrapolated(point: Point | undefined): boolean {
  return point?.certain !== undefined && isBeyond(point.certain) && !Number.isNaN(point.y);
}

function isLone(points: readonly Point[], index: number): boolean {
  const nothing = (point: Point | undefined) => point === undefined || Number.isNaN(point.y);
  return nothing(points[index - 1]) && nothing(points[index + 1]);
}
