/**
 * Snappy (github.com/google/snappy, format_description.txt), as Parquet pages are packed with. Own code because
 * hyparquet-writer's makes a view for each literal and grows its output from a kilobyte: two fifths of all that the
 * export of an hour allocated. The bytes are the same.
 */

const TABLE_BITS = 14;
const FARTHEST = 0xffff;
/** Before the end of the input no more matches are looked for. */
const MARGIN = 15;
/** Of a literal whose length stands in its tag. */
const SHORT_LITERAL = 60;
/** From here on a copy of a literal costs less as a whole. */
const FEW = 32;
const LITERAL = 0;
const COPY_1 = 1;
const COPY_2 = 2;

/** Packs pages, one after the other, in memory of its own. */
export class SnappyEncoder {
  /** Of each number of bits, the latest position of each hash. */
  private readonly tables: Uint32Array[] = [];
  private out = new Uint8Array(1 << 12);
  private used = 0;

  /** @returns the packed bytes, valid until the next call */
  encode(input: Uint8Array): Uint8Array {
    // The most that it may become.
    const most = 32 + input.length + Math.ceil(input.length / 6);
    if (this.out.length < most) this.out = new Uint8Array(most);
    this.used = 0;
    this.length(input.length);
    const packed = input.length < MARGIN ? 0 : this.matches(input);
    if (packed < input.length) this.literal(input, packed, input.length);
    return this.out.subarray(0, this.used);
  }

  private length(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.out[this.used++] = (rest & 0x7f) | 0x80;
    this.out[this.used++] = rest;
  }

  /** Packs what repeats, and what lies before it. @returns where the last literal begins */
  private matches(input: Uint8Array): number {
    const view = new DataView(input.buffer, input.byteOffset, input.length);
    const bits = Math.min(TABLE_BITS, 31 - Math.clz32(input.length));
    const table = (this.tables[bits] ??= new Uint32Array(1 << bits)).fill(0);
    const shift = 32 - bits;
    const limit = input.length - MARGIN;
    let done = 0;
    for (let at = 1; ; at++) {
      let candidate = 0;
      // The longer nothing repeats, the fewer positions are looked at.
      for (let skip = 32; ; skip++) {
        if (at > limit) return done;
        const four = view.getInt32(at, true);
        const hash = Math.imul(four, 0x1e35a7bd) >>> shift;
        candidate = table[hash] ?? 0;
        table[hash] = at;
        if (at - candidate <= FARTHEST && view.getInt32(candidate, true) === four) break;
        at += skip >>> 5;
      }
      this.literal(input, done, at);
      do {
        const length = matched(view, candidate, at);
        this.copy(at - candidate, length);
        at += length;
        done = at;
        if (at >= limit) return done;
        table[Math.imul(view.getInt32(at - 1, true), 0x1e35a7bd) >>> shift] = at - 1;
        const hash = Math.imul(view.getInt32(at, true), 0x1e35a7bd) >>> shift;
        candidate = table[hash] ?? 0;
        table[hash] = at;
      } while (at - candidate <= FARTHEST && view.getInt32(candidate, true) === view.getInt32(at, true));
    }
  }

  private literal(input: Uint8Array, from: number, to: number): void {
    const { out } = this;
    let at = this.used;
    const size = to - from - 1;
    if (size < SHORT_LITERAL) {
      out[at++] = (size << 2) | LITERAL;
    } else {
      const bytes = size < 0x100 ? 1 : size < 0x1_0000 ? 2 : size < 0x100_0000 ? 3 : 4;
      out[at++] = ((SHORT_LITERAL - 1 + bytes) << 2) | LITERAL;
      for (let i = 0; i < bytes; i++) out[at++] = size >>> (8 * i);
    }
    if (to - from > FEW) out.set(input.subarray(from, to), at);
    else for (let i = from, o = at; i < to; i++, o++) out[o] = input[i] ?? 0;
    this.used = at + to - from;
  }

  private copy(offset: number, length: number): void {
    let rest = length;
    for (; rest >= 68; rest -= 64) this.shortCopy(offset, 64);
    if (rest > 64) {
      this.shortCopy(offset, 60);
      rest -= 60;
    }
    this.shortCopy(offset, rest);
  }

  /** Of at most 64 bytes. */
  private shortCopy(offset: number, length: number): void {
    const { out } = this;
    if (length < 12 && offset < 2048) {
      out[this.used++] = COPY_1 | ((length - 4) << 2) | ((offset >>> 8) << 5);
      out[this.used++] = offset;
    } else {
      out[this.used++] = COPY_2 | ((length - 1) << 2);
      out[this.used++] = offset;
      out[this.used++] = offset >>> 8;
    }
  }
}

/** How far the bytes from two positions on are the same, the first four known to be. */
function matched(view: DataView, candidate: number, at: number): number {
  const most = view.byteLength - at;
  let length = 4;
  while (length + 4 <= most && view.getInt32(candidate + length, true) === view.getInt32(at + length, true))
    length += 4;
  while (length < most && view.getUint8(candidate + length) === view.getUint8(at + length)) length++;
  return length;
}
