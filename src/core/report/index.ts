export * from "./key-figures.js";
export * from "./run-document.js";
export * from "./run-summary.js";
export * from "./redact.js";
