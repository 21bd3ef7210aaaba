import { ABSENT_WHOLE, doublesOf, spread, type Cells } from "../../store/index.js";

/**
 * A vector of numbers that grows; NaN where nothing was set. Before its first one there is room for another, so that a
 * sample that precedes all others costs no copy. While all are whole numbers, as the counts of buckets are, they take
 * four bytes each: all series of a file are gathered before any is sealed.
 */
export class Numbers {
  private data: Float64Array = NOTHING;
  /** In place of `data`, with ABSENT_WHOLE for NaN; undefined once a number is another one. */
  private whole: Int32Array | undefined = NO_WHOLE;
  private used = 0;

  /** @param expected how many there will be, most likely: growing to them costs copies, and memory that is collected */
  constructor(private readonly expected: number) {}

  set(index: number, value: number): void {
    if (this.used === 0 && !isWhole(value)) this.whole = undefined;
    if (index >= this.used) this.extend(index + 1);
    if (this.whole !== undefined) {
      if (isWhole(value)) {
        this.whole[1 + index] = wholeOf(value);
        return;
      }
      this.widen();
    }
    this.data[1 + index] = value;
  }

  /** From `index` on, those of every `step`-th row from one on. */
  append(index: number, numbers: CodedNumbers, from: number, step: number, count: number): void {
    const { codes, values } = numbers;
    if (this.used === 0 && !isWhole(values[codes[from] ?? 0] ?? NaN)) this.whole = undefined;
    this.extend(index);
    this.grow(index + count);
    const end = 1 + index + count;
    let i = 1 + index;
    let row = from;
    const { whole } = this;
    if (whole !== undefined) {
      for (; i < end; i++, row += step) {
        const value = values[codes[row] ?? 0] ?? NaN;
        const code = value | 0;
        if (code === value && (code > 0 || (code === 0 && 1 / value > 0))) whole[i] = code;
        else if (isWhole(value)) whole[i] = wholeOf(value);
        else break;
      }
      this.used = i - 1;
      if (i < end) this.widen();
    }
    if (i < end) {
      const { data } = this;
      for (; i < end; i++, row += step) data[i] = values[codes[row] ?? 0] ?? NaN;
    }
    this.used = end - 1;
  }

  /** The first `length` numbers; what is missing of them is NaN. Valid until the next one is set. */
  view(length: number): Float64Array {
    return doublesOf(this.cells(length));
  }

  /** As `view`, as whole numbers where all are such. */
  cells(length: number): Cells {
    this.extend(length);
    return (this.whole ?? this.data).subarray(1, 1 + length);
  }

  /** As `cells`, with a 0 before them, or nothing. */
  preceded(first: 0 | undefined, length: number): Cells {
    this.extend(length);
    const { whole, data } = this;
    if (whole === undefined) data[0] = first ?? NaN;
    else whole[0] = first ?? ABSENT_WHOLE;
    return (whole ?? data).subarray(0, 1 + length);
  }

  /** Lets go of them all. */
  release(): void {
    this.data = NOTHING;
    this.whole = NO_WHOLE;
    this.used = 0;
  }

  private extend(length: number): void {
    if (length <= this.used) return;
    this.grow(length);
    if (this.whole === undefined) this.data.fill(NaN, 1 + this.used, 1 + length);
    else this.whole.fill(ABSENT_WHOLE, 1 + this.used, 1 + length);
    this.used = length;
  }

  private grow(length: number): void {
    const { whole, data } = this;
    if (length < (whole ?? data).length) return;
    const room = 1 + Math.max(length, 2 * this.used, this.expected);
    if (whole === undefined) {
      this.data = doubles(room);
      this.data.set(data.subarray(0, 1 + this.used));
    } else {
      this.whole = wholes(room);
      this.whole.set(whole.subarray(0, 1 + this.used));
    }
  }

  private widen(): void {
    const { whole } = this;
    if (whole === undefined) return;
    this.data = doubles(whole.length);
    spread(whole.subarray(1, 1 + this.used), this.data.subarray(1));
    this.whole = undefined;
  }
}

const NO_WHOLE = new Int32Array(1);

/**
 * Shared memory, though no other thread reads it: V8 takes an array's own memory for a part of its heap, and looked
 * through the whole heap for every few megabytes of it, which was 4 % of the time of comparing two files.
 */
const wholes = (length: number) => new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
const doubles = (length: number) => new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));

/** Whether it can stand among whole numbers, or be missing there. */
function isWhole(value: number): boolean {
  const code = value | 0;
  return code === value ? code !== ABSENT_WHOLE && !Object.is(value, -0) : Number.isNaN(value);
}

function wholeOf(value: number): number {
  return Number.isNaN(value) ? ABSENT_WHOLE : value;
}

const NOTHING = new Float64Array(1);

/** Numbers of rows: a row's is the one at its code, the first for none. */
export interface CodedNumbers {
  readonly codes: Int32Array;
  readonly values: Float64Array;
}
