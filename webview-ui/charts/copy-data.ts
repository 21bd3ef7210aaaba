import { csvLine } from "../../src/core/text/csv-line.js";
import { formatLabels } from "../../src/core/model/index.js";
import type { ChartData } from "../../src/protocol/index.js";
import { relativeSeconds } from "../format/time.js";

/** What a chart draws as CSV, a point a line: seconds from the start of profiling, whose it is, what, and the value. */
export function chartCsv({ family, unit, lines }: ChartData, profilingStart: number): string {
  const rows = lines.flatMap(({ family: own = family, endpointUrl, labels, quantity, times, values }) =>
    Array.from(times, (time, i): string[] => {
      const value = values[i] ?? NaN;
      return [
        String(relativeSeconds(time, profilingStart)),
        endpointUrl,
        own,
        formatLabels(labels),
        quantity,
        Number.isNaN(value) ? "" : String(value),
        unit ?? "",
      ];
    }),
  );
  return [["seconds", "endpoint", "metric", "labels", "quantity", "value", "unit"], ...rows]
    .map((cells) => `${csvLine(cells)}\r\n`)
    .join("");
}
