export * from "./aiperf.js";
export * from "./client-server.js";
export * from "./metrics.js";
export * from "./place.js";
export * from "./read.js";
export * from "./report.js";
export * from "./series.js";
export type * from "./types.js";
