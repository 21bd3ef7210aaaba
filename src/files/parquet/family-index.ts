import { METRIC_TYPES, type MetricType } from "../../core/model/index.js";
import { textAt, textOf } from "../../core/artifacts/parquet/rows-read.js";
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

/** What one row group, or a stretch of it, says of a family. */
type Note = (
  group: number,
  name: string,
  endpoint: string | undefined,
  type: string | undefined,
  description: string | undefined,
) => void;

/**
 * The families of a Parquet artifact and the row groups they are in, by name. A group of one family alone is known by
 * the file's statistics; of the others the columns that describe a row are read.
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
  const { groups } = file;
  const found = new Map<
    string,
    { type: MetricType; description: string; rows: number; groups: number[]; endpoints: Set<string> }
  >();
  const note: Note = (group, name, endpoint, type, description) => {
    let family = found.get(name);
    if (family === undefined) {
      const known = METRIC_TYPES.find((candidate) => candidate === type) ?? "unknown";
      family = { type: known, description: description ?? "", rows: 0, groups: [], endpoints: new Set() };
      found.set(name, family);
    }
    if (endpoint !== undefined) family.endpoints.add(endpoint);
    if (family.groups.at(-1) === group) return;
    family.groups.push(group);
    family.rows += groups[group]?.rows ?? 0;
  };
  const mixed: number[] = [];
  groups.forEach((group, g) => {
    const [name, endpoint, type, description] = DESCRIBING.map((column) => file.onlyText(group, column));
    if (
      name === undefined ||
      endpoint === undefined ||
      (!found.has(name) && (type === undefined || description === undefined))
    )
      mixed.push(g);
    else note(g, name, shown(endpoint), type, description);
  });
  const describing = DESCRIBING.filter((name) => columns.includes(name));
  await scanNames(file, mixed, describing, shown, note, signal);
  return new Map(
    [...found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { endpoints, ...family }]) => [
        name,
        { name, ...family, endpoints: [...endpoints].sort(), groups: family.groups.sort((a, b) => a - b) },
      ]),
  );
}

/** Notes each stretch of rows of one family and endpoint in these row groups. */
async function scanNames(
  file: ParquetFile,
  read: readonly number[],
  columns: readonly string[],
  shown: (url: string) => string,
  note: Note,
  signal: AbortSignal | undefined,
): Promise<void> {
  let at = 0;
  let left = file.groups[read[0] ?? -1]?.rows ?? 0;
  for await (const rows of file.read(read, columns, signal)) {
    const names = textOf(rows, "metric_name");
    const endpoints = textOf(rows, "endpoint_url");
    const types = textOf(rows, "metric_type");
    const descriptions = rows.columns.has("description") ? textOf(rows, "description") : undefined;
    const endpointOf = (url: string | undefined) => (url === undefined ? undefined : shown(url));
    let [name, endpoint] = [-1, -1];
    for (let row = 0; row < rows.rows; row++, left--) {
      while (left === 0 && at + 1 < read.length) {
        left = file.groups[read[++at] ?? -1]?.rows ?? 0;
        name = -1;
      }
      if (names.codes[row] === name && endpoints.codes[row] === endpoint) continue;
      [name, endpoint] = [names.codes[row] ?? 0, endpoints.codes[row] ?? 0];
      note(
        read[at] ?? 0,
        names.values[name] ?? "",
        endpointOf(textAt(endpoints, row)),
        textAt(types, row),
        descriptions === undefined ? undefined : textAt(descriptions, row),
      );
    }
  }
}
