import type { LineLimit, ScrapeLimits, DroppedLines, SampleBatch } from "../model/index.js";
import { Tokenizer, type LineKind } from "./tokenizer.js";
import { ExpositionBuffer, NEWLINE } from "./buffer.js";
import { TYPE_WORDS, type Statement } from "./declarations.js";
import { EXPECTED_TYPE } from "./document-lines.js";
import type { ExpositionFormat } from "./format.js";
import {
  compareLines,
  ENTRY,
  KEY_LENGTH,
  LENGTH,
  SAME_LINE,
  SAME_SERIES,
  START,
  STRIDE,
  ScrapeLines,
} from "./lines.js";
import { ParserNotes, type ParserNote } from "./notes.js";
import { NumberReader } from "../text/number-reader.js";
import { SampleRoles } from "./roles.js";
import { droppedEntry, EOF, NOTHING, ScrapeSamples, type Entry } from "./samples.js";
import { SeriesReader } from "./series-reader.js";
import { SampleNumbers } from "./series.js";
import { AFTER_EOF, MISSING_EOF } from "./strict.js";
import { readHelp } from "./text.js";

/** For each series that is kept, so many lines are remembered: of metadata, and of families that are left out. */
export const LINES_PER_SERIES = 4;

/**
 * The limit that a line never read before exceeds; undefined when it may be kept.
 * @param tokenizer has scanned it as far as its value
 * @param length in bytes, of a sample up to its value
 * @param isFull no further line is kept
 */
export function exceededLimit(
  limits: ScrapeLimits,
  { text, labels, labelCount }: Tokenizer,
  kind: LineKind,
  length: number,
  isFull: boolean,
): LineLimit | undefined {
  if (kind === "help" && text.end - text.start > limits.helpBytes) return "helpBytes";
  if (length > limits.lineBytes) return "lineBytes";
  if (kind === "sample") {
    if (labelCount > limits.labels) return "labels";
    for (let i = 0; i < labelCount; i++) {
      const value = labels[i]?.value;
      if (value !== undefined && value.end - value.start > limits.labelValueBytes) return "labelValueBytes";
    }
  }
  return isFull ? "series" : undefined;
}

export interface ParserOptions {
  /** Asked once per family, under its name as exported; a family it refuses is left out. */
  readonly keepFamily?: (name: string) => boolean;
  /** None when absent. Lines beyond them are dropped and counted. */
  readonly limits?: ScrapeLimits;
}

/**
 * What is needed only while a scrape is read is shared by all parsers: of 200 endpoints it was a quarter of all that a
 * series costs before its first sample.
 */
let spareLines = new ScrapeLines();
let spareBuffer = new ExpositionBuffer();
const NO_LINES = new ScrapeLines();
const NO_BUFFER = new ExpositionBuffer();

/** Lines read before, each format by itself as they may differ in meaning. */
interface KnownLines {
  /** Numbers of series by their bytes up to the value, and of metadata by those of the line. */
  readonly numbers: Map<string, number>;
  /** By number. */
  readonly entries: Entry[];
  /** Where each number stands in the last scrape; true only if that line points back. */
  readonly positions: number[];
}

const knownLines = (): KnownLines => ({ numbers: new Map(), entries: [], positions: [] });

/** Each byte is one character, whatever it means. */
const BYTES = new TextDecoder("latin1");

/**
 * Parses the expositions of one endpoint, scrape after scrape.
 *
 * Line n of a scrape is expected to be line n of the last one with another value: its bytes up to the value are
 * compared, and only the number is read. A line that is not the expected one is tokenized, looked up among all lines
 * ever seen, and the expectation goes on from where it stood in the last scrape; so lines that come and go cost one
 * lookup each. The metadata of a scrape holds for all of its lines, wherever it stands, so that a scrape means the same
 * whatever was parsed before it.
 */
export class ExpositionParser {
  private readonly notes = new ParserNotes();
  private readonly roles: SampleRoles;
  private readonly numbers: SampleNumbers;
  private readonly tokenizer = new Tokenizer();
  private readonly series: SeriesReader;
  private readonly values = new NumberReader();
  private readonly known: { readonly [F in ExpositionFormat]: KnownLines } = {
    text: knownLines(),
    openmetrics: knownLines(),
  };
  private last = new ScrapeLines();
  private next = NO_LINES;
  private lastBuffer = new ExpositionBuffer();
  private nextBuffer = NO_BUFFER;
  private format: ExpositionFormat = "text";
  private hasParsed = false;
  private readonly limits: ScrapeLimits | undefined;
  private readonly samples: ScrapeSamples;

  constructor(options: ParserOptions = {}) {
    this.limits = options.limits;
    this.roles = new SampleRoles(options.keepFamily ?? (() => true), this.notes);
    this.series = new SeriesReader(this.tokenizer, this.roles);
    this.numbers = new SampleNumbers(this.roles, this.notes, options.limits?.series);
    this.samples = new ScrapeSamples(this.roles, this.numbers);
  }

  /** What limits dropped of the last scrape. */
  get dropped(): DroppedLines {
    return this.samples.dropped;
  }

  /**
   * The samples of one scrape; the batch's arrays hold until the next call.
   * @throws ParseError on the first thing amiss; nothing of that scrape is kept, and the next one parses as if it had
   *   not been
   */
  parse(body: Uint8Array, format: ExpositionFormat): SampleBatch {
    if (format !== this.format) this.last.clear();
    this.format = format;
    this.nextBuffer = spareBuffer.suits(body.length) ? spareBuffer : new ExpositionBuffer();
    this.nextBuffer.load(body);
    this.next = spareLines.suits(this.last.length) ? spareLines : new ScrapeLines();
    this.next.clear();
    this.series.open(this.nextBuffer);
    if (!this.readLines()) this.settle();
    this.series.open(NO_BUFFER);
    const batch = this.samples.batch(this.next.values);
    spareLines = this.last;
    spareBuffer = this.lastBuffer;
    [this.last, this.next] = [this.next, NO_LINES];
    [this.lastBuffer, this.nextBuffer] = [this.nextBuffer, NO_BUFFER];
    this.hasParsed = true;
    return batch;
  }

  /** Whether this is the body that was parsed last. */
  isLast(body: Uint8Array): boolean {
    return this.hasParsed && this.lastBuffer.holds(body);
  }

  /** What was left out since the last call and never reported before. */
  takeNotes(): ParserNote[] {
    return this.notes.take();
  }

  /** @returns whether its lines are those of the last scrape, but for the values */
  private readLines(): boolean {
    const { last, next, lastBuffer, nextBuffer, values: reader } = this;
    const { view, end } = nextBuffer;
    const lastView = lastBuffer.view;
    const { positions } = this.known[this.format];
    const { fields: lastFields, values: lastValues, length: lastLength } = last;
    this.tokenizer.open(nextBuffer, this.format, false);
    next.clear();
    let sameLines = true;
    /** The line of the last scrape that is expected next. */
    let expected = 0;
    let at = 0;
    while (at < end) {
      if (expected < lastLength) {
        const field = expected * STRIDE;
        const start = lastFields[field + START] ?? 0;
        const keyLength = lastFields[field + KEY_LENGTH] ?? 0;
        const length = lastFields[field + LENGTH] ?? 0;
        const match = compareLines(lastView, start, view, at, keyLength, length);
        if (match === SAME_LINE) {
          next.push(at, keyLength, length, lastFields[field + ENTRY] ?? NOTHING, lastValues[expected] ?? NaN);
          expected++;
          at += length;
          continue;
        }
        if (match === SAME_SERIES) {
          const valueStart = at + keyLength;
          let value = reader.read(view, valueStart);
          if (reader.end > valueStart) {
            let lineEnd = reader.end + 1;
            if (view.getUint8(reader.end) !== NEWLINE) {
              value = this.tokenizer.readValue(valueStart);
              lineEnd = this.tokenizer.lineEnd;
            }
            next.push(at, keyLength, lineEnd - at, lastFields[field + ENTRY] ?? NOTHING, value);
            expected++;
            at = lineEnd;
            continue;
          }
        }
      }
      const entry = this.readUnexpected(at);
      const found = entry >= 0 ? (positions[entry] ?? -1) : expected;
      const isFound = last.entry(found) === entry;
      if (!isFound || found !== expected) sameLines = false;
      if (isFound) expected = found + 1;
      at = this.tokenizer.lineEnd;
    }
    this.checkEnd();
    return sameLines && next.length === lastLength && expected === lastLength && lastLength > 0;
  }

  /** The lines are not those of the last scrape. */
  private settle(): void {
    const { next } = this;
    const { entries, positions } = this.known[this.format];
    for (let line = 0; line < next.length; line++) {
      const entry = next.entry(line);
      if (entry >= 0) positions[entry] = line;
    }
    this.samples.settle(next, entries, !this.hasParsed);
  }

  /** Tokenizes the line at `at`. @returns its entry */
  private readUnexpected(at: number): number {
    const { tokenizer, next } = this;
    const kind = tokenizer.scan(at);
    switch (kind) {
      case "blank":
      case "comment":
      case "eof": {
        const entry = kind === "eof" ? EOF : NOTHING;
        next.push(at, tokenizer.lineEnd - at, tokenizer.lineEnd - at, entry, NaN);
        return entry;
      }
      case "help":
      case "type":
      case "unit": {
        const { lineEnd } = tokenizer;
        const entry = this.entryOf(at, lineEnd, kind);
        next.push(at, lineEnd - at, lineEnd - at, entry, NaN);
        return entry;
      }
      case "sample": {
        const { valueStart } = tokenizer;
        const entry = this.entryOf(at, valueStart, kind);
        const value = tokenizer.readValue(valueStart);
        next.push(at, valueStart - at, tokenizer.lineEnd - at, entry, value);
        return entry;
      }
    }
  }

  private entryOf(start: number, end: number, kind: "help" | "type" | "unit" | "sample"): number {
    const { numbers: known, entries } = this.known[this.format];
    const line = BYTES.decode(this.nextBuffer.bytes.subarray(start, end));
    const number = known.get(line);
    if (number !== undefined) return number;
    const { limits, tokenizer, numbers } = this;
    const isFull = limits !== undefined && entries.length >= LINES_PER_SERIES * limits.series;
    const limit =
      limits && exceededLimit(limits, tokenizer, kind, end - start, isFull || (kind === "sample" && numbers.isFull));
    if (limit !== undefined) return droppedEntry(limit);
    const entry =
      kind === "sample"
        ? this.series.read(line, start)
        : ({ kind: "statement", statement: this.statement(kind) } as const);
    known.set(line, entries.length);
    return entries.push(entry) - 1;
  }

  private statement(kind: "help" | "type" | "unit"): Statement {
    const { name, text } = this.tokenizer;
    const { bytes } = this.nextBuffer;
    const of = this.roles.declarations.of(this.series.text(name));
    const word = readHelp(bytes, text, kind === "help" && this.format === "openmetrics");
    if (kind !== "type") return { kind, of, value: word };
    const value = TYPE_WORDS.get(word);
    if (value === undefined) throw this.tokenizer.error(text.start, EXPECTED_TYPE, `"${word}"`);
    return { kind, of, value };
  }

  private checkEnd(): void {
    if (this.format === "text") return;
    const { next } = this;
    for (let line = 0; line < next.length; line++) {
      if (next.entry(line) !== EOF) continue;
      if (line + 1 < next.length) throw this.tokenizer.error(next.start(line + 1), AFTER_EOF);
      return;
    }
    throw this.tokenizer.error(this.nextBuffer.end, MISSING_EOF);
  }
}
