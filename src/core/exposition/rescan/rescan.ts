import type { ExpositionBuffer } from "../buffer.js";
import { STRIDE, type ScrapeLines } from "../lines.js";
import { ODD_COUNT, scanModule, TABLES_END, writeTables, type Scan } from "./scan-code.js";

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** What is used of the platform. */
declare const WebAssembly:
  | {
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Instance: new (module: object) => { readonly exports: { readonly run: Scan; readonly memory: Memory } };
    }
  | undefined;

const PAGE = 65_536;
const ALIGNMENT = 16;
const INT = 4;
const DOUBLE = 8;
/** The code reads so far beyond the end of a text. */
const PADDING = 32;
/** Memory never shrinks: more than this is given up when a much smaller scrape comes. */
const MAX_KEPT = 32 * 1024 * 1024;
/** Scrapes that need more are read as if they were the first ones. */
const MAX_MEMORY = 256 * 1024 * 1024;

/** Where a scrape lies in the memory: its text, and the fields of its lines. */
interface Slot {
  readonly bytes: number;
  readonly fields: number;
}

const NO_SLOT: Slot = { bytes: 0, fields: 0 };
const ALL_READ = new Int32Array(0);

/**
 * Reads those lines of a scrape that are the lines of the scrape before it with other values, in WebAssembly with
 * vectors. Of 348 kB in which 96 % of the values had moved it read 5,000 MB in a second of processor time, where
 * comparing four bytes a step in JavaScript did 1,800 (November 2026). Both texts are copied into its memory for that;
 * the last one is still there where no other endpoint was scraped in between.
 */
class Rescan {
  private last = NO_SLOT;
  private next = NO_SLOT;
  /** Values of the lines scanned last, and the numbers of those without. */
  private values = 0;
  private odd = 0;
  private roomForBytes = 0;
  private roomForLines = 0;
  private bytes = new Uint8Array(0);
  private ints = new Int32Array(0);
  private doubles = new Float64Array(0);
  /** Stamp of the lines that lie in `last`. */
  private held = 0;
  private lineCount = 0;
  private end = 0;
  private scanned = 0;

  constructor(
    private readonly run: Scan,
    private readonly memory: Memory,
  ) {
    writeTables(new DataView(memory.buffer));
  }

  get size(): number {
    return this.bytes.length;
  }

  /** A scrape begins. @throws RangeError where there is not enough memory */
  open(last: ScrapeLines, lastBuffer: ExpositionBuffer, nextBuffer: ExpositionBuffer): void {
    this.reserve(Math.max(lastBuffer.end, nextBuffer.end), last.length);
    if (this.held !== last.stamp) {
      this.bytes.set(lastBuffer.bytes.subarray(0, lastBuffer.end), this.last.bytes);
      this.ints.set(last.fields.subarray(0, last.length * STRIDE), this.last.fields / INT);
      this.held = last.stamp;
    }
    this.bytes.set(nextBuffer.bytes.subarray(0, nextBuffer.end), this.next.bytes);
    this.lineCount = last.length;
    this.end = nextBuffer.end;
    this.scanned = 0;
  }

  /**
   * Adds lines from `at` on, as long as they are the expected ones.
   * @param expected the line of the last scrape that may stand at `at`
   * @param into all lines of the scrape before `at`
   * @returns which of those added have values that others must read; they count from the first one added
   */
  scan(expected: number, at: number, into: ScrapeLines): Int32Array {
    const { last, next, values, odd } = this;
    const before = into.length;
    const count = Math.min(this.lineCount - expected, this.roomForLines - before);
    if (count <= 0) return ALL_READ;
    const fields = next.fields + before * STRIDE * INT;
    const lines = this.run(
      last.bytes,
      last.fields + expected * STRIDE * INT,
      count,
      next.bytes,
      next.bytes + at,
      next.bytes + this.end,
      fields,
      values,
      odd,
    );
    if (lines === 0) return ALL_READ;
    this.scanned += lines;
    into.append(
      this.ints.subarray(fields / INT, fields / INT + lines * STRIDE),
      this.doubles.subarray(values / DOUBLE, values / DOUBLE + lines),
    );
    const first = odd / INT + ODD_COUNT;
    return this.ints.subarray(first, first + (this.ints[odd / INT] ?? 0));
  }

  /** The scrape has been read: these are its lines. */
  close(lines: ScrapeLines): void {
    if (this.scanned !== lines.length) return;
    [this.last, this.next] = [this.next, this.last];
    this.held = lines.stamp;
  }

  private reserve(bytes: number, lines: number): void {
    if (bytes <= this.roomForBytes && lines <= this.roomForLines) return;
    this.held = 0;
    this.roomForBytes = withReserve(Math.max(this.roomForBytes, bytes));
    this.roomForLines = withReserve(Math.max(this.roomForLines, lines));
    let at = TABLES_END;
    const place = (size: number) => {
      const placed = at;
      at = aligned(at + size);
      return placed;
    };
    const slot = () => ({
      bytes: place(this.roomForBytes + PADDING),
      fields: place(this.roomForLines * STRIDE * INT),
    });
    this.last = slot();
    this.next = slot();
    this.values = place(this.roomForLines * DOUBLE);
    this.odd = place((this.roomForLines + ODD_COUNT) * INT);
    const missing = at - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    this.bytes = new Uint8Array(this.memory.buffer);
    this.ints = new Int32Array(this.memory.buffer);
    this.doubles = new Float64Array(this.memory.buffer);
  }
}

export type { Rescan };

const withReserve = (size: number) => Math.ceil(1.125 * size);
const aligned = (size: number) => Math.ceil(size / ALIGNMENT) * ALIGNMENT;

/** About as much as `reserve` will take. */
const memoryFor = (bytes: number, lines: number) =>
  withReserve(2 * bytes + lines * (2 * STRIDE * INT + DOUBLE + INT)) + PAGE;

/** Undefined before it was compiled, and "none" where that is impossible. */
let module: object | "none" | undefined;
let kept: Rescan | undefined;

/**
 * What reads a scrape that follows another one; all parsers of a thread share it, one scrape at a time.
 * @param last lines of the scrape before, which stand in `lastBuffer`
 * @returns undefined for a first scrape, and where there is no WebAssembly with vectors or no memory for it: then lines
 *   are found by their hashes, five times slower
 */
export function openRescan(
  last: ScrapeLines,
  lastBuffer: ExpositionBuffer,
  nextBuffer: ExpositionBuffer,
): Rescan | undefined {
  if (last.length === 0 || typeof WebAssembly === "undefined") return undefined;
  const needed = memoryFor(Math.max(lastBuffer.end, nextBuffer.end), last.length);
  if (needed > MAX_MEMORY) return undefined;
  if (kept !== undefined && kept.size > Math.max(MAX_KEPT, 4 * needed)) kept = undefined;
  try {
    kept ??= instance(WebAssembly);
    kept?.open(last, lastBuffer, nextBuffer);
  } catch {
    kept = undefined;
  }
  return kept;
}

function instance({ Module, Instance }: NonNullable<typeof WebAssembly>): Rescan | undefined {
  if (module === undefined) {
    try {
      module = new Module(scanModule());
    } catch {
      module = "none";
    }
  }
  if (module === "none") return undefined;
  const { run, memory } = new Instance(module).exports;
  return new Rescan(run, memory);
}
