export * from "./activity.js";
export * from "./load.js";
export * from "./phase-list.js";
export * from "./phase-statistics.js";
export * from "./run-phases.js";
