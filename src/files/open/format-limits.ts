import { type FileFormat, type Problem, noteOf } from "../../core/model/index.js";

/** What a CSV says otherwise than the other files of its run. */
export const CSV_NUMBERS =
  "Where a series restarted or appeared during the run, its total, count and rate are AIPerf's (last minus first value). JSON and Parquet have the increase.";

/** What no file of a format holds; absent where one holds all of its run. */
export const FORMAT_LIMITS: Readonly<Partial<Record<FileFormat, Problem>>> = {
  json: noteOf(
    "JSON holds statistics and slices, no samples: lines are steps, and the slice length is fixed. Of windows, only the phases that the file holds can be chosen.",
  ),
  csv: noteOf(
    `CSV holds statistics only: no slices, window, configuration or endpoint information, and endpoints by their display name. ${CSV_NUMBERS}`,
  ),
  parquet: noteOf("Parquet holds the window only: the warm-up and failed scrapes are not in it."),
  snapshot: noteOf("A snapshot is one scrape: there are no rates, slices or percentiles over time."),
  "earlier-json": noteOf(
    "AIPerf's earlier layout has one statistic per metric, and neither types nor a window. It is read, never written.",
  ),
  "earlier-csv": noteOf(
    "AIPerf's earlier layout has one statistic per metric, and neither types nor a window. It is read, never written.",
  ),
};
