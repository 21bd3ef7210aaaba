import type { ChartData } from "../../src/protocol/index.js";

/** Families of one unit as one chart: each line says whose it is. */
export function overlaid(charts: readonly [ChartData, ...ChartData[]]): ChartData {
  const [{ empty, ...first }] = charts;
  const lines = charts.flatMap(({ family, lines }) => lines.map((line) => ({ ...line, family })));
  return {
    ...first,
    lines,
    seriesTotal: charts.reduce((sum, { seriesTotal }) => sum + seriesTotal, 0),
    ...(lines.length > 0 || empty === undefined ? {} : { empty }),
  };
}
