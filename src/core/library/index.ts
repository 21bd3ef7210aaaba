export * from "./types.js";
export { measuredOf } from "./measured.js";
export { cellOf, cellText, COLUMNS, defaultColumns, isColumn, titleOf } from "./columns.js";
export { parseFilter } from "./filter.js";
export { groupedRuns, orderOf, sharedCell, sorted, spreadOf, type RunGroup } from "./table.js";
export { libraryViews } from "./sql.js";
