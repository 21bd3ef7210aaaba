import {
  makeLabels,
  type DroppedLines,
  type Labels,
  type LineLimit,
  type SampleBatch,
  type ScrapeLimits,
} from "../model/index.js";
import type { ExpositionFormat, ParseMode } from "./format.js";
import { LineReader, type ExpositionLine, type MetadataLine, type SampleLine } from "./line-reader.js";
import { ParserNotes, type ParserNote } from "./notes.js";
import { SampleRoles } from "./roles.js";
import { ScrapeSamples, type KnownLine, type SilentLine, type StatementLine } from "./samples.js";
import { NO_SAMPLE, sameLabels, SampleNumbers, type WrittenSeries } from "./series.js";
import { checkStrictly } from "./strict.js";

export interface ParserOptions {
  /** "lenient" when absent: what Prometheus takes. */
  readonly mode?: ParseMode;
  /** Asked once per family, under its name as exported; a family it refuses is left out. */
  readonly keepFamily?: (name: string) => boolean;
  /** None when absent. Lines beyond them are dropped and counted. */
  readonly limits?: ScrapeLimits;
}

/** For each series that is kept, so many lines are remembered: of metadata, and of families that are left out. */
const LINES_PER_SERIES = 4;
const SILENT: SilentLine = { kind: "silent" };
const DROPPED: Readonly<Record<LineLimit, SilentLine>> = {
  series: { kind: "silent", limit: "series" },
  helpBytes: { kind: "silent", limit: "helpBytes" },
  lineBytes: { kind: "silent", limit: "lineBytes" },
  labels: { kind: "silent", limit: "labels" },
  labelValueBytes: { kind: "silent", limit: "labelValueBytes" },
};

/**
 * Parses the expositions of one endpoint, scrape after scrape.
 *
 * Line n of a scrape is expected to be line n of the last one with another value: its text up to the value is compared,
 * and only the number is read. A line that is not the expected one is read in full, looked up among all lines ever
 * seen, and the expectation goes on from where it stood in the last scrape; so lines that come and go cost one lookup
 * each. The metadata of a scrape holds for all of its lines, wherever it stands, so that a scrape means the same
 * whatever was parsed before it.
 */
export class ExpositionParser {
  private readonly mode: ParseMode;
  private readonly notes = new ParserNotes();
  private readonly roles: SampleRoles;
  private readonly numbers: SampleNumbers;
  private readonly limits: ScrapeLimits | undefined;
  private readonly samples: ScrapeSamples;
  /** Lines read before, each format by itself as they may differ in meaning: samples up to their value. */
  private readonly known: { readonly [F in ExpositionFormat]: Map<string, WrittenSeries | StatementLine> } = {
    text: new Map(),
    openmetrics: new Map(),
  };
  private readonly texts = new Map<string, string>();
  /** Of the series that came last. */
  private latestLabels: Labels = [];
  private last: readonly KnownLine[] = [];
  private lastBody: Uint8Array | undefined;
  private format: ExpositionFormat = "text";

  constructor({ mode = "lenient", keepFamily = () => true, limits }: ParserOptions = {}) {
    this.mode = mode;
    this.limits = limits;
    this.roles = new SampleRoles(keepFamily, this.notes);
    this.numbers = new SampleNumbers(this.notes, limits?.series);
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
    if (this.mode === "strict") checkStrictly(body, format);
    if (format !== this.format) this.last = [];
    this.format = format;
    const { lines, values, sameLines } = this.readLines(new LineReader(body, format));
    if (!sameLines) {
      for (const [i, line] of lines.entries()) if (line.kind !== "silent") line.position = i;
      this.samples.settle(lines, this.lastBody === undefined ? values : undefined);
    }
    this.last = lines;
    this.lastBody = body.slice();
    return this.samples.batch(values);
  }

  /** Whether this is the body that was parsed last. */
  isLast(body: Uint8Array): boolean {
    const { lastBody } = this;
    return lastBody?.length === body.length && body.every((byte, i) => byte === lastBody[i]);
  }

  /** What was left out since the last call and never reported before. */
  takeNotes(): ParserNote[] {
    return this.notes.take();
  }

  /** @returns also whether its lines are those of the last scrape, but for the values */
  private readLines(reader: LineReader) {
    const { last } = this;
    const { length } = reader.text;
    const lines: KnownLine[] = [];
    const values: number[] = [];
    let sameLines = true;
    /** The line of the last scrape that is expected next. */
    let expected = 0;
    for (let at = 0; at < length; at = reader.lineEnd) {
      const expectedLine = last[expected];
      const value = valueOfLine(reader, expectedLine, at);
      if (expectedLine !== undefined && value !== undefined) {
        lines.push(expectedLine);
        values.push(value);
        expected++;
        continue;
      }
      const read = reader.read(at);
      const line = this.lineOf(reader, read);
      const found = line.kind === "silent" ? (line === expectedLine ? expected : -1) : line.position;
      const isThere = last[found] === line;
      if (!isThere || found !== expected) sameLines = false;
      if (isThere) expected = found + 1;
      lines.push(line);
      values.push(read.kind === "sample" ? read.value : NaN);
    }
    reader.finish();
    return { lines, values, sameLines: sameLines && last.length > 0 && lines.length === last.length };
  }

  private lineOf(reader: LineReader, read: ExpositionLine): KnownLine {
    if (!("name" in read)) return SILENT;
    const known = this.known[this.format];
    const written = reader.text.slice(read.offset, read.kind === "sample" ? read.valueOffset : reader.lineEnd);
    const before = known.get(written);
    if (before !== undefined) return before;
    const limit = this.exceededLimit(read, written, known.size);
    if (limit !== undefined) return DROPPED[limit];
    const key = copyOf(written);
    const line = read.kind === "sample" ? this.seriesOf(key, read) : this.statementOf(key, read);
    known.set(key, line);
    return line;
  }

  private seriesOf(key: string, { name, labels: written }: SampleLine): WrittenSeries {
    const own = written.map(([label, value]) => [this.ownText(label), this.ownText(value)] as const);
    const labels = makeLabels(own.filter(([label]) => label !== "le"));
    if (!sameLabels(labels, this.latestLabels)) this.latestLabels = labels;
    return {
      kind: "series",
      key,
      name: this.roles.nameOf(this.ownText(name)),
      labels: this.latestLabels,
      // Such a label may be there twice.
      bound: own.findLast(([label]) => label === "le")?.[1],
      position: -1,
      role: undefined,
      sample: NO_SAMPLE,
    };
  }

  /** One text for equal names and labels. */
  private ownText(text: string): string {
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    const own = copyOf(text);
    this.texts.set(own, own);
    return own;
  }

  private statementOf(key: string, line: MetadataLine): StatementLine {
    const of = this.roles.declarations.of(this.ownText(line.name));
    const statement =
      line.kind === "type"
        ? ({ kind: "type", of, value: line.type } as const)
        : { kind: line.kind, of, value: copyOf(line.text) };
    return { kind: "statement", key, statement, position: -1 };
  }

  /** The limit that a line never read before exceeds; undefined when it may be kept. */
  private exceededLimit(line: MetadataLine | SampleLine, written: string, knownLines: number): LineLimit | undefined {
    const { limits } = this;
    if (limits === undefined) return undefined;
    if (line.kind === "help" && isLonger(line.text, limits.helpBytes)) return "helpBytes";
    if (isLonger(written, limits.lineBytes)) return "lineBytes";
    if (line.kind === "sample") {
      if (line.labels.length > limits.labels) return "labels";
      if (line.labels.some(([, value]) => isLonger(value, limits.labelValueBytes))) return "labelValueBytes";
      if (this.numbers.isFull) return "series";
    }
    return knownLines >= LINES_PER_SERIES * limits.series ? "series" : undefined;
  }
}

/** The value of a line that is expected; NaN of metadata; undefined where another line stands there. */
function valueOfLine(reader: LineReader, line: KnownLine | undefined, at: number): number | undefined {
  if (line?.kind === "series") return reader.valueAfter(line.key, at);
  if (line?.kind !== "statement" || !reader.holds(line.key, at)) return undefined;
  reader.lineEnd = at + line.key.length;
  return NaN;
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** The same text by itself: a piece of a scrape's text holds all of it in memory. */
function copyOf(text: string): string {
  return DECODER.decode(ENCODER.encode(text));
}

function isLonger(text: string, bytes: number): boolean {
  return text.length > bytes || (3 * text.length > bytes && ENCODER.encode(text).length > bytes);
}
