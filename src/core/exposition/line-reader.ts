import type { ExpositionFormat } from "./format.js";
import { parseErrorAt, type ParseError } from "./parse-error.js";
import { TYPE_WORDS, type DeclaredType } from "./sample-names.js";

/** Label pairs in the order and number they were written. */
export type WrittenLabels = readonly (readonly [name: string, value: string])[];

export interface WrittenExemplar {
  readonly labels: WrittenLabels;
  readonly value: number;
  /** As written: seconds. */
  readonly timestamp?: string;
}

/** A line of metadata. `offset` is where a line begins and `valueOffset` where its value does, in UTF-16 code units. */
export type MetadataLine = { readonly offset: number; readonly valueOffset: number; readonly name: string } & (
  | { readonly kind: "type"; readonly type: DeclaredType; readonly word: string }
  | { readonly kind: "help" | "unit"; readonly text: string }
);

export interface SampleLine {
  readonly kind: "sample";
  readonly offset: number;
  readonly valueOffset: number;
  readonly name: string;
  readonly labels: WrittenLabels;
  readonly value: number;
  /** As written: milliseconds in the text format, seconds in OpenMetrics. */
  readonly timestamp?: string;
  readonly exemplar?: WrittenExemplar;
}

export type ExpositionLine =
  { readonly kind: "blank" | "comment" | "eof"; readonly offset: number } | MetadataLine | SampleLine;

const KEYWORDS: ReadonlyMap<string, MetadataLine["kind"]> = new Map([
  ["HELP", "help"],
  ["TYPE", "type"],
  ["UNIT", "unit"],
]);
const METRIC_NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL_NAME = /[a-zA-Z_][a-zA-Z0-9_]*/y;
const NUMBER = /[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?)|nan/iy;
/** What bytes that are not UTF-8 are read as. */
const REPLACEMENT = "\ufffd";
const EXPECTED_TYPE =
  "a metric type (counter, gauge, histogram, summary, untyped; in OpenMetrics also unknown, info, stateset, gaugehistogram)";

/**
 * Reads an exposition line by line. `exact` asks for OpenMetrics' own spacing; else what Prometheus takes: blanks
 * around tokens, a comma after the last label, no blank between "}" and the value, and CR LF.
 */
export class LineReader {
  /** All of it, with a newline at its end. */
  readonly text: string;
  /** The last line has no newline. */
  readonly unterminated: boolean;
  /** After the newline of the line read last. */
  lineEnd = 0;
  /** What is read next. */
  private at = 0;
  private hasEnded = false;

  constructor(
    private readonly body: Uint8Array,
    private readonly format: ExpositionFormat,
    private readonly exact = false,
  ) {
    const text = DECODER.decode(body);
    this.unterminated = text !== "" && !text.endsWith("\n");
    this.text = this.unterminated ? `${text}\n` : text;
  }

  /** The error for what stands at `offset`. */
  error(offset: number, expected: string, found?: string): ParseError {
    return parseErrorAt(this.text, offset, expected, found);
  }

  /** @throws ParseError */
  *lines(): Iterable<ExpositionLine> {
    for (let at = 0; at < this.text.length; at = this.lineEnd) yield this.read(at);
    this.finish();
  }

  /** To be called after the last line: OpenMetrics text ends in "# EOF". @throws ParseError */
  finish(): void {
    if (this.format === "openmetrics" && !this.hasEnded)
      throw this.error(this.text.length, '"# EOF" (OpenMetrics text that stops before it is cut off)');
  }

  /** The line at `offset`. @throws ParseError */
  read(offset: number): ExpositionLine {
    if (this.hasEnded) throw this.error(offset, 'nothing after "# EOF"');
    this.at = offset;
    this.skipBlanks();
    if (this.isAt("#")) return this.comment(offset);
    if (this.isAt("\n") || (!this.exact && this.holds("\r\n", this.at))) {
      this.lineEnd = this.text.indexOf("\n", this.at) + 1;
      return { kind: "blank", offset };
    }
    return this.sample(offset);
  }

  /** Whether this text stands at `offset`. A comparison takes a tenth of the time of `startsWith`. */
  holds(piece: string, offset: number): boolean {
    return this.text.slice(offset, offset + piece.length) === piece;
  }

  /**
   * The value of the line at `offset` where it begins with the name and labels of this sample; undefined where it does
   * not, or no value follows. @throws ParseError
   */
  valueAfter(key: string, offset: number): number | undefined {
    if (!this.holds(key, offset)) return undefined;
    const { text } = this;
    const start = offset + key.length;
    NUMBER.lastIndex = start;
    if (!NUMBER.test(text)) return undefined;
    const end = NUMBER.lastIndex;
    if (text.charCodeAt(end) !== NEWLINE) return this.value(start).value;
    this.lineEnd = end + 1;
    return numberOf(text.slice(start, end));
  }

  private comment(offset: number): ExpositionLine {
    const { text } = this;
    this.lineEnd = text.indexOf("\n", this.at) + 1;
    const end = this.trimmedEnd();
    this.at++;
    if (this.exact && !this.isAt(" ")) return { kind: "comment", offset };
    if (this.exact) this.at++;
    else this.skipBlanks();
    if (this.format === "openmetrics" && text.slice(this.at, end) === "EOF") {
      this.hasEnded = true;
      return { kind: "eof", offset };
    }
    const kind = KEYWORDS.get(text.slice(this.at, this.at + 4));
    if (kind === undefined || (kind === "unit" && this.format === "text") || !this.isBlankAt(this.at + 4))
      return { kind: "comment", offset };
    this.at += 4;
    return this.metadata(offset, kind, end);
  }

  /** @param end of its text */
  private metadata(offset: number, kind: MetadataLine["kind"], end: number): MetadataLine {
    this.separator("one space");
    const name = this.isAt('"') ? this.quoted() : this.word(METRIC_NAME, "the name of a metric family");
    if (this.exact) this.separator("one space");
    else {
      if (this.at < end && !this.isBlankAt(this.at)) throw this.error(this.at, "a blank after the name");
      this.skipBlanks();
    }
    const valueOffset = Math.min(this.at, end);
    if (kind === "type" && valueOffset >= end) throw this.error(end, "a metric type");
    const text = unescape(this.text.slice(valueOffset, end), kind === "help" && this.format === "openmetrics");
    if (kind !== "type") return { kind, offset, valueOffset, name, text };
    const type = TYPE_WORDS.get(text);
    if (type === undefined) throw this.error(valueOffset, EXPECTED_TYPE, `"${text}"`);
    return { kind, offset, valueOffset, name, type, word: text };
  }

  private sample(offset: number): SampleLine {
    let name: string | undefined;
    let labels: WrittenLabels = [];
    if (!this.isAt("{")) {
      name = this.word(METRIC_NAME, this.exact ? 'a metric name or "# "' : 'a metric name or "#"');
      const end = this.at;
      this.skipBlanks();
      if (!this.isAt("{")) this.at = end;
    }
    if (this.isAt("{")) ({ name, labels } = this.series(name));
    else if (this.isTokenAhead(this.at) && !this.isBlankAt(this.at))
      throw this.error(this.at, '"{" or a space after the metric name');
    if (this.exact) this.separator("one space before the value");
    this.skipBlanks();
    const valueOffset = this.at;
    return { kind: "sample", offset, valueOffset, name: name ?? "", labels, ...this.value(valueOffset) };
  }

  /** Value, timestamp and exemplar at `start`. */
  private value(start: number): Pick<SampleLine, "value" | "timestamp" | "exemplar"> {
    this.at = start;
    const value = this.number("a number");
    this.afterBlanks();
    const timestamp =
      this.isTokenAhead(this.at) && !this.isAt("#")
        ? this.timestamp("a timestamp, or nothing, after the value")
        : undefined;
    const exemplar = this.isAt("#") && this.isBlankAt(this.at - 1) ? this.exemplar() : undefined;
    if (!this.exact && this.isAt("\r")) this.at++;
    if (!this.isAt("\n")) throw this.error(this.at, "the end of the line");
    this.lineEnd = this.at + 1;
    return {
      value,
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(exemplar === undefined ? {} : { exemplar }),
    };
  }

  private exemplar(): WrittenExemplar {
    this.at++;
    this.separator('one space after "#"', true);
    if (!this.isAt("{")) throw this.error(this.at, '"{" of an exemplar');
    const { labels } = this.series("");
    this.separator("one space before the exemplar's value", true);
    const value = this.number("the exemplar's value");
    this.afterBlanks();
    if (!this.isTokenAhead(this.at)) return { labels, value };
    return { labels, value, timestamp: this.timestamp("a timestamp, or nothing, after the exemplar's value") };
  }

  /** A timestamp as it is written, and the blanks behind it. */
  private timestamp(expected: string): string {
    const start = this.at;
    this.number(expected);
    const text = this.text.slice(start, this.at);
    this.afterBlanks();
    return text;
  }

  /**
   * What stands in braces: labels, and in quotes the name of the metric.
   * @param written the name, where it stands before them
   */
  private series(written: string | undefined): { readonly name: string; readonly labels: WrittenLabels } {
    const open = this.at++;
    const labels: [name: string, value: string][] = [];
    let name = written;
    this.skipBlanks();
    while (!this.isAt("}")) {
      const isQuoted = this.isAt('"');
      const label = isQuoted ? this.quoted() : this.word(LABEL_NAME, 'a label name or "}"');
      this.skipBlanks();
      if (isQuoted && name === undefined && !this.isAt("=")) {
        name = label;
        this.afterLabel();
        continue;
      }
      if (!this.isAt("=")) throw this.error(this.at, '"=" after the label name');
      this.at++;
      this.skipBlanks();
      if (!this.isAt('"')) throw this.error(this.at, "a label value in double quotes");
      labels.push([label, this.quoted()]);
      this.skipBlanks();
      this.afterLabel();
    }
    if (name === undefined) throw this.error(open, "a metric name");
    this.at++;
    return { name, labels };
  }

  /** Over the comma behind a label. */
  private afterLabel(): void {
    if (this.isAt("}")) return;
    if (!this.isAt(",")) throw this.error(this.at, '"," or "}"');
    this.at++;
    this.skipBlanks();
    if (this.exact && this.isAt("}")) throw this.error(this.at, "a label name");
  }

  /** Text between quotes without its escapes. */
  private quoted(): string {
    const { text } = this;
    const start = ++this.at;
    for (; !this.isAt('"'); this.at++) {
      if (this.isAt("\n")) throw this.error(this.at, "a closing double quote");
      if (this.isAt("\\") && text.charCodeAt(this.at + 1) !== NEWLINE) this.at++;
    }
    const written = text.slice(start, this.at++);
    if (written.includes(REPLACEMENT) && !isUtf8(this.body))
      throw this.error(start, "UTF-8 text", "bytes that are not UTF-8");
    return unescape(written, true);
  }

  private word(pattern: RegExp, expected: string): string {
    const start = this.at;
    pattern.lastIndex = start;
    if (!pattern.test(this.text)) throw this.error(start, expected);
    this.at = pattern.lastIndex;
    return this.text.slice(start, this.at);
  }

  private number(expected: string): number {
    const start = this.at;
    const text = this.word(NUMBER, expected);
    if (!this.isBlankAt(this.at) && !this.isAt("\n") && !this.isAt("\r")) throw this.error(start, expected);
    return numberOf(text);
  }

  /** Over the separator after a token: in exact spacing one space that something follows. */
  private afterBlanks(): void {
    if (!this.exact) return this.skipBlanks();
    if (!this.isAt(" ")) return;
    if (!this.isTokenAhead(this.at + 1)) throw this.error(this.at, "the end of the line");
    this.at++;
  }

  private separator(expected: string, optional = false): void {
    if (this.exact) {
      if (!this.isAt(" ")) throw this.error(this.at, expected);
      this.at++;
      return;
    }
    if (!optional && !this.isBlankAt(this.at)) throw this.error(this.at, "a blank");
    this.skipBlanks();
  }

  private skipBlanks(): void {
    if (!this.exact) while (this.isBlankAt(this.at)) this.at++;
  }

  private isBlankAt(at: number): boolean {
    const c = this.text[at];
    return c === " " || c === "\t";
  }

  private isTokenAhead(at: number): boolean {
    const c = this.text[at];
    return c !== "\n" && !(c === "\r" && !this.exact);
  }

  private isAt(character: string): boolean {
    return this.text[this.at] === character;
  }

  /** Where the text of a line ends: before the newline, and without trailing blanks unless they count. */
  private trimmedEnd(): number {
    let end = this.lineEnd - 1;
    if (!this.exact) while (this.isBlankAt(end - 1) || this.text[end - 1] === "\r") end--;
    return end;
  }
}

const NEWLINE = 0x0a;

function numberOf(text: string): number {
  const value = Number(text);
  if (!Number.isNaN(value) || /^nan$/i.test(text)) return value;
  return text.startsWith("-") ? -Infinity : Infinity;
}

/** HELP text of the text format has no escaped quotes; any other backslash stands for itself. */
function unescape(text: string, quotes: boolean): string {
  if (!text.includes("\\")) return text;
  return text.replace(quotes ? /\\(["\\n])/g : /\\([\\n])/g, (_, c: string) => (c === "n" ? "\n" : c));
}

const DECODER = new TextDecoder();

function isUtf8(body: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(body);
    return true;
  } catch {
    return false;
  }
}
