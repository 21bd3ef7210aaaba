export * from "./run-phases.js";
export * from "./phase-statistics.js";
export * from "./phase-list.js";
export { isActivityFamily } from "./activity.js";
export { findLoad, loadBegun, measureBy, measureLoad, offerLoad, type MeasureOptions } from "./load.js";
