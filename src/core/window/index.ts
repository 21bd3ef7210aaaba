export * from "./activity.js";
export * from "./load.js";
export * from "./phases.js";
