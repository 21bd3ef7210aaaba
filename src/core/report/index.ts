export * from "./run-document.js";
export * from "./redact.js";
