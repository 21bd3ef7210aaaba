import type { BenchRow } from "./frame.js";
import { COMPARE_ROWS } from "./compare-rows.js";
import { EXPORT_ROWS } from "./export-rows.js";
import { LIVE_ROWS } from "./live-rows.js";
import { MEMORY_ROWS } from "./memory-rows.js";
import { PARQUET_ROWS } from "./parquet-rows.js";
import { PARSE_ROWS } from "./parse-rows.js";
import { START_ROWS } from "./start-rows.js";
import { STATISTICS_ROWS } from "./statistics-rows.js";
import { VIEW_ROWS } from "./view-rows.js";

/** The table, in its order. A row is added to the list it belongs to. */
export const ROWS: readonly BenchRow[] = [
  ...PARSE_ROWS,
  ...PARQUET_ROWS,
  ...STATISTICS_ROWS,
  ...EXPORT_ROWS,
  ...COMPARE_ROWS,
  ...MEMORY_ROWS,
  ...LIVE_ROWS,
  ...VIEW_ROWS,
  ...START_ROWS,
];
