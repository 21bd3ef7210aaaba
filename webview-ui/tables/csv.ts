import { csvLine } from "../../src/core/text/csv-line.js";
import { labelChoices, type GridModel, type GridRow } from "./model.js";

/**
 * The given rows with full names and digits: endpoint and metric, one column per label, then the numbers.
 * @param toLine `safeCsvLine` where no cell may run as a formula
 */
export function toCsv(model: GridModel, rows: readonly GridRow[], toLine = csvLine): string {
  const labelNames = [...labelChoices(rows).keys()];
  const own = model.textColumns
    .map((column, i) => ({ ...column, i }))
    .filter(({ key }) => key === "start" || key === "length");
  const head = [
    "endpoint",
    "metric",
    ...labelNames,
    ...own.map(({ key }) => `${key}_seconds`),
    ...model.numberColumns.map((column) => column.key),
  ];
  const lines = rows.map((row) => {
    const labels = new Map(row.labels);
    return [
      row.endpointUrl,
      row.family,
      ...labelNames.map((name) => labels.get(name) ?? ""),
      ...own.map(({ i }) => String(row.order?.[i] ?? "")),
      ...Array.from(row.numbers, (value) => (Number.isNaN(value) ? "" : String(value))),
    ];
  });
  return [head, ...lines].map((line) => `${toLine(line)}\r\n`).join("");
}
