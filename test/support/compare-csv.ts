import { seriesKey, type Comparison, type DeviatingSeries } from "./compare-artifacts.js";

const KEY_COLUMNS = new Set(["Endpoint", "Type", "Metric", "Key"]);
const STATISTIC =
  /^(avg|min|max|std|p\d+|total|rate.*|count|count_rate|sum|sum_rate|p\d+_estimate|buckets|Unit|Description|Value)$/;

/**
 * Compares as tables whose rows are keyed by metric, endpoint and labels; cells as text. Left out are
 * - deviation 3: estimates;
 * - deviation 1: statistics of a series with gaps;
 * - deviations 2 and 4: buckets of a series that restarted or whose bounds changed.
 */
export function compareCsv(ours: string, expected: string, { gaps, restarted }: DeviatingSeries): Comparison {
  const differences: string[] = [];
  const actual = tablesOf(ours);
  const wanted = tablesOf(expected);
  let compared = 0;
  if (actual.headers.join("\n") !== wanted.headers.join("\n"))
    differences.push(`columns ${actual.headers.join(" / ")} instead of ${wanted.headers.join(" / ")}`);
  for (const [key, row] of wanted.rows) {
    const found = actual.rows.get(key);
    if (found === undefined) {
      differences.push(`no row ${key}`);
      continue;
    }
    for (const [column, cell] of row.cells) {
      if (column.endsWith("_estimate")) continue;
      if (column === "buckets" && restarted.has(row.series)) continue;
      if (gaps.has(row.series) && !KEY_COLUMNS.has(column) && column !== "Unit" && column !== "Description") continue;
      compared++;
      if (found.cells.get(column) !== cell)
        differences.push(`${column} of ${key} is ${String(found.cells.get(column))} instead of ${cell}`);
    }
  }
  for (const key of actual.rows.keys()) if (!wanted.rows.has(key)) differences.push(`extra row ${key}`);
  return { compared, differences };
}

interface Row {
  readonly series: string;
  readonly cells: ReadonlyMap<string, string>;
}

function tablesOf(text: string): { readonly headers: readonly string[]; readonly rows: ReadonlyMap<string, Row> } {
  const headers: string[] = [];
  const rows = new Map<string, Row>();
  let header: readonly string[] | undefined;
  for (const record of csvRecords(text.replace(/^#.*\n/gm, ""))) {
    if (record.length === 1 && record[0] === "") {
      header = undefined;
    } else if (header === undefined) {
      header = record;
      // The order of label columns is not part of the format.
      headers.push([...record].sort().join());
    } else {
      const cells = new Map(header.map((column, i) => [column, record[i] ?? ""] as const));
      const labels = [...cells].filter(
        ([column, cell]) => !KEY_COLUMNS.has(column) && !STATISTIC.test(column) && cell !== "",
      );
      const series = seriesKey(cells.get("Endpoint") ?? "", cells.get("Metric") ?? "", labels);
      rows.set(`${series} ${cells.get("Type") ?? ""} ${cells.get("Key") ?? ""}`, { series, cells });
    }
  }
  return { headers, rows };
}

/** RFC 4180: cells in quotes may hold commas, line ends and doubled quotes. */
export function csvRecords(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (const match of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|$)/g)) {
    if (match[0] === "" && record.length === 0) break;
    record.push(match[1]?.replace(/""/g, '"') ?? match[2] ?? "");
    if (match[3] === ",") continue;
    records.push(record);
    record = [];
  }
  return records;
}
