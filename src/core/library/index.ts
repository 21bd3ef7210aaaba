export * from "./types.js";
export { clientValues, measuredOf } from "./measured.js";
export { cellOf, cellText, defaultColumns, KEY_FIGURES, libraryColumns, titleOf, unitOf } from "./columns.js";
export { parseFilter } from "./filter.js";
export { groupedRuns, libraryTable, orderOf, rowTexts, sorted, spreadOf } from "./table.js";
export type { LibraryChoice, LibraryRow, LibraryTable } from "./table.js";
export { libraryViews } from "./sql.js";
