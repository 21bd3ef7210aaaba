import { open } from "node:fs/promises";
import { familyUnit } from "../../core/catalog/index.js";
import { rowGroups, type RowGroupLimits } from "../../core/artifacts/parquet-groups.js";
import { ParquetMetadata, type ParquetAbout } from "../../core/artifacts/parquet-metadata.js";
import { parquetRows, type SeriesRows } from "../../core/artifacts/parquet-rows.js";
import { labelColumns, parquetColumns } from "../../core/artifacts/parquet-schema.js";
import type { Run } from "../../core/store/index.js";
import { FooterBuilder, MAGIC } from "./footer.js";
import { loadParquetWasm, type ParquetWasm } from "./wasm.js";

export interface WriteParquetOptions {
  readonly signal?: AbortSignal;
  /** Share done, 0 to 1. */
  readonly onProgress?: (share: number) => void;
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
  about: ParquetAbout,
  { signal, onProgress, limits }: WriteParquetOptions = {},
): Promise<{ readonly rows: number }> {
  // Loaded here, not at start-up: together they are larger than all the rest.
  const [wasm, { emptyIpc, rowGroupIpc }] = await Promise.all([loadParquetWasm(), import("./record-batch.js")]);
  const labels = labelColumns(run.store.seriesKeys());
  const columns = parquetColumns(labels);
  const metadata = new ParquetMetadata(run, about, labels);
  const footer = new FooterBuilder();
  let done = 0;
  function* noted(): Generator<SeriesRows> {
    for (const series of parquetRows(run, about.window, about.sliceDurationSeconds)) {
      metadata.add(series);
      done++;
      yield series;
    }
  }
  const file = await open(path, "w");
  try {
    let offset = 0;
    const append = async (bytes: Uint8Array) => {
      for (let written = 0; written < bytes.length;)
        written += (await file.write(bytes, written, bytes.length - written, offset + written)).bytesWritten;
      offset += bytes.length;
    };
    await append(MAGIC);
    let rows = 0;
    for (const group of rowGroups(noted(), limits)) {
      signal?.throwIfAborted();
      await append(footer.add(encode(wasm, rowGroupIpc(group, columns, familyUnit)), offset));
      rows += group.rows;
      onProgress?.(done / run.store.seriesCount);
    }
    signal?.throwIfAborted();
    await append(footer.finish(encode(wasm, emptyIpc(columns)), metadata.entries()));
    onProgress?.(1);
    await file.sync();
    return { rows };
  } finally {
    await file.close();
  }
}

/** A Parquet file of one row group, or of none. */
function encode(wasm: ParquetWasm, ipc: Uint8Array): Uint8Array {
  const properties = new wasm.WriterPropertiesBuilder()
    .setCompression(wasm.Compression.SNAPPY)
    .setStatisticsEnabled(wasm.EnabledStatistics.Chunk)
    .setMaxRowGroupSize(2 ** 30)
    .build();
  return wasm.writeParquet(wasm.Table.fromIPCStream(ipc), properties);
}
