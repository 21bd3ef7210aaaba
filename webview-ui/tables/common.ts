import type { Labels } from "../../src/core/model/index.js";

/** What the rows of a table have in common, and what tells them apart. */
export interface Common {
  /** Undefined when the rows are of several endpoints (or of none). */
  readonly endpointUrl?: string;
  /**
   * Labels with one value wherever a family has them at all, and that more than one family has where there are several.
   */
  readonly labels: Labels;
  /** Every row has all of `labels`; otherwise some families have none of them. */
  readonly inEveryRow: boolean;
  /** Names of the labels that are left. */
  readonly differing: ReadonlySet<string>;
}

/** A label that only some series of a family have tells them apart, even with a single value. */
export function commonOf(
  rows: readonly { readonly family: string; readonly endpointUrl: string; readonly labels: Labels }[],
): Common {
  const endpoints = new Set<string>();
  const seriesOf = new Map<string, number>();
  const labels = new Map<
    string,
    { readonly value: string; same: boolean; count: number; readonly byFamily: Map<string, number> }
  >();
  for (const row of rows) {
    endpoints.add(row.endpointUrl);
    seriesOf.set(row.family, (seriesOf.get(row.family) ?? 0) + 1);
    for (const [name, value] of row.labels) {
      let label = labels.get(name);
      if (label === undefined) labels.set(name, (label = { value, same: true, count: 0, byFamily: new Map() }));
      if (label.value !== value) label.same = false;
      label.count++;
      label.byFamily.set(row.family, (label.byFamily.get(row.family) ?? 0) + 1);
    }
  }
  const isCommon = ({ same, byFamily }: { readonly same: boolean; readonly byFamily: ReadonlyMap<string, number> }) =>
    same && [...byFamily].every(([family, count]) => count === seriesOf.get(family));
  const differing = [...labels].filter(([, label]) => !isCommon(label));
  // What a single family among others says of itself is not news about the table.
  const common = [...labels].filter(([, label]) => isCommon(label) && (label.byFamily.size > 1 || seriesOf.size === 1));
  const [endpointUrl] = endpoints;
  return {
    ...(endpoints.size === 1 && endpointUrl !== undefined ? { endpointUrl } : {}),
    labels: common.map(([name, { value }]) => [name, value] as const),
    inEveryRow: common.every(([, { count }]) => count === rows.length),
    differing: new Set(differing.map(([name]) => name)),
  };
}

/**
 * Rows that would read like a row of another family, such as an older and a newer name of one metric on one server:
 * both have the same title. They are called by their exposed names instead.
 * @param words all that a row says of itself before its numbers
 */
export function rowsWithEqualText<Row extends { readonly family: string }>(
  rows: readonly Row[],
  words: (row: Row, index: number) => readonly string[],
): ReadonlySet<Row> {
  const first = new Map<string, Row>();
  const alike = new Set<Row>();
  rows.forEach((row, index) => {
    const said = words(row, index).join("\n");
    const other = first.get(said);
    if (other === undefined) first.set(said, row);
    else if (other.family !== row.family) alike.add(other).add(row);
  });
  return alike;
}
