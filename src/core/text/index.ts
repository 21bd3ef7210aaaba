export * from "./document.js";
export * from "./duration.js";
export * from "./error-text.js";
export * from "./foreign-text.js";
export * from "./json.js";
export * from "./natural-order.js";
export * from "./parse-json.js";
export * from "./user-error.js";
