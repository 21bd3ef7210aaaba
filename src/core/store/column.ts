/**
 * Cells of a column that hold no sample. ABSENT: the series was not in that scrape (or the scrape failed).
 * GAP: it was, but with NaN or an infinite value. Real values are finite, so neither can be mistaken for one.
 */
export const ABSENT = NaN;
export const GAP = Infinity;

/** Rows that are sealed together. */
export const CHUNK = 512;

/**
 * A sealed chunk: between half the samples and nearly all of them repeat or are small integers, so most need 0-2 bytes
 * a cell. `at` is the position of its first cell among the slab's cells of that width.
 */
export type Chunk =
  | { readonly kind: "constant"; readonly value: number }
  | {
      readonly kind: "integers";
      readonly base: number;
      readonly width: CodeWidth;
      readonly slab: Slab;
      readonly at: number;
    }
  | { readonly kind: "doubles"; readonly slab: Slab; readonly at: number };

/** Bytes of a code. */
type CodeWidth = 1 | 2 | 4;

export interface Slab {
  readonly 1: Uint8Array;
  readonly 2: Uint16Array;
  readonly 4: Uint32Array;
  readonly 8: Float64Array;
  readonly buffer: SharedArrayBuffer;
}

/**
 * Memory for sealed chunks, handed out of large pieces and never given back. A long run of a fleet has hundreds of
 * thousands of chunks: an array for each would hold up the scrapes for a third of a second at every garbage collection.
 */
export class Slabs {
  private slab: Slab | undefined;
  private used = 0;

  /** Room for cells of that many bytes. */
  take(width: CodeWidth | 8, cells: number): { readonly slab: Slab; readonly at: number } {
    // Wherever they begin, doubles fit.
    const bytes = Math.ceil((width * cells) / 8) * 8;
    let { slab } = this;
    if (slab === undefined || this.used + bytes > SLAB_BYTES) {
      this.slab = slab = makeSlab();
      this.used = 0;
    }
    const at = this.used / width;
    this.used += bytes;
    return { slab, at };
  }
}

const SLAB_BYTES = 1 << 18;

/** Shared memory, so that another thread reads what is sealed without a copy; it is read as fast as any other. */
function makeSlab(): Slab {
  return slabOf(new SharedArrayBuffer(SLAB_BYTES));
}

export function slabOf(buffer: SharedArrayBuffer): Slab {
  return {
    1: new Uint8Array(buffer),
    2: new Uint16Array(buffer),
    4: new Uint32Array(buffer),
    8: new Float64Array(buffer),
    buffer,
  };
}

/**
 * One number per row (scrape) of its endpoint; rows it did not get are ABSENT. What lies before the first row that
 * was written costs nothing: a series may appear late in a long run, and there may be many of those.
 */
export class Column {
  /** Row of the newest chunk; a multiple of CHUNK. */
  private tailStart: number;
  /** Cells of the newest chunk, from the first that was written on. */
  private tail = NO_CELLS;
  /** Where in its chunk the tail begins. */
  private tailFrom = 0;
  private tailLength = 0;

  constructor(
    private readonly slabs = new Slabs(),
    private readonly sealed: Chunk[] = [],
    rows = 0,
    private sealedFrom = 0,
  ) {
    this.tailStart = rows;
  }

  /**
   * A column that stands already and is only read.
   * @param chunks as `chunks` gives them; the last may be short
   * @param firstRow of the first chunk
   */
  static of(chunks: Chunk[], rows: number, firstRow: number): Column {
    return new Column(NO_SLABS, chunks, rows, firstRow);
  }

  get length(): number {
    return this.tailLength === 0 ? this.tailStart : this.tailStart + this.tailFrom + this.tailLength;
  }

  /** Row of the first chunk; a multiple of CHUNK. */
  get firstRow(): number {
    return this.sealedFrom;
  }

  /**
   * Writes rows [row, row + count) with every `stride`-th of the cells, from `from` on. Rows are written in ascending
   * order, those of one writing within one chunk (512 rows, aligned); what is not sealed yet may be written again.
   */
  write(row: number, cells: Float64Array, from: number, stride: number, count: number): void {
    if (row >= this.tailStart + CHUNK) this.sealUpTo(row);
    const position = row - this.tailStart;
    if (position < 0 || position + count > CHUNK)
      throw new RangeError(`rows ${row} to ${row + count} of a column do not lie in its newest chunk`);
    if (this.tailLength === 0) this.tailFrom = position;
    else if (position < this.tailFrom) this.beginAt(position);
    const index = position - this.tailFrom;
    const end = index + count;
    if (end > this.tail.length) {
      const grown = new Float64Array(Math.min(CHUNK, Math.max(this.tail.length * 2, end, FEW)));
      grown.set(this.tail.subarray(0, this.tailLength));
      this.tail = grown;
    }
    const { tail } = this;
    if (index > this.tailLength) tail.fill(ABSENT, this.tailLength, index);
    for (let i = index, at = from; i < end; i++, at += stride) tail[i] = cells[at] ?? ABSENT;
    if (end > this.tailLength) this.tailLength = end;
  }

  /** Cell of a row; slower than `read` for many in a row. */
  get(row: number): number {
    if (row < this.sealedFrom) return ABSENT;
    if (row >= this.tailStart) {
      const index = row - this.tailStart - this.tailFrom;
      return index >= 0 && index < this.tailLength ? (this.tail[index] ?? ABSENT) : ABSENT;
    }
    const chunk = this.chunkOf(row);
    return chunk.kind === "constant" ? chunk.value : cellOf(chunk, row % CHUNK);
  }

  /** Cells of some rows. */
  pick(rows: Int32Array): Float64Array {
    const out = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) out[i] = this.get(rows[i] ?? 0);
    return out;
  }

  /** Decodes rows [from, to) into `out` from index 0; rows beyond the column's ends are ABSENT. */
  read(from: number, to: number, out: Float64Array): void {
    const absentUpTo = (end: number, row: number) => {
      const stop = Math.min(end, to);
      if (row >= stop) return row;
      out.fill(ABSENT, row - from, stop - from);
      return stop;
    };
    let row = absentUpTo(this.sealedFrom, from);
    while (row < to && row < this.tailStart) {
      const chunk = this.chunkOf(row);
      const first = row % CHUNK;
      const count = Math.min(CHUNK - first, Math.min(to, this.tailStart) - row);
      decode(chunk, first, count, out, row - from);
      row += count;
    }
    const tailAt = this.tailStart + this.tailFrom;
    row = absentUpTo(tailAt, row);
    const tailEnd = Math.min(to, tailAt + this.tailLength);
    if (row < tailEnd) {
      out.set(this.tail.subarray(row - tailAt, tailEnd - tailAt), row - from);
      row = tailEnd;
    }
    absentUpTo(to, row);
  }

  /** All that it holds now, its newest cells in a last chunk of their number: none of it changes any more. */
  chunks(slabs: Slabs): readonly Chunk[] {
    const { sealed, tailFrom, tailLength } = this;
    return tailLength === 0 ? sealed : [...sealed, encode(this.wholeTail(), tailFrom + tailLength, slabs)];
  }

  /** Bytes used, for the run's memory figure. */
  get bytes(): number {
    let sum = this.tail.byteLength;
    for (const chunk of this.sealed) {
      sum += chunk.kind === "constant" ? 8 : CHUNK * (chunk.kind === "integers" ? chunk.width : 8);
    }
    return sum;
  }

  private chunkOf(row: number): Chunk {
    const chunk = this.sealed[Math.floor((row - this.sealedFrom) / CHUNK)];
    if (chunk === undefined) throw new RangeError(`row ${row} of a column has no chunk`);
    return chunk;
  }

  private sealUpTo(row: number): void {
    if (this.tailLength === 0 && this.sealed.length === 0) {
      this.sealedFrom = this.tailStart = row - (row % CHUNK);
      return;
    }
    const goesOn = this.tailLength === CHUNK;
    this.sealTail();
    // A column that stopped being written keeps only a small buffer.
    if (!goesOn && this.tail.length > 64) this.tail = new Float64Array(64);
    while (row >= this.tailStart + CHUNK) {
      this.sealed.push(ABSENT_CHUNK);
      this.tailStart += CHUNK;
    }
  }

  private sealTail(): void {
    this.sealed.push(encode(this.wholeTail(), CHUNK, this.slabs));
    this.tailStart += CHUNK;
    this.tailFrom = 0;
    this.tailLength = 0;
  }

  /** The newest chunk from its first row on; of cells that the next call overwrites. */
  private wholeTail(): Float64Array {
    if (this.tailLength === CHUNK) return this.tail;
    const cells = SEALING.fill(ABSENT);
    cells.set(this.tail.subarray(0, this.tailLength), this.tailFrom);
    return cells;
  }

  /** Moves the tail's beginning back. */
  private beginAt(position: number): void {
    const absent = this.tailFrom - position;
    const grown = new Float64Array(absent + this.tailLength);
    grown.fill(ABSENT, 0, absent);
    grown.set(this.tail.subarray(0, this.tailLength), absent);
    this.tail = grown;
    this.tailFrom = position;
    this.tailLength += absent;
  }
}

const ABSENT_CHUNK: Chunk = { kind: "constant", value: ABSENT };
/** Cells that a short column has room for: V8 keeps no more in an array's own memory. */
const FEW = 8;
const NO_CELLS = new Float64Array(0);
/** Of columns that seal nothing. */
const NO_SLABS = new Slabs();
/** Only while a chunk is being sealed. */
const SEALING = new Float64Array(CHUNK);
const CODES = new Float64Array(CHUNK);

function encode(cells: Float64Array, length: number, slabs: Slabs): Chunk {
  const first = cells[0] ?? ABSENT;
  let same = true;
  let whole = true;
  let negativeZeros = 0;
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < length; i++) {
    const value = cells[i] ?? ABSENT;
    if (same && value !== first && !(Number.isNaN(value) && Number.isNaN(first))) same = false;
    if (Number.isNaN(value) || value === GAP) continue;
    if (Math.floor(value) !== value) whole = false;
    else if (value === 0 && 1 / value < 0) negativeZeros++;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (same && (negativeZeros === 0 || negativeZeros === length)) return { kind: "constant", value: first };
  const range = max - min;
  // The two highest codes stand for ABSENT and GAP.
  if (
    !whole ||
    negativeZeros > 0 ||
    range >= 0xffff_fffe ||
    min < Number.MIN_SAFE_INTEGER ||
    max > Number.MAX_SAFE_INTEGER
  ) {
    const { slab, at } = slabs.take(8, length);
    slab[8].set(length === cells.length ? cells : cells.subarray(0, length), at);
    return { kind: "doubles", slab, at };
  }
  const base = Number.isFinite(min) ? min : 0;
  const width = range < 0xfe ? 1 : range < 0xfffe ? 2 : 4;
  const absent = ABSENT_CODES[width];
  for (let i = 0; i < length; i++) {
    const value = cells[i] ?? ABSENT;
    CODES[i] = Number.isNaN(value) ? absent : value === GAP ? absent - 1 : value - base;
  }
  const { slab, at } = slabs.take(width, length);
  // The engine narrows codes much faster than a loop that meets three kinds of arrays.
  slab[width].set(length === CHUNK ? CODES : CODES.subarray(0, length), at);
  return { kind: "integers", base, width, slab, at };
}

const ABSENT_CODES: Readonly<Record<CodeWidth, number>> = { 1: 0xff, 2: 0xffff, 4: 0xffff_ffff };

function cellOf(chunk: Exclude<Chunk, { kind: "constant" }>, index: number): number {
  if (chunk.kind === "doubles") return chunk.slab[8][chunk.at + index] ?? ABSENT;
  const absent = ABSENT_CODES[chunk.width];
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
      const absent = ABSENT_CODES[width];
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
