/** A value that is not there. */
export const NULL_CODE = -1;

const FEWEST = 1024;
const bits = new Float64Array(1);
const words = new Uint32Array(bits.buffer);

/** Codes of numbers, distinguished by their bits: 0 and −0 are two. */
export class NumberDictionary {
  private values = new Float64Array(FEWEST);
  private keys = new Uint32Array(this.values.buffer);
  /** Code + 1 by hash; 0 for an empty place. At most half full. */
  private places = new Int32Array(2 * FEWEST);
  private used = 0;

  get size(): number {
    return this.used;
  }

  /** By code. Valid until the next `codeOf` or `clear`. */
  all(): Float64Array {
    return this.values.subarray(0, this.used);
  }

  clear(): void {
    this.used = 0;
    this.places.fill(0);
  }

  codeOf(value: number): number {
    bits[0] = value;
    const low = words[0] ?? 0;
    const high = words[1] ?? 0;
    const mask = this.places.length - 1;
    for (let at = hash(low, high) & mask; ; at = (at + 1) & mask) {
      const code = (this.places[at] ?? 0) - 1;
      if (code === -1) return this.add(value, at);
      if (this.keys[2 * code] === low && this.keys[2 * code + 1] === high) return code;
    }
  }

  private add(value: number, at: number): number {
    if (this.used === this.values.length) {
      this.grow();
      return this.codeOf(value);
    }
    const code = this.used++;
    this.places[at] = code + 1;
    this.values[code] = value;
    return code;
  }

  private grow(): void {
    const values = new Float64Array(2 * this.values.length);
    values.set(this.values);
    this.values = values;
    this.keys = new Uint32Array(values.buffer);
    const places = new Int32Array(2 * this.places.length);
    const mask = places.length - 1;
    for (let code = 0; code < this.used; code++) {
      let at = hash(this.keys[2 * code] ?? 0, this.keys[2 * code + 1] ?? 0) & mask;
      while (places[at] !== 0) at = (at + 1) & mask;
      places[at] = code + 1;
    }
    this.places = places;
  }
}

function hash(low: number, high: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x9e37_79b1), 0x85eb_ca6b);
  return mixed ^ (mixed >>> 15);
}
