import type { HeatmapData } from "../../src/protocol/index.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { formatClock, formatRelative, relativeSeconds } from "../format/time.js";
import { bucketText } from "./buckets.js";
import type { Cell } from "./heatmap-plot.js";

interface Times {
  readonly profilingStart: number;
  readonly originMs: number;
}

export function rateAt({ rates, uppers }: Pick<HeatmapData, "rates" | "uppers">, { column, row }: Cell): number {
  return rates[column * uppers.length + row] ?? NaN;
}

/** Bucket, rate and time of one cell, line by line. */
export function cellLines(data: HeatmapData, cell: Cell, { profilingStart, originMs }: Times): string[] {
  const [start = NaN, end = NaN] = [data.edges[cell.column], data.edges[cell.column + 1]];
  const time = (offset: number) => formatRelative(relativeSeconds(offset, profilingStart), end - start < 10e9 ? 1 : 0);
  return [bucketText(data.uppers, cell.row, data.unit), formatValue(rateAt(data, cell), "observations/s"), `${time(start)} to ${time(end)} · ${formatClock(originMs, start)}`];
}

/** What a heatmap shows, for those who do not see it: the bucket with most observations, at first and at last. */
export function heatmapSummary(data: HeatmapData): string {
  const columns = data.edges.length - 1;
  const rows = data.uppers.length;
  const busiest = (from: number, to: number): number => {
    const sums = Array.from({ length: rows }, (_, row) => {
      let sum = 0;
      for (let column = from; column < to; column++) sum += rateAt(data, { column, row }) || 0;
      return sum;
    });
    const most = Math.max(...sums);
    return most > 0 ? sums.indexOf(most) : -1;
  };
  const say = (row: number) => (row < 0 ? "none" : bucketText(data.uppers, row, data.unit));
  const third = Math.max(1, Math.floor(columns / 3));
  return `Heatmap of ${rows} buckets over ${columns} stretches of time. Most observations: ${say(busiest(0, columns))}; in the first third ${say(busiest(0, third))}, in the last ${say(busiest(columns - third, columns))}.`;
}
