import type { IdentifiedComparison } from "../../../src/protocol/comparison.js";
import { makeTable } from "../../tables/table-state.js";
import type { ComparisonLayout } from "../layout.js";
import { differenceColumns } from "./columns.js";
import { differenceModel, filterRows, type DifferenceRow } from "./rows.js";

/** The rows of a comparison as the table shows them: those that pass its filters, in its order. */
export function shownRows(
  comparison: IdentifiedComparison,
  { filter, sorting }: Pick<ComparisonLayout, "filter" | "sorting">,
): readonly DifferenceRow[] {
  const model = differenceModel(comparison);
  const columns = differenceColumns(comparison, model.rows, true);
  return makeTable({ columns, rows: filterRows(model.rows, filter).rows }).rows(undefined, sorting ?? undefined);
}
