export * from "./types.js";
export { clientValues, measuredOf } from "./measured.js";
export { cellOf, cellText, defaultColumns, isColumn, KEY_FIGURES, titleOf } from "./columns.js";
export { parseFilter } from "./filter.js";
export { groupedRuns, orderOf, sharedCell, sorted, spreadOf, type RunGroup } from "./table.js";
export { libraryViews } from "./sql.js";
