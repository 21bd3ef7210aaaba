/*
 * What a view may ask of a run and what it gets. Times are OffsetNs relative to the run's origin; values are plain
 * doubles, NaN for "none"; everything survives postMessage (no bigint, no Map).
 */
export type * from "./breakdowns.js";
export type * from "./charts.js";
export type * from "./dashboards.js";
export type * from "./families.js";
export type * from "./tables.js";
