import { sameBytes } from "../bytes/bytes.js";
import type { WrittenPair } from "./series.js";

/** What a bucket has behind its other labels, as `,le="0.5"} `, and where that stands. */
interface Tail {
  readonly bound: WrittenPair;
  start: number;
  length: number;
  hash: number;
  /** What followed it last. */
  next: Tail | undefined;
}

/**
 * Expects the buckets of a histogram in the order in which the last one with the same bounds wrote them. Nine of ten
 * lines of a first scrape are recognized so, by comparing their bytes: that spares scanning them, and a fifth of the
 * time. Only of lines that begin with their name and have a label before `le`, so that equal bytes mean the same.
 */
export class BucketOrder {
  private readonly tails = new Map<WrittenPair, Tail>();
  /** Of the bucket read last; undefined behind another line. */
  private last: Tail | undefined;
  /** Name and labels that the histogram's buckets share. */
  private headStart = 0;
  private headLength = 0;

  /** A scrape begins. */
  clear(): void {
    this.last = undefined;
    if (this.tails.size > 0) this.tails.clear();
  }

  /** What was read last is no bucket, or none that says what comes next. */
  leave(): void {
    this.last = undefined;
  }

  /** A bucket has been scanned: what it shares with the next ones stands at `start`, and is followed by its tail. */
  follow(bound: WrittenPair, start: number, headLength: number, end: number, hash: number): void {
    const tailStart = start + headLength;
    let tail = this.tails.get(bound);
    if (tail === undefined) {
      tail = { bound, start: tailStart, length: end - tailStart, hash, next: undefined };
      this.tails.set(bound, tail);
    } else {
      tail.start = tailStart;
      tail.length = end - tailStart;
      tail.hash = hash;
    }
    if (this.last !== undefined) this.last.next = tail;
    this.last = tail;
    this.headStart = start;
    this.headLength = headLength;
  }

  /** What is expected, if the line at `start` has those bytes up to its value. */
  expected(view: DataView, start: number): Tail | undefined {
    const tail = this.last?.next;
    if (tail === undefined || !sameBytes(view, this.headStart, view, start, this.headLength)) return undefined;
    return sameBytes(view, tail.start, view, start + this.headLength, tail.length) ? tail : undefined;
  }

  /** The bucket that was expected has come. */
  advance(): void {
    this.last = this.last?.next;
  }
}
