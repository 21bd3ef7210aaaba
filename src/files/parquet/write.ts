import { labelNames, parquetColumns } from "../../core/artifacts/parquet/columns.js";
import { ParquetEncoder } from "../../core/artifacts/parquet/encode.js";
import { MetadataWriter, type ParquetExport } from "../../core/artifacts/parquet/metadata-write.js";
import { rowGroups, type RowGroupLimits } from "../../core/artifacts/parquet/row-groups.js";
import { parquetRows, type SeriesRows } from "../../core/artifacts/parquet/rows.js";
import { EXPORTER_NAME } from "../../core/artifacts/index.js";
import type { Run } from "../../core/store/index.js";
import { writePieces } from "../export/output-file.js";

export interface WriteParquetOptions {
  readonly signal?: AbortSignal;
  readonly limits?: RowGroupLimits;
}

/**
 * Writes the Parquet artifact, row group by row group: memory stays that of one metric's rows. The file is whole, and
 * on the disk, only once the promise has resolved; the caller gives it its final name then.
 * @returns how many rows were written
 * @throws the signal's reason when aborted; the file system's error
 */
export async function writeParquet(
  path: string,
  run: Run,
  about: ParquetExport,
  { signal, limits }: WriteParquetOptions = {},
): Promise<number> {
  // Loaded here, not at start-up: Arrow is larger than all the rest.
  const { arrowSchema } = await import("../../core/artifacts/parquet/encode.js");
  const labels = labelNames(run.store.seriesKeys());
  const columns = parquetColumns(labels);
  const metadata = new MetadataWriter(run, about, labels);
  const encoder = new ParquetEncoder(columns, `${EXPORTER_NAME} version ${about.exporter.version}`);
  let rows = 0;
  function* noted(): Generator<SeriesRows> {
    for (const series of parquetRows(run, about.window, about.sliceDurationSeconds)) {
      metadata.add(series);
      yield series;
    }
  }
  function* pieces(): Generator<Uint8Array> {
    yield encoder.start();
    for (const group of rowGroups(noted(), limits)) {
      yield encoder.rowGroup(group);
      rows += group.rows;
    }
    const schema = Buffer.from(arrowSchema(columns)).toString("base64");
    yield encoder.finish(new Map([...metadata.entries(), ["ARROW:schema", schema]]));
  }
  await writePieces(path, pieces(), signal);
  return rows;
}
