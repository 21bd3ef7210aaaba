import { ABSENT_WHOLE, fitsWhole, setCells, spread, type Cells } from "./cells.js";
import { ABSENT, CHUNK, CHUNK_FIELDS, isConstant } from "./chunk.js";
import { seal, sealed } from "./seal.js";
import { offsetAt, slabAt, Slabs, type Slab, type SlabList } from "./slabs.js";
import { unseal } from "./unseal.js";

/**
 * One number per row (scrape) of its endpoint; rows it did not get are ABSENT. What lies before the first row that
 * was written costs nothing: a series may appear late in a long run, and there may be many of those.
 */
export class Column {
  /** Row of the newest chunk; a multiple of CHUNK. */
  private tailStart: number;
  /** Cells of the newest chunk, from the first that was written on; none while all of them are `tailValue`. */
  private tail: Cells = NO_CELLS;
  private tailValue = ABSENT;
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
      this.tailValue = cells[from] ?? ABSENT;
    }
    const begin = Math.min(position, this.tailFrom);
    const length = Math.max(this.tailFrom + this.tailLength, position + count) - begin;
    if (!this.isMoreOfTheSame(cells, from, stride, count, position - this.tailFrom)) {
      this.makeRoom(begin, length, fitsWhole(cells, from, stride, count));
      setCells(this.tail, position - begin, cells, from, stride, count);
    }
    this.tailFrom = begin;
    this.tailLength = length;
  }

  /** Cell of a row; slower than `read` for many in a row. */
  get(row: number): number {
    this.read(row, row + 1, ONE);
    return ONE[0] ?? ABSENT;
  }

  /** Cells of some rows that lie close together. */
  pick(rows: Int32Array): Float64Array {
    const first = rows.reduce((least, row) => Math.min(least, row), Infinity);
    const end = rows.reduce((most, row) => Math.max(most, row + 1), first);
    const cells = new Float64Array(end - first);
    this.read(first, end, cells);
    return Float64Array.from(rows, (row) => cells[row - first] ?? ABSENT);
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
    if (this.tailLength > 0) {
      seal(this.wholeTail(CHUNK), this.own);
      this.addSealed();
    }
    while (row >= this.tailStart + CHUNK) this.addChunk(0, ABSENT, 0);
  }

  private addSealed(): void {
    this.doubles += sealed.doubles;
    this.addChunk(sealed.kind, sealed.value, sealed.place);
    this.tail = NO_CELLS;
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
    const { tail, tailLength, tailValue } = this;
    if (tail.length > 0 || index < 0 || index > tailLength) return false;
    for (let i = 0, at = from; i < count; i++, at += stride)
      if (!Object.is(cells[at] ?? ABSENT, tailValue)) return false;
    return true;
  }

  /** Makes the tail such that it begins there, and can hold so many cells. @param areWhole those that come next */
  private makeRoom(begin: number, length: number, areWhole: boolean): void {
    const { tail, tailLength } = this;
    const isWhole = areWhole && (tail.length === 0 ? fitsWhole([this.tailValue], 0, 1, 1) : tail instanceof Int32Array);
    if (begin === this.tailFrom && length <= tail.length && isWhole === tail instanceof Int32Array) return;
    const room = Math.min(CHUNK, Math.max(length, 2 * tail.length, FEW));
    this.readTail(0, tailLength, WHOLE, 0);
    this.tail = isWhole ? new Int32Array(room).fill(ABSENT_WHOLE) : new Float64Array(room).fill(ABSENT);
    setCells(this.tail, this.tailFrom - begin, WHOLE, 0, 1, tailLength);
  }

  private readTail(from: number, to: number, out: Float64Array, at: number): void {
    const { tail } = this;
    if (tail.length === 0) out.fill(this.tailValue, at, at + to - from);
    else if (tail instanceof Int32Array) spread(tail.subarray(from, to), out.subarray(at));
    else out.set(tail.subarray(from, to), at);
  }

  /** The newest chunk from its first row on, so many cells that the next call overwrites. */
  private wholeTail(length: number): Float64Array {
    WHOLE.fill(ABSENT);
    this.readTail(0, this.tailLength, WHOLE, this.tailFrom);
    return WHOLE.subarray(0, length);
  }
}

/** Cells that a short column has room for. */
const FEW = 32;
const NO_CELLS = new Float64Array(0);

/** Of columns that seal nothing. */
const NO_SLABS = new Slabs();
const NO_CHUNKS = new Float64Array(0);
/** Only while something is read or sealed. */
const WHOLE = new Float64Array(CHUNK);
const ONE = new Float64Array(1);
