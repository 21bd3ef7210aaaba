export * from "./document.js";
export * from "./duration.js";
export * from "./errors.js";
export * from "./foreign-text.js";
export * from "./json.js";
export * from "./names.js";
export * from "./secrets.js";
