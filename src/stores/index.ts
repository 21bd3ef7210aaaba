export { PrometheusApi } from "./prometheus/api.js";
export { discover, type StoreContents, storedDays, storedNames } from "./prometheus/discover.js";
export { fetchRun, storeWarning, type FetchOptions } from "./prometheus/fetch-run.js";
export type { MsRange } from "./prometheus/time.js";
export { RemoteWriter, type WriteReport, type WriterOptions } from "./remote-write/writer.js";
export { PUSH_JOB, pushSummary, type PushOptions } from "./pushgateway.js";
