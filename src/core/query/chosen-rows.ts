import { everyBound } from "./estimate-cells.js";
import type { StatisticsTable } from "./types/index.js";

/** Some rows of a table. @param most how many at most, the first of them */
export function chosenRows(
  table: StatisticsTable,
  wants: (row: StatisticsTable["rows"][number]) => boolean,
  most = Infinity,
): StatisticsTable {
  const kept = [...table.rows.entries()].filter(([, row]) => wants(row)).slice(0, most);
  const width = table.columns.length;
  const cells = (values: Float64Array) =>
    Float64Array.from(kept.flatMap(([i]) => [...values.subarray(i * width, (i + 1) * width)]));
  const { estimates } = table;
  return {
    ...table,
    rows: kept.map(([, row]) => row),
    values: cells(table.values),
    ...(estimates === undefined
      ? {}
      : {
          estimates: everyBound((bound) => cells(estimates[bound])),
        }),
  };
}
