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
