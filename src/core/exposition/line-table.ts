import { sameBytes } from "../model/bytes.js";
import { hashBytes } from "./buffer.js";

const NONE = -1;
const MOST_EXPECTED = 1 << 20;
/** Most lines are longer. */
const LINE_BYTES = 64;

/** Numbers byte strings in the order they came, and finds their numbers again: open addressing over one arena. */
export class LineTable {
  length = 0;
  private slots = new Int32Array(1024).fill(NONE);
  private hashes = new Int32Array(512);
  /** Where each one begins in the arena, and after the last one. */
  private starts = new Int32Array(513);
  private arena = new Uint8Array(0);
  private view = new DataView(this.arena.buffer);

  /** Makes room for so many bytes in all, before the first comes: what grows is copied. Much may never be taken. */
  expect(bytes: number): void {
    if (this.length > 0) return;
    const expected = Math.min(bytes, MOST_EXPECTED);
    this.arena = new Uint8Array(expected + 16);
    this.view = new DataView(this.arena.buffer);
    while (this.hashes.length * LINE_BYTES < expected) this.growSlots();
  }

  /** -1 when these bytes, of this hash, are unknown. */
  find(view: DataView, start: number, end: number, hash = hashBytes(view, start, end)): number {
    const mask = this.slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.slots[slot] ?? NONE;
      if (number === NONE) return NONE;
      if (this.hashes[number] !== hash) continue;
      const at = this.starts[number] ?? 0;
      if ((this.starts[number + 1] ?? 0) - at === end - start && sameBytes(this.view, at, view, start, end - start))
        return number;
    }
  }

  /** Takes bytes that `find` does not know; up to 3 more may be read. @returns their number */
  add(view: DataView, start: number, end: number, hash = hashBytes(view, start, end)): number {
    const number = this.length++;
    const at = this.starts[number] ?? 0;
    this.reserve(at + end - start);
    for (let i = 0; i < end - start; i += 4) this.view.setInt32(at + i, view.getInt32(start + i, true), true);
    this.hashes[number] = hash;
    this.starts[number + 1] = at + end - start;
    this.place(number);
    return number;
  }

  private place(number: number): void {
    const mask = this.slots.length - 1;
    let slot = (this.hashes[number] ?? 0) & mask;
    while (this.slots[slot] !== NONE) slot = (slot + 1) & mask;
    this.slots[slot] = number;
  }

  private reserve(bytes: number): void {
    if (bytes + 16 > this.arena.length) {
      const arena = new Uint8Array(2 * bytes + 16);
      arena.set(this.arena);
      this.arena = arena;
      this.view = new DataView(arena.buffer);
    }
    if (this.length >= this.hashes.length) this.growSlots();
  }

  private growSlots(): void {
    const hashes = new Int32Array(2 * this.hashes.length);
    hashes.set(this.hashes);
    this.hashes = hashes;
    const starts = new Int32Array(hashes.length + 1);
    starts.set(this.starts);
    this.starts = starts;
    this.slots = new Int32Array(2 * hashes.length).fill(NONE);
    for (let number = 0; number < this.length - 1; number++) this.place(number);
  }
}
