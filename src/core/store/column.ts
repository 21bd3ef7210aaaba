import {
  ABSENT,
  CHUNK,
  CHUNK_FIELDS,
  GAP,
  isConstant,
  offsetAt,
  seal,
  sealed,
  slabAt,
  Slabs,
  unseal,
  type Slab,
  type SlabList,
} from "./chunk.js";

/**
 * One number per row (scrape) of its endpoint; rows it did not get are ABSENT. What lies before the first row that
 * was written costs nothing: a series may appear late in a long run, and there may be many of those.
 */
export class Column {
  /** Row of the newest chunk; a multiple of CHUNK. */
  private tailStart: number;
  /** Cells of the newest chunk, from the first that was written on: whole numbers above `tailBase`, or doubles. */
  private tail: Uint16Array | Float64Array = NO_CODES;
  private tailBase = 0;
  /** Where in its chunk the tail begins. */
  private tailFrom = 0;
  private tailLength = 0;
  private chunkCount: number;
  /** Doubles that the sealed cells take. */
  private held = 0;

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
      this.sealCells(cells.subarray(from, from + CHUNK));
      return;
    }
    if (this.tailLength === 0) {
      this.tailFrom = position;
      this.beginTail(cells[from] ?? ABSENT);
    } else if (position < this.tailFrom) this.beginAt(position);
    const index = position - this.tailFrom;
    this.reserve(index + count);
    for (let i = this.tailLength; i < index; i++) this.put(i, ABSENT);
    for (let i = 0, at = from; i < count; i++, at += stride) this.put(index + i, cells[at] ?? ABSENT);
    if (index + count > this.tailLength) this.tailLength = index + count;
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
    return this.tail.byteLength + this.chunks.byteLength + 8 * this.held;
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
    if (this.tailLength > 0) this.sealCells(this.wholeTail(CHUNK));
    // A column that stopped being written keeps no buffer.
    if (!goesOn) this.tail = NO_CODES;
    while (row >= this.tailStart + CHUNK) this.addChunk(0, ABSENT, 0);
  }

  private sealCells(cells: Float64Array): void {
    seal(cells, this.own);
    this.held += sealed.doubles;
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

  /** Codes count from below the first cell, for gauges fall. */
  private beginTail(first: number): void {
    if (!Number.isInteger(first)) return;
    this.tailBase = first - BELOW;
    if (this.tail instanceof Float64Array) this.tail = NO_CODES;
  }

  private reserve(length: number): void {
    if (length <= this.tail.length) return;
    const capacity = Math.min(CHUNK, Math.max(this.tail.length * 2, length, FEW));
    const grown = this.tail instanceof Float64Array ? new Float64Array(capacity) : new Uint16Array(capacity);
    grown.set(this.tail.subarray(0, this.tailLength));
    this.tail = grown;
  }

  private put(index: number, cell: number): void {
    const { tail } = this;
    if (tail instanceof Uint16Array) {
      const code = Number.isNaN(cell) ? ABSENT_CODE : cell === GAP ? GAP_CODE : cell - this.tailBase;
      tail[index] = code;
      if (tail[index] === code && (code < GAP_CODE || !Number.isFinite(cell)) && !Object.is(cell, -0)) return;
      this.widen();
      this.tail[index] = cell;
    } else tail[index] = cell;
  }

  private widen(): void {
    const wide = new Float64Array(this.tail.length);
    // Some cells beyond the length may be written already.
    this.readTail(0, this.tail.length, wide, 0);
    this.tail = wide;
  }

  private tailCell(index: number): number {
    const cell = this.tail[index] ?? ABSENT;
    if (this.tail instanceof Float64Array) return cell;
    return cell < GAP_CODE ? this.tailBase + cell : cell === GAP_CODE ? GAP : ABSENT;
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
    this.tailFrom = position;
    this.tailLength = cells.length;
  }
}

/** Codes of a tail. */
const ABSENT_CODE = 0xffff;
const GAP_CODE = 0xfffe;
/** Codes below the first cell's. */
const BELOW = 0x4000;
/** Cells that a short column has room for: V8 keeps no more in an array's own memory. */
const FEW = 32;
const NO_CODES = new Uint16Array(0);
/** Of columns that seal nothing. */
const NO_SLABS = new Slabs();
const NO_CHUNKS = new Float64Array(0);
/** Only while something is read or sealed. */
const WHOLE = new Float64Array(CHUNK);
const PICKED = new Float64Array(CHUNK);
const ONE = new Float64Array(1);
