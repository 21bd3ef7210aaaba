/** A value that is not there. */
export const NULL_CODE = -1;

/** Codes of numbers, distinguished by their bits: 0 and −0 are two. */
export class NumberDictionary {
  private readonly values: number[] = [];
  private readonly codes = new Map<number, number>();
  /** A map takes −0 for 0. */
  private negativeZero: number | undefined;

  /** By code. */
  all(): Float64Array {
    return Float64Array.from(this.values);
  }

  clear(): void {
    this.values.length = 0;
    this.codes.clear();
    this.negativeZero = undefined;
  }

  codeOf(value: number): number {
    if (Object.is(value, -0)) return (this.negativeZero ??= this.values.push(value) - 1);
    let code = this.codes.get(value);
    if (code === undefined) this.codes.set(value, (code = this.values.push(value) - 1));
    return code;
  }
}
