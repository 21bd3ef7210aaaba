export * from "./cell-text.js";
export * from "./columns.js";
export * from "./edit.js";
export * from "./filter.js";
export * from "./measured.js";
export * from "./sql.js";
export * from "./table.js";
export * from "./types.js";
