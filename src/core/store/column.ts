import { ABSENT, CHUNK, CHUNK_FIELDS, GAP, isConstant } from "./chunk.js";
import { seal, sealed } from "./seal.js";
import { offsetAt, slabAt, Slabs, type Slab, type SlabList } from "./memory.js";
import { fittingTail, gapOf, kindOf, NO_CODES, tailOf, type Tail } from "./tail.js";
import { unseal } from "./unseal.js";

/**
 * One number per row (scrape) of its endpoint; rows it did not get are ABSENT. What lies before the first row that
 * was written costs nothing: a series may appear late in a long run, and there may be many of those.
 */
export class Column {
  /** Row of the newest chunk; a multiple of CHUNK. */
  private tailStart: number;
  /**
   * Cells of the newest chunk, from the first that was written on: doubles, or codes: whole numbers that `tailBase` is
   * added to and `tailScale`, a power of ten, divides.
   */
  private tail: Tail = NO_CODES;
  /** The value of a tail of one value. */
  private tailBase = 0;
  /** 0: all cells of the tail are `tailBase`, and lie in no memory. */
  private tailScale = 0;
  /** Where in its chunk the tail begins. */
  private tailFrom = 0;
  private tailLength = 0;
  private chunkCount: number;
  /** Doubles that the sealed cells take. */
  private doubles = 0;

  /** @param own takes what is sealed */
  constructor(
    private readonly own = new Slabs(),
    private readonly slabs: SlabList = own,
    private chunks: Float64Array = NO_CHUNKS,
    rows = 0,
    private sealedFrom = 0,
  ) {
    this.chunkCount = chunks.length / CHUNK_FIELDS;
    this.tailStart = rows;
  }

  /**
   * A column that stands already and is only read.
   * @param chunks as `eachChunk` gives them, three numbers each; the last may be short
   * @param firstRow of the first chunk
   */
  static of(slabs: SlabList, chunks: Float64Array, rows: number, firstRow: number): Column {
    return new Column(NO_SLABS, slabs, chunks, rows, firstRow);
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
    if (count === CHUNK && stride === 1 && this.tailLength === 0) {
      seal(cells.subarray(from, from + CHUNK), this.own);
      this.addSealed();
      return;
    }
    if (this.tailLength === 0) {
      this.tailFrom = position;
      this.tailBase = cells[from] ?? ABSENT;
      this.tailScale = 0;
    } else if (position < this.tailFrom) this.beginAt(position);
    const index = position - this.tailFrom;
    if (this.isMoreOfTheSame(cells, from, stride, count, index)) {
      this.tailLength = Math.max(this.tailLength, index + count);
      return;
    }
    if (this.tailScale === 0) this.refit(cells, from, stride, count, index + count);
    else this.reserve(index + count);
    while (this.tailLength < index) this.put(this.tailLength, ABSENT);
    for (let i = 0, at = from; i < count; i++, at += stride) {
      const cell = cells[at] ?? ABSENT;
      if (this.put(index + i, cell)) continue;
      this.refit(cells, from, stride, count, index + count);
      this.put(index + i, cell);
    }
  }

  /** Cell of a row; slower than `read` for many in a row. */
  get(row: number): number {
    if (row < this.sealedFrom) return ABSENT;
    if (row < this.tailStart) {
      const chunk = Math.floor((row - this.sealedFrom) / CHUNK);
      this.unsealInto(chunk, row % CHUNK, 1, ONE, 0);
      return ONE[0] ?? ABSENT;
    }
    const index = row - this.tailStart - this.tailFrom;
    return index >= 0 && index < this.tailLength ? this.tailCell(index) : ABSENT;
  }

  /** Cells of some rows. */
  pick(rows: Int32Array): Float64Array {
    const out = new Float64Array(rows.length);
    if (rows.length < FEW) {
      for (let i = 0; i < rows.length; i++) out[i] = this.get(rows[i] ?? 0);
      return out;
    }
    let from = NaN;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] ?? 0;
      if (row < this.sealedFrom || row >= this.tailStart) out[i] = this.get(row);
      else {
        // Rows of one chunk follow each other.
        const start = row - (row % CHUNK);
        if (start !== from) this.read((from = start), start + CHUNK, PICKED);
        out[i] = PICKED[row - start] ?? ABSENT;
      }
    }
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
      const first = row % CHUNK;
      const count = Math.min(CHUNK - first, Math.min(to, this.tailStart) - row);
      this.unsealInto(Math.floor((row - this.sealedFrom) / CHUNK), first, count, out, row - from);
      row += count;
    }
    const tailAt = this.tailStart + this.tailFrom;
    row = absentUpTo(tailAt, row);
    const tailEnd = Math.min(to, tailAt + this.tailLength);
    if (row < tailEnd) {
      this.readTail(row - tailAt, tailEnd - tailAt, out, row - from);
      row = tailEnd;
    }
    absentUpTo(to, row);
  }

  /**
   * All that it holds now, its newest cells in a last chunk of their number, sealed into `newest`: none of it changes
   * any more. A chunk of one value lies in no slab.
   */
  eachChunk(newest: Slabs, take: (kind: number, value: number, slab: Slab | undefined, at: number) => void): void {
    for (let chunk = 0; chunk < this.chunkCount; chunk++) {
      const at = CHUNK_FIELDS * chunk;
      const kind = this.chunks[at] ?? 0;
      const place = this.chunks[at + 2] ?? 0;
      take(
        kind,
        this.chunks[at + 1] ?? ABSENT,
        isConstant(kind) ? undefined : this.slabs.slab(slabAt(place)),
        offsetAt(place),
      );
    }
    if (this.tailLength === 0) return;
    seal(this.wholeTail(this.tailFrom + this.tailLength), newest);
    const { kind, value, place } = sealed;
    take(kind, value, isConstant(kind) ? undefined : newest.slab(slabAt(place)), offsetAt(place));
  }

  get newestChunks(): number {
    return this.chunkCount + (this.tailLength === 0 ? 0 : 1);
  }

  /** Bytes used, for the run's memory figure. */
  get bytes(): number {
    return this.tail.byteLength + this.chunks.byteLength + 8 * this.doubles;
  }

  private unsealInto(chunk: number, first: number, count: number, out: Float64Array, to: number): void {
    const { chunks } = this;
    if (chunk >= this.chunkCount) throw new RangeError(`a column has no chunk ${chunk} among ${this.chunkCount}`);
    const at = CHUNK_FIELDS * chunk;
    const kind = chunks[at] ?? 0;
    const place = chunks[at + 2] ?? 0;
    const slab = isConstant(kind) ? undefined : this.slabs.slab(slabAt(place));
    unseal(kind, chunks[at + 1] ?? ABSENT, slab, offsetAt(place), first, count, out, to);
  }

  private sealUpTo(row: number): void {
    if (this.tailLength === 0 && this.chunkCount === 0) {
      this.sealedFrom = this.tailStart = row - (row % CHUNK);
      return;
    }
    const goesOn = this.tailLength === CHUNK;
    if (this.tailLength > 0) {
      seal(this.wholeTail(CHUNK), this.own);
      this.addSealed();
    }
    // A column that stopped being written, or changing, keeps no buffer.
    if (!goesOn || this.tailScale === 0) this.tail = NO_CODES;
    while (row >= this.tailStart + CHUNK) this.addChunk(0, ABSENT, 0);
  }

  private addSealed(): void {
    this.doubles += sealed.doubles;
    this.addChunk(sealed.kind, sealed.value, sealed.place);
    this.tailFrom = 0;
    this.tailLength = 0;
  }

  private addChunk(kind: number, value: number, place: number): void {
    const at = CHUNK_FIELDS * this.chunkCount++;
    if (at + CHUNK_FIELDS > this.chunks.length) {
      const grown = new Float64Array(at < 6 ? at + CHUNK_FIELDS : CHUNK_FIELDS * Math.ceil(this.chunkCount * 1.5));
      grown.set(this.chunks);
      this.chunks = grown;
    }
    this.chunks[at] = kind;
    this.chunks[at + 1] = value;
    this.chunks[at + 2] = place;
    this.tailStart += CHUNK;
  }

  private isMoreOfTheSame(cells: Float64Array, from: number, stride: number, count: number, index: number): boolean {
    const { tailBase } = this;
    if (this.tailScale !== 0 || index > this.tailLength) return false;
    for (let i = 0, at = from; i < count; i++, at += stride)
      if (!Object.is(cells[at] ?? ABSENT, tailBase)) return false;
    return true;
  }

  private reserve(length: number): void {
    if (length <= this.tail.length) return;
    const grown = tailOf(kindOf(this.tail), Math.min(CHUNK, Math.max(this.tail.length * 2, length, FEW)));
    for (let i = 0; i < this.tailLength; i++) grown[i] = this.tail[i] ?? 0;
    this.tail = grown;
  }

  /** @returns whether the tail can hold the cell as it is */
  private put(index: number, cell: number): boolean {
    const { tail } = this;
    if (tail instanceof Float64Array) tail[index] = cell;
    else {
      const code = this.codeOf(cell, gapOf(tail));
      if (code < 0) return false;
      tail[index] = code;
    }
    if (index >= this.tailLength) this.tailLength = index + 1;
    return true;
  }

  /** -1: there is none. */
  private codeOf(cell: number, gap: number): number {
    if (Number.isNaN(cell)) return gap + 1;
    if (cell === GAP) return gap;
    const { tailBase, tailScale } = this;
    const units = tailScale === 1 ? cell : Math.round(cell * tailScale);
    const code = units - tailBase;
    return code >= 0 && code < gap && Math.floor(code) === code && units / tailScale === cell && !Object.is(cell, -0)
      ? code
      : -1;
  }

  /** Makes the tail such that it can also hold these cells, and has room for `room` in all. */
  private refit(cells: Float64Array, from: number, stride: number, count: number, room: number): void {
    const length = this.tailLength;
    this.readTail(0, length, FITTED, 0);
    for (let i = 0, at = from; i < count; i++, at += stride) FITTED[length + i] = cells[at] ?? ABSENT;
    const capacity = Math.min(CHUNK, Math.max(room, length, this.tail.length, FEW));
    const { kind, base, scale } = fittingTail(FITTED, length + count);
    this.tail = tailOf(kind, capacity);
    this.tailBase = base;
    this.tailScale = scale;
    this.tailLength = 0;
    for (let i = 0; i < length; i++) this.put(i, FITTED[i] ?? ABSENT);
  }

  private tailCell(index: number): number {
    const { tail } = this;
    if (this.tailScale === 0) return index < this.tailLength ? this.tailBase : ABSENT;
    const cell = tail[index] ?? ABSENT;
    if (tail instanceof Float64Array) return cell;
    const gap = gapOf(tail);
    return cell < gap ? (this.tailBase + cell) / this.tailScale : cell === gap ? GAP : ABSENT;
  }

  private readTail(from: number, to: number, out: Float64Array, at: number): void {
    for (let i = from; i < to; i++) out[at++] = this.tailCell(i);
  }

  /** The newest chunk from its first row on, so many cells that the next call overwrites. */
  private wholeTail(length: number): Float64Array {
    WHOLE.fill(ABSENT);
    this.readTail(0, this.tailLength, WHOLE, this.tailFrom);
    return WHOLE.subarray(0, length);
  }

  /** Moves the tail's beginning back. */
  private beginAt(position: number): void {
    const cells = new Float64Array(this.tailFrom - position + this.tailLength).fill(ABSENT);
    this.readTail(0, this.tailLength, cells, this.tailFrom - position);
    this.tail = cells;
    this.tailScale = 1;
    this.tailFrom = position;
    this.tailLength = cells.length;
  }
}

/** Cells that a short column has room for: V8 keeps no more in an array's own memory. */
const FEW = 32;

/** Of columns that seal nothing. */
const NO_SLABS = new Slabs();
const NO_CHUNKS = new Float64Array(0);
/** Only while something is read or sealed. */
const WHOLE = new Float64Array(CHUNK);
const PICKED = new Float64Array(CHUNK);
/** Cells that a tail is to hold: those it has, and those that are written again or new. */
const FITTED = new Float64Array(2 * CHUNK);
const ONE = new Float64Array(1);
/** Whole numbers as doubles. */
