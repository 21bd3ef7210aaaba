export * from "./declarations.js";
export * from "./document.js";
export * from "./format.js";
export * from "./notes.js";
export * from "./parse-error.js";
export * from "./parser.js";
export * from "./roles.js";
