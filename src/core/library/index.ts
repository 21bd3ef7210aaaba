export * from "./runs.js";
export * from "./columns.js";
export * from "./filter.js";
export * from "./measured.js";
export * from "./sql.js";
export * from "./table.js";
