/** A Parquet file ends in its footer, the footer's length (uint32) and this; it also begins with this. */
export const MAGIC = Uint8Array.of(0x50, 0x41, 0x52, 0x31);
/** Footer length and magic. */
export const TAIL_BYTES = 8;

/** Whether a file that begins with these bytes says that it is Parquet. */
export function beginsAsParquet(head: Uint8Array): boolean {
  return MAGIC.every((byte, i) => head[i] === byte);
}

/**
 * Where the footer of a file begins, from the last `TAIL_BYTES` of it.
 * @param size of the file in bytes
 * @throws Error saying what is wrong with the file
 */
export function footerStart(tail: Uint8Array, size: number): number {
  if (MAGIC.some((byte, i) => tail[4 + i] !== byte))
    throw new Error(
      `its last four bytes (from byte ${size - 4}) should be PAR1: it was cut short, or is not a Parquet file`,
    );
  const length = new DataView(tail.buffer, tail.byteOffset, TAIL_BYTES).getUint32(0, true);
  const start = size - TAIL_BYTES - length;
  if (start < MAGIC.length) throw new Error(`its footer of ${length} bytes is larger than the file`);
  return start;
}

/** @throws Error for a file too small to be one */
export function checkSize(size: number): void {
  if (size === 0) throw new Error("it is empty");
  if (size < MAGIC.length + TAIL_BYTES) throw new Error(`it has ${size} bytes, too few for a Parquet file`);
}
