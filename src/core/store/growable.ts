/** A Float64 vector that grows by doubling. */
export class Float64Vector {
  private data: Float64Array;
  length = 0;

  constructor(capacity = 64) {
    this.data = new Float64Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.data.length) {
      const grown = new Float64Array(this.data.length * 2);
      grown.set(this.data);
      this.data = grown;
    }
    this.data[this.length++] = value;
  }

  at(index: number): number {
    const value = index < this.length ? this.data[index] : undefined;
    if (value === undefined) throw new RangeError(`index ${index} of a vector of ${this.length}`);
    return value;
  }

  /** Replaces a value that stands already. */
  set(index: number, value: number): void {
    if (index >= this.length) throw new RangeError(`index ${index} of a vector of ${this.length}`);
    this.data[index] = value;
  }

  /** The values so far; valid until the next push. */
  view(): Float64Array {
    return this.data.subarray(0, this.length);
  }
}
