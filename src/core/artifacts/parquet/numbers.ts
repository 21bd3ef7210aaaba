import { numbersIn, type Scratch } from "../../store/index.js";

/**
 * A vector of numbers that grows; NaN where nothing was set. Before its first one there is room for another, so that a
 * sample that precedes all others costs no copy. While all are whole numbers, as the counts of buckets are, they take
 * four bytes each: all series of a file are gathered before any is sealed.
 */
export class Numbers {
  private data: Float64Array = NOTHING;
  /** In place of `data`, with MISSING for NaN; undefined once a number is another one. */
  private whole: Int32Array | undefined = NO_WHOLE;
  private used = 0;
  /** `data` is also another vector's. */
  private shared = false;

  /**
   * @param expected how many there will be, most likely: growing to them costs copies, and memory that is collected
   * @param spare memory that nobody needs: the numbers are not whole
   */
  constructor(
    private readonly expected: number,
    spare?: Float64Array,
  ) {
    if (spare === undefined) return;
    this.data = spare;
    this.whole = undefined;
  }

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
    this.unshare();
    this.data[1 + index] = value;
  }

  /** From `index` on, those of every `step`-th row from one on. */
  append(index: number, { codes, values }: CodedNumbers, from: number, step: number, count: number): void {
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
      this.unshare();
      const { data } = this;
      for (; i < end; i++, row += step) data[i] = values[codes[row] ?? 0] ?? NaN;
    }
    this.used = end - 1;
  }

  /**
   * The first `length` numbers; what is missing of them is NaN. Valid until the next one is set.
   * @param scratch they may lie in
   */
  view(length: number, scratch?: Scratch): Float64Array {
    this.extend(length);
    const { whole } = this;
    if (whole === undefined) return this.data.subarray(1, 1 + length);
    return spread(whole, numbersIn(scratch, length), 0, length);
  }

  /** As `view`, with another number before them. */
  preceded(first: number, length: number, scratch?: Scratch): Float64Array {
    this.extend(length);
    const { whole } = this;
    this.unshare();
    const out =
      whole === undefined
        ? this.data.subarray(0, 1 + length)
        : spread(whole, numbersIn(scratch, 1 + length), 1, length);
    out[0] = first;
    return out;
  }

  /** Lies where another vector's equal numbers do. @returns the memory that it needs no more */
  shareWith(other: Numbers): Float64Array | undefined {
    if (this.whole !== undefined || other.whole !== undefined || this.shared || this.used !== other.used)
      return undefined;
    for (let i = 1; i <= this.used; i++) if (this.data[i] !== other.data[i]) return undefined;
    const { data } = this;
    this.data = other.data;
    this.shared = other.shared = true;
    return data;
  }

  /** Lets go of them all. */
  release(): void {
    this.data = NOTHING;
    this.whole = NO_WHOLE;
    this.used = 0;
    this.shared = false;
  }

  private extend(length: number): void {
    if (length <= this.used) return;
    this.grow(length);
    this.unshare();
    if (this.whole === undefined) this.data.fill(NaN, 1 + this.used, 1 + length);
    else this.whole.fill(MISSING, 1 + this.used, 1 + length);
    this.used = length;
  }

  private grow(length: number): void {
    const { whole } = this;
    if (length < (whole ?? this.data).length) return;
    const room = 1 + Math.max(length, 2 * this.used, this.expected);
    if (whole === undefined) {
      this.data = copied(this.data, this.used, room);
      this.shared = false;
    } else {
      this.whole = new Int32Array(room);
      this.whole.set(whole.subarray(0, 1 + this.used));
    }
  }

  private widen(): void {
    const { whole } = this;
    if (whole === undefined) return;
    this.data = spread(whole, new Float64Array(whole.length), 1, this.used);
    this.whole = undefined;
  }

  private unshare(): void {
    if (!this.shared) return;
    this.data = copied(this.data, this.used, this.data.length);
    this.shared = false;
  }
}

const NO_WHOLE = new Int32Array(1);
/** A whole number that stands for NaN. */
const MISSING = -(2 ** 31);

/** Whether it can stand among whole numbers, or be missing there. */
function isWhole(value: number): boolean {
  const code = value | 0;
  return code === value ? code !== MISSING && !Object.is(value, -0) : Number.isNaN(value);
}

function wholeOf(value: number): number {
  return Number.isNaN(value) ? MISSING : value;
}

/** So many whole numbers as doubles, from `at` on. @returns `out` */
function spread(whole: Int32Array, out: Float64Array, at: number, count: number): Float64Array {
  for (let i = 0; i < count; i++) {
    const code = whole[1 + i] ?? MISSING;
    out[at + i] = code === MISSING ? NaN : code;
  }
  return out;
}

function copied(data: Float64Array, used: number, room: number): Float64Array {
  const copy = new Float64Array(room);
  copy.set(data.subarray(0, 1 + used));
  return copy;
}

const NOTHING = new Float64Array(1);

/** Numbers of rows: a row's is the one at its code, the first for none. */
export interface CodedNumbers {
  readonly codes: Int32Array;
  readonly values: Float64Array;
}
