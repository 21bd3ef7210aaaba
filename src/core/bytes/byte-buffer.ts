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
