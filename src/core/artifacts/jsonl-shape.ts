import { sameBytes } from "../model/bytes.js";
import { epochNs, type EpochNs, type SampleBatch } from "../model/index.js";
import { NumberReader } from "../model/number-reader.js";
import { BACKSLASH, NEWLINE, QUOTE } from "./json-bytes.js";

/** What a number of a line is: a sample's place in the batch (from 0), or one of these. */
export const LATENCY = -1;
export const TIMESTAMP = -2;
export const REQUEST_SENT = -3;
export const IGNORED = -4;

/** A number (or the null of a gap) of a line of JSON, [start, end) of its bytes. */
export interface Place {
  readonly start: number;
  readonly end: number;
  /** Keys and indexes that lead to it. */
  readonly path: readonly (string | number)[];
}

const MINUS = 0x2d;
/** "null" in ASCII. */
const NULL = 0x6e756c6c;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * The last line of one endpoint, by which the next one is read: it mostly has the same bytes but for its numbers.
 * Stretches that did not change at all are compared and skipped; of the others only the numbers are decoded. A line of
 * another shape is refused and changes nothing.
 */
export class LineShape {
  private bytes: Uint8Array;
  private view: DataView;
  private length: number;
  private starts: Int32Array;
  private ends: Int32Array;
  private nextStarts: Int32Array;
  private nextEnds: Int32Array;
  /** 1: the number was another one in the last line; it is then decoded at once, without being compared. */
  private readonly moves: Uint8Array;
  private readonly numbers = new NumberReader();
  /** After the number just decoded. */
  private end = 0;
  private timeHigh = 0;
  private timeLow = 0;
  private sentHigh = 0;
  private sentLow = 0;
  private readonly hasSent: boolean;
  latency = 0;

  /**
   * @param targets of each place, as LATENCY and its like say
   * @param batch its values are overwritten by every line that fits
   */
  constructor(
    line: Uint8Array,
    places: readonly Place[],
    private readonly targets: Int32Array,
    readonly batch: SampleBatch,
  ) {
    this.bytes = new Uint8Array(Math.ceil(line.length * 1.25) + 64);
    this.bytes.set(line);
    this.view = new DataView(this.bytes.buffer);
    this.length = line.length;
    this.starts = Int32Array.from(places, (place) => place.start);
    this.ends = Int32Array.from(places, (place) => place.end);
    this.nextStarts = new Int32Array(places.length);
    this.nextEnds = new Int32Array(places.length);
    this.moves = new Uint8Array(places.length);
    this.hasSent = targets.includes(REQUEST_SENT);
    for (let i = 0; i < places.length; i++) this.decode(this.view, this.starts[i] ?? 0, targets[i] ?? IGNORED);
  }

  get time(): EpochNs {
    return exact(this.timeHigh, this.timeLow);
  }

  get requestSent(): EpochNs {
    return this.hasSent ? exact(this.sentHigh, this.sentLow) : epochNs(this.time - BigInt(this.latency));
  }

  /**
   * Reads the line that begins at `from`; at `limit` stands the end of this or a later line.
   * @returns where the line ends; -1 for a line of another shape
   */
  read(source: Uint8Array, view: DataView, from: number, limit: number): number {
    const { starts, ends, targets, moves } = this;
    const { values } = this.batch;
    const places = starts.length;
    let at = from + (starts[0] ?? this.length);
    if (at > limit || !sameBytes(view, from, this.view, 0, at - from)) return -1;
    for (let i = 0; i < places; i++) {
      const start = starts[i] ?? 0;
      const end = ends[i] ?? 0;
      const next = starts[i + 1] ?? this.length;
      const target = targets[i] ?? IGNORED;
      this.nextStarts[i] = at - from;
      if (moves[i] === 0) {
        const whole = next - start;
        if (at + whole <= limit && sameBytes(view, at, this.view, start, whole)) {
          this.nextEnds[i] = at - from + end - start;
          at += whole;
          continue;
        }
      }
      const before = values[target];
      if (!this.decode(view, at, target)) return this.undo(i);
      moves[i] = values[target] === before ? 0 : 1;
      this.nextEnds[i] = this.end - from;
      at = this.end + next - end;
      if (at > limit || !sameBytes(view, this.end, this.view, end, next - end)) return this.undo(i + 1);
    }
    if (view.getUint8(at) !== NEWLINE) return this.undo(places);
    this.keep(source.subarray(from, at));
    return at;
  }

  /** Values decoded in vain would be missing where the next line did not change: those of its own line come back. */
  private undo(places: number): -1 {
    for (let i = 0; i < places; i++) this.decode(this.view, this.starts[i] ?? 0, this.targets[i] ?? IGNORED);
    return -1;
  }

  private keep(line: Uint8Array): void {
    if (line.length > this.bytes.length) {
      this.bytes = new Uint8Array(Math.ceil(line.length * 1.25));
      this.view = new DataView(this.bytes.buffer);
    }
    this.bytes.set(line);
    this.length = line.length;
    [this.starts, this.nextStarts] = [this.nextStarts, this.starts];
    [this.ends, this.nextEnds] = [this.nextEnds, this.ends];
  }

  private decode(view: DataView, start: number, target: number): boolean {
    if (target === TIMESTAMP || target === REQUEST_SENT) return this.decodeTime(view, start, target);
    const value = this.number(view, start);
    if (this.end === start) return false;
    if (target >= 0) this.batch.values[target] = value;
    else if (target === LATENCY) {
      this.latency = value;
      return Number.isSafeInteger(value);
    }
    return true;
  }

  /** Nanoseconds exceed what a double holds: the digits are taken in two halves. */
  private decodeTime(view: DataView, start: number, target: number): boolean {
    let at = start;
    while (isDigit(view.getUint8(at))) at++;
    const digits = at - start;
    if (digits < 10 || digits > 19 || !isBoundary(view.getUint8(at))) return false;
    let high = 0;
    let low = 0;
    for (let i = start; i < at - 9; i++) high = high * 10 + view.getUint8(i) - ZERO;
    for (let i = at - 9; i < at; i++) low = low * 10 + view.getUint8(i) - ZERO;
    this.end = at;
    if (target === TIMESTAMP) [this.timeHigh, this.timeLow] = [high, low];
    else [this.sentHigh, this.sentLow] = [high, low];
    return true;
  }

  /** NaN for null; `end` stays at `start` when there is neither that nor a number. */
  private number(view: DataView, start: number): number {
    const value = this.numbers.readJson(view, start);
    const end = this.numbers.end === start ? afterNull(view, start) : this.numbers.end;
    this.end = isBoundary(view.getUint8(end)) ? end : start;
    return value;
  }
}

/** All numbers of a line, and the nulls; undefined for what is not JSON. */
export function placesOf(line: Uint8Array): readonly Place[] | undefined {
  const scanner = new Scanner(line);
  return scanner.value([]) ? scanner.places : undefined;
}

class Scanner {
  readonly places: Place[] = [];
  private at = 0;
  private readonly decoder = new TextDecoder();

  constructor(private readonly bytes: Uint8Array) {}

  value(path: readonly (string | number)[]): boolean {
    this.blanks();
    const first = this.bytes[this.at];
    if (first === 0x7b) return this.members(path);
    if (first === 0x5b) return this.items(path);
    return first === QUOTE ? this.text() !== undefined : this.word(path);
  }

  private members(path: readonly (string | number)[]): boolean {
    this.at++;
    for (let more = !this.closes(0x7d); more; more = !this.closes(0x7d)) {
      this.blanks();
      const key = this.bytes[this.at] === QUOTE ? this.text() : undefined;
      this.blanks();
      if (key === undefined || this.bytes[this.at++] !== 0x3a || !this.value([...path, key])) return false;
      this.comma();
    }
    return true;
  }

  private items(path: readonly (string | number)[]): boolean {
    this.at++;
    let index = 0;
    for (let more = !this.closes(0x5d); more; more = !this.closes(0x5d)) {
      if (!this.value([...path, index++])) return false;
      this.comma();
    }
    return true;
  }

  private closes(bracket: number): boolean {
    this.blanks();
    if (this.bytes[this.at] !== bracket) return this.at >= this.bytes.length;
    this.at++;
    return true;
  }

  private comma(): void {
    this.blanks();
    if (this.bytes[this.at] === 0x2c) this.at++;
  }

  private text(): string | undefined {
    const start = this.at++;
    while (this.at < this.bytes.length && this.bytes[this.at] !== QUOTE)
      this.at += this.bytes[this.at] === BACKSLASH ? 2 : 1;
    this.at++;
    if (this.at > this.bytes.length) return undefined;
    const raw = this.decoder.decode(this.bytes.subarray(start, this.at));
    return raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  }

  private word(path: readonly (string | number)[]): boolean {
    const start = this.at;
    while (this.at < this.bytes.length && !isBoundary(this.bytes[this.at] ?? 0)) this.at++;
    const first = this.bytes[start] ?? 0;
    if (isDigit(first) || first === MINUS || first === 0x6e) this.places.push({ start, end: this.at, path });
    return this.at > start;
  }

  private blanks(): void {
    for (let c = this.bytes[this.at]; c === 0x20 || c === 0x09 || c === 0x0d || c === 0x0a; c = this.bytes[++this.at]);
  }
}

function isDigit(c: number): boolean {
  return c >= ZERO && c <= NINE;
}

/** What may stand behind a number: a comma, a closing bracket, a blank, or the line's end. */
function isBoundary(c: number): boolean {
  return c === 0x2c || c === 0x7d || c === 0x5d || c <= 0x20;
}

function exact(high: number, low: number): EpochNs {
  return epochNs(BigInt(high) * 1_000_000_000n + BigInt(low));
}

/** Where a null that begins at `start` ends; `start` when there is none. */
function afterNull(view: DataView, start: number): number {
  return start + 4 < view.byteLength && view.getUint32(start) === NULL ? start + 4 : start;
}
