import { open } from "node:fs/promises";
import { describeFooter, MAGIC, TAIL_BYTES, type ParquetInspection } from "./footer.js";
import { readStruct } from "./thrift.js";

/**
 * What a Parquet file says of itself. Reads the footer only, whatever the file's size.
 * @throws Error naming the file when it cannot be read, or is no whole Parquet file
 */
export async function inspectParquet(path: string): Promise<ParquetInspection> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size < MAGIC.length + TAIL_BYTES) throw new Error(`it has ${size} bytes, too few for a Parquet file`);
    const tail = Buffer.alloc(TAIL_BYTES);
    await file.read(tail, 0, TAIL_BYTES, size - TAIL_BYTES);
    if (!tail.subarray(4).equals(MAGIC))
      throw new Error("it does not end in PAR1: it is no Parquet file, or its writing broke off");
    const length = tail.readUInt32LE(0);
    if (length > size - MAGIC.length - TAIL_BYTES)
      throw new Error(`its footer of ${length} bytes is larger than the file`);
    const footer = Buffer.alloc(length);
    await file.read(footer, 0, length, size - TAIL_BYTES - length);
    return describeFooter(readStruct(footer));
  } catch (error) {
    throw new Error(`${path} cannot be read as Parquet: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    await file.close();
  }
}
