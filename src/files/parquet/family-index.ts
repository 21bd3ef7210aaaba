import { getOrInsert } from "../../core/math/index.js";
import { METRIC_TYPES, type MetricType } from "../../core/model/index.js";
import { Stretches, textAt, textOf } from "../../core/artifacts/parquet/rows-read.js";
import type { ParquetFile } from "./file.js";

/** A family as a Parquet artifact holds it. */
export interface ParquetFamily {
  readonly name: string;
  readonly type: MetricType;
  readonly description: string;
  /** At most: rows of the row groups it is in. */
  readonly rows: number;
  /** URLs of those that have it. */
  readonly endpoints: readonly string[];
}

export interface IndexedFamily extends ParquetFamily {
  /** Positions of the row groups it is in, rising. */
  readonly groups: readonly number[];
}

const DESCRIBING = ["metric_name", "endpoint_url", "metric_type", "description"];

/**
 * The families of a Parquet artifact and the row groups they are in, by name.
 * @param columns of the file
 * @param shown the URL of an endpoint as it is shown
 * @throws UserError; the signal's reason
 */
export async function indexFamilies(
  file: ParquetFile,
  columns: readonly string[],
  shown: (url: string) => string,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, IndexedFamily>> {
  const found = new Map<
    string,
    { type: MetricType; description: string; rows: number; groups: number[]; endpoints: Set<string> }
  >();
  const describing = DESCRIBING.filter((name) => columns.includes(name));
  for await (const rows of file.read([...file.groups.keys()], describing, signal)) {
    const [names, urls, types] = [
      textOf(rows, "metric_name"),
      textOf(rows, "endpoint_url"),
      textOf(rows, "metric_type"),
    ];
    const descriptions = rows.columns.has("description") ? textOf(rows, "description") : undefined;
    const stretches = new Stretches([names, urls], rows.rows);
    for (let row = 0; row < rows.rows; row = stretches.endOf(row)) {
      const family = getOrInsert(found, textAt(names, row) ?? "", () => ({
        type: METRIC_TYPES.find((candidate) => candidate === textAt(types, row)) ?? "unknown",
        description: (descriptions && textAt(descriptions, row)) ?? "",
        rows: 0,
        groups: [],
        endpoints: new Set<string>(),
      }));
      const url = textAt(urls, row);
      if (url !== undefined) family.endpoints.add(shown(url));
      if (family.groups.at(-1) === rows.group) continue;
      family.groups.push(rows.group);
      family.rows += rows.rows;
    }
  }
  return new Map(
    [...found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { endpoints, ...family }]) => [name, { name, ...family, endpoints: [...endpoints].sort() }]),
  );
}
