import { parquetWriteBuffer, type ColumnSource } from "hyparquet-writer";
import { TIME, unitOf, type LibraryTable } from "../../core/library/index.js";

/**
 * A table of runs as Parquet: a row a run, columns by their names, times as timestamps. Of repeats a row is their mean,
 * with their number in `runs` and the standard deviation of a column in `COLUMN.sd`.
 */
export function libraryParquet({ columns, rows }: LibraryTable): Uint8Array {
  const grouped = rows.some(({ runs }) => runs.length > 1);
  const own = columns.flatMap((name, i): ColumnSource[] => {
    const cells = rows.map((row) => row.cells[i]);
    if (unitOf(name) === TIME) {
      const data = cells.map((cell) => (typeof cell === "number" ? new Date(cell) : null));
      return [{ name, data, type: "TIMESTAMP", nullable: true }];
    }
    if (!cells.every((cell) => cell === undefined || typeof cell === "number")) {
      const data = cells.map((cell) => (cell === undefined ? null : String(cell)));
      return [{ name, data, type: "STRING", nullable: true }];
    }
    const numbers = (data: readonly (number | undefined)[], named: string) => ({
      name: named,
      data: data.map((number) => (number === undefined || Number.isNaN(number) ? null : number)),
      type: "DOUBLE" as const,
      nullable: true,
    });
    const deviations = rows.map((row) => row.deviations[i]);
    return grouped && deviations.some((deviation) => !Number.isNaN(deviation ?? NaN))
      ? [numbers(cells, name), numbers(deviations, `${name}.sd`)]
      : [numbers(cells, name)];
  });
  const runs = { name: "runs", data: rows.map((row) => row.runs.length), type: "INT32" as const };
  return new Uint8Array(parquetWriteBuffer({ columnData: [...(grouped ? [runs] : []), ...own] }));
}
