import { rowSide, type Comparison, type ComparisonRow } from "../../core/compare/index.js";
import { labelKey } from "../../core/model/index.js";
import type { IdentifiedComparison, RunId } from "../../protocol/comparison.js";

/**
 * Keeps the ids of rows through all results of one comparison. A row is known again by the series that it stands for in
 * any of its runs, so its id stays when another run becomes the baseline, when runs come and go, and when rules match
 * its series with others. A new row gets the id that core gives it.
 */
export class RowIds {
  /** By run, quantity and series. */
  private readonly known = new Map<string, string>();
  private readonly given = new Set<string>();

  /** @param sets of the result's columns: their runs, by what the result calls them */
  identified(comparison: Comparison, sets: readonly ReadonlyMap<string, RunId>[]): IdentifiedComparison {
    const setIds = [comparison.baseline, ...comparison.candidates].map(({ runs }, s) =>
      runs.flatMap(({ label }) => sets[s]?.get(label) ?? []),
    );
    const runIds = setIds.flatMap(([first]) => first ?? []);
    const keys = comparison.rows.map((row) => keysOf(row, runIds));
    const used = new Set<string>();
    const ids = keys.map((own) => {
      const before = own.map((key) => this.known.get(key)).find((id) => id !== undefined && !used.has(id));
      if (before !== undefined) used.add(before);
      return before;
    });
    const rows = comparison.rows.map((row, i) => {
      const id = ids[i] ?? this.fresh(row.id);
      for (const key of keys[i] ?? []) if (!this.known.has(key)) this.known.set(key, id);
      return { ...row, id };
    });
    const idOf = new Map(comparison.rows.map(({ id }, i) => [id, rows[i]?.id ?? id]));
    return {
      ...comparison,
      runIds,
      setIds,
      rows,
      shares: comparison.shares.map((shares) => ({ ...shares, rowId: idOf.get(shares.rowId) ?? shares.rowId })),
    };
  }

  /** One that no other row has or had. */
  private fresh(id: string): string {
    let free = id;
    for (let number = 2; this.given.has(free); number++) free = `${id} (${number})`;
    this.given.add(free);
    return free;
  }
}

function keysOf(row: ComparisonRow, runIds: readonly RunId[]): string[] {
  return runIds.flatMap((run, column) =>
    (rowSide(row, column)?.series ?? []).map(({ endpointUrl, labels }) =>
      JSON.stringify([run, row.family, row.type, row.quantity, endpointUrl, labelKey(labels)]),
    ),
  );
}
