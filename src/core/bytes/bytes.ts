/** Bytes as they arrive, in memory that is used again. */
export class ByteBuffer {
  private bytes: Uint8Array = new Uint8Array(16 * 1024);
  private used = 0;

  get length(): number {
    return this.used;
  }

  /** What was written since `clear`; a view that later writes overwrite. */
  get view(): Uint8Array {
    return this.bytes.subarray(0, this.used);
  }

  clear(): void {
    this.used = 0;
  }

  append(chunk: Uint8Array): void {
    const needed = this.used + chunk.length;
    if (needed > this.bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
      grown.set(this.view);
      this.bytes = grown;
    }
    this.bytes.set(chunk, this.used);
    this.used = needed;
  }
}

/** Whether `length` bytes are the same, several a step; the last step overlaps the one before. */
export function sameBytes(a: DataView, i: number, b: DataView, j: number, length: number): boolean {
  if (length >= 16) {
    const last = length - 16;
    for (let at = 0; at < last; at += 16) if (differs16(a, i + at, b, j + at)) return false;
    return !differs16(a, i + last, b, j + last);
  }
  if (length >= 8)
    return (
      (differs4(a, i, b, j) |
        differs4(a, i + 4, b, j + 4) |
        differs4(a, i + length - 8, b, j + length - 8) |
        differs4(a, i + length - 4, b, j + length - 4)) ===
      0
    );
  if (length >= 4) return (differs4(a, i, b, j) | differs4(a, i + length - 4, b, j + length - 4)) === 0;
  for (let at = 0; at < length; at++) if (a.getUint8(i + at) !== b.getUint8(j + at)) return false;
  return true;
}

/** Four 32-bit reads, as 64-bit ones make bigints. */
export function differs16(a: DataView, i: number, b: DataView, j: number): boolean {
  return (
    (differs4(a, i, b, j) |
      differs4(a, i + 4, b, j + 4) |
      differs4(a, i + 8, b, j + 8) |
      differs4(a, i + 12, b, j + 12)) !==
    0
  );
}

/** 0 when the four bytes are the same. */
function differs4(a: DataView, i: number, b: DataView, j: number): number {
  return a.getInt32(i, true) ^ b.getInt32(j, true);
}
