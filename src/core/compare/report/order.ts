import { conceptOf, conceptOfRatio } from "../../catalog/index.js";
import { getOrInsert } from "../../math/index.js";
import { isAttainment, isDecided } from "./report.js";
import type { ComparisonRow, Verdict } from "../types.js";

const RANK: Readonly<Record<Verdict, number>> = {
  worse: 0,
  better: 1,
  differs: 2,
  "no-evidence": 3,
  "cannot-tell": 4,
  same: 5,
};

/** Rows of one series are never torn apart: its average, then its percentiles. */
interface Metric {
  readonly rows: readonly ComparisonRow[];
  readonly isDecided: boolean;
  readonly importance: number;
  readonly rank: number;
  readonly size: number;
  readonly id: string;
}

/**
 * Rows as a reader of a benchmark asks for them. What is decided leads. Of that: the objectives, which the user set;
 * then what all engines are measured by (latencies, throughput, queue, cache); other key metrics; all others. Of each,
 * what got worse, what got better, and what merely differs, each by the size of its largest decided difference.
 */
export function inReadingOrder(rows: readonly ComparisonRow[]): ComparisonRow[] {
  const byMetric = new Map<string, { readonly importance: number; readonly rows: ComparisonRow[] }>();
  for (const row of rows) {
    const importance = importanceOf(row);
    // A row's id is that of its series and its quantity.
    const key = `${importance} ${row.id.replace(` ${row.quantity}`, "")}`;
    getOrInsert(byMetric, key, () => ({ importance, rows: [] })).rows.push(row);
  }
  return [...byMetric.values()]
    .map(({ importance, rows: own }) => measured(importance, own))
    .sort(byImportance)
    .flatMap((metric) => metric.rows);
}

function importanceOf(row: ComparisonRow): number {
  if (isAttainment(row.quantity)) return 0;
  const concept = row.quantity === "ratio" ? conceptOfRatio(row.family) : conceptOf(row.family);
  if (row.concept !== undefined || concept !== undefined) return 1;
  return row.isKey ? 2 : 3;
}

function measured(importance: number, rows: readonly ComparisonRow[]): Metric {
  const decided = rows.filter(isDecided);
  const leading = decided.length > 0 ? decided : rows;
  return {
    rows,
    isDecided: decided.length > 0,
    importance,
    rank: Math.min(...rows.map(rankOf)),
    size: Math.max(...leading.map(sizeOf)),
    id: rows[0]?.id ?? "",
  };
}

function rankOf({ cells }: ComparisonRow): number {
  return Math.min(...cells.map(({ verdict }) => RANK[verdict]));
}

function sizeOf({ cells }: ComparisonRow): number {
  return Math.max(...cells.map(({ share }) => (Number.isNaN(share) ? -1 : Math.abs(share))));
}

function byImportance(a: Metric, b: Metric): number {
  return (
    Number(b.isDecided) - Number(a.isDecided) ||
    a.importance - b.importance ||
    a.rank - b.rank ||
    // Two differences from nothing are infinite, and their difference is no number.
    (a.size === b.size ? 0 : b.size - a.size) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  );
}
