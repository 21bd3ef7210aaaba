import { Field, Float64, Int64, Schema, Table, tableToIPC, Utf8 } from "apache-arrow";
import type { ParquetColumn } from "./columns.js";

/** Continuation mark and length. */
const PREFIX_BYTES = 8;

/**
 * The Arrow schema that a file's metadata carry under `ARROW:schema`, there in base64: plain strings, which Arrow
 * readers do not take for categories.
 */
export function arrowSchema(columns: readonly ParquetColumn[]): Uint8Array {
  const fields = columns.map(
    ({ name, type }) =>
      new Field(name, type === "string" ? new Utf8() : type === "int64" ? new Int64() : new Float64(), true),
  );
  const stream = tableToIPC(new Table(new Schema(fields)), "stream");
  const length = new DataView(stream.buffer, stream.byteOffset, stream.byteLength).getInt32(4, true);
  return stream.subarray(0, PREFIX_BYTES + length);
}
