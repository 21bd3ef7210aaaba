import { sameBytes } from "../bytes/bytes.js";
import { hashBytes } from "./buffer.js";

const SIZE = 1024;

/**
 * What the last stretches of one buffer were turned into: names and labels repeat from line to line.
 * One place per hash; a newcomer takes it over.
 */
export class BytesCache<T> {
  private readonly starts = new Int32Array(SIZE);
  private readonly ends = new Int32Array(SIZE);
  private readonly made = new Array<T | undefined>(SIZE);
  private asked = 0;
  private view: DataView = new DataView(new ArrayBuffer(0));

  /** Forgets everything: the buffer holds something else now. */
  clear(view: DataView): void {
    this.view = view;
    this.made.fill(undefined);
    this.ends.fill(0);
    this.starts.fill(0);
  }

  /** What these bytes were turned into; undefined when that is forgotten, and `keep` may then tell it anew. */
  get(start: number, end: number): T | undefined {
    const hash = hashBytes(this.view, start, end);
    const slot = (hash ^ (hash >>> 10)) & (SIZE - 1);
    const from = this.starts[slot] ?? 0;
    if ((this.ends[slot] ?? 0) - from === end - start && sameBytes(this.view, from, this.view, start, end - start))
      return this.made[slot];
    this.starts[slot] = start;
    this.ends[slot] = end;
    this.made[slot] = undefined;
    this.asked = slot;
    return undefined;
  }

  /** @returns `made`, of the bytes that `get` was last asked for in vain */
  keep(made: T): T {
    return (this.made[this.asked] = made);
  }
}
