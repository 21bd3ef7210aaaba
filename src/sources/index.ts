export { PrometheusApi, StoreError } from "./prometheus/api.js";
export { discover, type Found } from "./prometheus/discover.js";
export { fetchRun, storeWarning, type FetchOptions } from "./prometheus/fetch-run.js";
export { storedDays, storedNames } from "./prometheus/names.js";
export type { MsRange } from "./prometheus/time.js";
export { ClusterError, PodDiscovery } from "./kubernetes/discovery.js";
export type { PodEndpoint } from "./kubernetes/pods.js";
