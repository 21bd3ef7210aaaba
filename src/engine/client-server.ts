import type { ClientServer } from "../core/client/index.js";
import type { ClientServerRow } from "../protocol/index.js";

/** Rows as a page is given them: messages to it carry no bigint, and it knows the run's window. */
export function clientServerRows(rows: readonly ClientServer[]): readonly ClientServerRow[] {
  return rows.map(({ window: _, ...row }) => row);
}
