export { PodDiscovery } from "./discovery.js";
export type { PodEndpoint } from "./pods.js";
