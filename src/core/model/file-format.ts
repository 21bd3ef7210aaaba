/** What a file turned out to be, by its content. "earlier-…": AIPerf's layouts before its server-metrics exports. */
export type FileFormat =
  | "json"
  | "csv"
  | "jsonl"
  | "parquet"
  | "journal"
  | "scrape-log"
  | "snapshot"
  | "metric-dump"
  | "client"
  | "earlier-json"
  | "earlier-csv";
