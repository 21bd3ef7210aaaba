export * from "./measure.js";
export * from "./report.js";
export * from "./sweep.js";
export * from "./types.js";
