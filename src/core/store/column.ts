/**
 * Cells of a column that hold no sample. ABSENT: the series was not in that scrape (or the scrape failed).
 * GAP: it was, but with NaN or an infinite value. Real values are finite, so neither can be mistaken for one.
 */
export const ABSENT = NaN;
export const GAP = Infinity;

const CHUNK = 512;

/**
 * A sealed chunk: between half the samples and nearly all of them repeat or are small integers, so most need 0-2 bytes a cell.
 * `at` is the position of its first cell among the slab's cells of that width.
 */
type Chunk =
  | { readonly kind: "constant"; readonly value: number }
  | { readonly kind: "integers"; readonly base: number; readonly width: CodeWidth; readonly slab: Slab; readonly at: number }
  | { readonly kind: "doubles"; readonly slab: Slab; readonly at: number };

/** Bytes of a code. */
type CodeWidth = 1 | 2 | 4;

interface Slab {
  readonly 1: Uint8Array;
  readonly 2: Uint16Array;
  readonly 4: Uint32Array;
  readonly 8: Float64Array;
}

/**
 * Memory for sealed chunks, handed out of large pieces and never given back. A long run of a fleet has hundreds of thousands of chunks:
 * an array for each would hold up the scrapes for a third of a second at every garbage collection.
 */
export class Slabs {
  private slab = makeSlab(0);
  private used = 0;

  /** Room for a chunk of cells of that many bytes. */
  take(width: CodeWidth | 8): { readonly slab: Slab; readonly at: number } {
    if (this.used + width * CHUNK > this.slab[1].length) {
      this.slab = makeSlab(SLAB_BYTES);
      this.used = 0;
    }
    const at = this.used / width;
    this.used += width * CHUNK;
    return { slab: this.slab, at };
  }
}

const SLAB_BYTES = 1 << 18;

function makeSlab(bytes: number): Slab {
  const buffer = new ArrayBuffer(bytes);
  return { 1: new Uint8Array(buffer), 2: new Uint16Array(buffer), 4: new Uint32Array(buffer), 8: new Float64Array(buffer) };
}

/** One number per row (scrape) of its endpoint; rows it was not told of are ABSENT. */
export class Column {
  private readonly sealed: Chunk[] = [];
  /** Row of `tail[0]`; a multiple of CHUNK. */
  private tailStart = 0;
  private tail = new Float64Array(16);
  private tailLength = 0;

  constructor(private readonly slabs = new Slabs()) {}

  get length(): number {
    return this.tailStart + this.tailLength;
  }

  /** Rows are written in ascending order; writing the newest row again replaces it. */
  set(row: number, value: number): void {
    if (row >= this.tailStart + CHUNK) this.sealUpTo(row);
    const index = row - this.tailStart;
    if (index < 0) throw new RangeError(`row ${row} of a column was sealed already`);
    if (index >= this.tail.length) {
      const grown = new Float64Array(Math.min(CHUNK, Math.max(this.tail.length * 2, index + 1)));
      grown.set(this.tail.subarray(0, this.tailLength));
      this.tail = grown;
    }
    if (index > this.tailLength) this.tail.fill(ABSENT, this.tailLength, index);
    this.tail[index] = value;
    if (index >= this.tailLength) this.tailLength = index + 1;
  }

  /** Cell of a row; slower than `read` for many in a row. */
  get(row: number): number {
    if (row >= this.tailStart) return row - this.tailStart < this.tailLength ? (this.tail[row - this.tailStart] ?? ABSENT) : ABSENT;
    const chunk = this.sealed[Math.floor(row / CHUNK)];
    if (chunk === undefined) throw new RangeError(`row ${row} of a column has no chunk`);
    return chunk.kind === "constant" ? chunk.value : cellOf(chunk, row % CHUNK);
  }

  /** Cells of some rows. */
  pick(rows: Int32Array): Float64Array {
    const out = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) out[i] = this.get(rows[i] ?? 0);
    return out;
  }

  /** Decodes rows [from, to) into `out` from index 0; rows beyond the column's end are ABSENT. */
  read(from: number, to: number, out: Float64Array): void {
    let row = from;
    while (row < to && row < this.tailStart) {
      const chunk = this.sealed[Math.floor(row / CHUNK)];
      if (chunk === undefined) throw new RangeError(`row ${row} of a column has no chunk`);
      const first = row % CHUNK;
      const count = Math.min(CHUNK - first, to - row);
      decode(chunk, first, count, out, row - from);
      row += count;
    }
    const tailEnd = Math.min(to, this.tailStart + this.tailLength);
    if (row < tailEnd) {
      out.set(this.tail.subarray(row - this.tailStart, tailEnd - this.tailStart), row - from);
      row = tailEnd;
    }
    if (row < to) out.fill(ABSENT, Math.max(0, row - from), to - from);
  }

  /** Bytes held, for the run's memory figure. */
  get bytes(): number {
    let sum = this.tail.byteLength;
    for (const chunk of this.sealed) {
      sum += chunk.kind === "constant" ? 8 : CHUNK * (chunk.kind === "integers" ? chunk.width : 8);
    }
    return sum;
  }

  private sealUpTo(row: number): void {
    while (row >= this.tailStart + CHUNK) {
      if (this.tailLength === 0) {
        this.sealed.push({ kind: "constant", value: ABSENT });
      } else {
        const values = SEALING.fill(ABSENT);
        values.set(this.tail.subarray(0, this.tailLength));
        this.sealed.push(encode(values, this.slabs));
      }
      this.tailStart += CHUNK;
      this.tailLength = 0;
    }
    // A column that stopped being written keeps only a small buffer.
    if (this.tail.length > 64) this.tail = new Float64Array(64);
  }
}

/** Only while a chunk is being sealed. */
const SEALING = new Float64Array(CHUNK);

function encode(values: Float64Array, slabs: Slabs): Chunk {
  const first = values[0] ?? ABSENT;
  let constant = true;
  let integral = true;
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    if (!Object.is(value, first)) constant = false;
    if (Number.isNaN(value) || value === GAP) continue;
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) integral = false;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (constant) return { kind: "constant", value: first };
  const range = max - min;
  // The two highest codes stand for ABSENT and GAP.
  if (!integral || range >= 0xffff_fffe) {
    const { slab, at } = slabs.take(8);
    slab[8].set(values, at);
    return { kind: "doubles", slab, at };
  }
  const base = Number.isFinite(min) ? min : 0;
  const width = range < 0xfe ? 1 : range < 0xfffe ? 2 : 4;
  const absent = absentCode(width);
  const { slab, at } = slabs.take(width);
  const codes = slab[width];
  for (let i = 0; i < CHUNK; i++) {
    const value = values[i] ?? ABSENT;
    codes[at + i] = Number.isNaN(value) ? absent : value === GAP ? absent - 1 : value - base;
  }
  return { kind: "integers", base, width, slab, at };
}

function absentCode(width: CodeWidth): number {
  return 2 ** (8 * width) - 1;
}

function cellOf(chunk: Exclude<Chunk, { kind: "constant" }>, index: number): number {
  if (chunk.kind === "doubles") return chunk.slab[8][chunk.at + index] ?? ABSENT;
  const absent = absentCode(chunk.width);
  const code = chunk.slab[chunk.width][chunk.at + index] ?? absent;
  return code < absent - 1 ? chunk.base + code : code === absent ? ABSENT : GAP;
}

function decode(chunk: Chunk, first: number, count: number, out: Float64Array, to: number): void {
  switch (chunk.kind) {
    case "constant":
      out.fill(chunk.value, to, to + count);
      return;
    case "doubles":
      out.set(chunk.slab[8].subarray(chunk.at + first, chunk.at + first + count), to);
      return;
    case "integers": {
      const { base, slab, width } = chunk;
      const from = chunk.at + first;
      const absent = absentCode(width);
      const gap = absent - 1;
      // The engine widens codes much faster than a loop that meets three kinds of arrays.
      out.set(slab[width].subarray(from, from + count), to);
      for (let i = to; i < to + count; i++) {
        const code = out[i] ?? absent;
        out[i] = code < gap ? base + code : code === gap ? GAP : ABSENT;
      }
    }
  }
}
