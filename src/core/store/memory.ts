/**
 * Memory for numbers that are read and soon let go: handed out of one piece, all of which is free again with the next
 * `begin`. V8 looks through its whole heap after each 30 to 60 MB of new arrays: comparing two runs of an hour made
 * 3.2 GB of them, and V8's threads took 6 of 14 s of processor time. With this and what reading uses again they take
 * 3 s.
 */
export class Scratch {
  private piece = new Float64Array(0);
  private used = 0;
  private wanted = 0;

  /** What was taken before must not be looked at any more. */
  begin(): this {
    if (this.wanted > this.piece.length) this.piece = new Float64Array(this.wanted);
    this.used = this.wanted = 0;
    return this;
  }

  /** Room for so many numbers; what stands there is left over. */
  take(length: number): Float64Array {
    this.wanted += length;
    if (this.used + length > this.piece.length) return new Float64Array(length);
    return this.piece.subarray(this.used, (this.used += length));
  }

  /** The same for whole numbers of 32 bits. */
  takeIntegers(length: number): Int32Array {
    const { buffer, byteOffset } = this.take((length + 1) >> 1);
    return new Int32Array(buffer, byteOffset, length);
  }
}

/** Room of a scratch, or of its own where there is none. */
export function numbersIn(scratch: Scratch | undefined, length: number): Float64Array {
  return scratch?.take(length) ?? new Float64Array(length);
}

/** The same for whole numbers of 32 bits. */
export function integersIn(scratch: Scratch | undefined, length: number): Int32Array {
  return scratch?.takeIntegers(length) ?? new Int32Array(length);
}

export interface Slab {
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly buffer: SharedArrayBuffer;
}

/** Pieces of memory with sealed cells, by their positions. */
export interface SlabList {
  slab(position: number): Slab;
}

const SLAB_BYTES = 1 << 18;
const SLAB_DOUBLES = SLAB_BYTES / 8;

/**
 * Memory for sealed chunks, handed out of large pieces and never given back. A long run of a fleet has hundreds of
 * thousands of chunks: an array for each would hold up the scrapes for a third of a second at every garbage collection.
 */
export class Slabs implements SlabList {
  private readonly all: Slab[] = [];
  private used = SLAB_DOUBLES;

  slab(position: number): Slab {
    const slab = this.all[position];
    if (slab === undefined) throw new RangeError(`no slab ${position} among ${this.all.length}`);
    return slab;
  }

  /** Room for so many doubles. @returns where, as a chunk records it */
  take(doubles: number): number {
    if (this.used + doubles > SLAB_DOUBLES) {
      // Shared memory, so that another thread reads what is sealed without a copy; it is read as fast as any other.
      this.all.push(slabOf(new SharedArrayBuffer(SLAB_BYTES)));
      this.used = 0;
    }
    const at = this.used;
    this.used += doubles;
    return placeOf(this.all.length - 1, at);
  }
}

/** Views of one slab's memory. */
export function slabOf(buffer: SharedArrayBuffer): Slab {
  return {
    doubles: new Float64Array(buffer),
    bytes: new Uint8Array(buffer),
    view: new DataView(buffer),
    buffer,
  };
}

/** A place in a slab as one number. */
export function placeOf(slab: number, at: number): number {
  return slab * SLAB_DOUBLES + at;
}

/** The slab in which a place lies. @param place in doubles, over all slabs */
export function slabAt(place: number): number {
  return Math.floor(place / SLAB_DOUBLES);
}

/** Where a place lies within its slab, in doubles. */
export function offsetAt(place: number): number {
  return place % SLAB_DOUBLES;
}

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
