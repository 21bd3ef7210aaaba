export * from "./types.js";
export { clientValues, measuredOf } from "./measured.js";
export {
  cellOf,
  cellText,
  defaultColumns,
  JUDGED_COLUMNS,
  KEY_FIGURES,
  libraryColumns,
  titleOf,
  unitOf,
} from "./columns.js";
export { parseFilter } from "./filter.js";
export { groupedRuns, libraryTable, orderOf, libraryText, sorted, spreadOf, tableTexts } from "./table.js";
export type { LibraryChoice, LibraryFormat, LibraryRow, LibraryTable } from "./table.js";
export { libraryViews } from "./sql.js";
export { noteChange } from "./edit.js";
export { textOfCell } from "./cell-text.js";
export type { JudgedColumn } from "./columns.js";
