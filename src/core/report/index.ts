export * from "./key-figures.js";
export * from "./run-summary.js";
export * from "./redact.js";
