import {
  BACKSLASH,
  CLOSE_BRACE,
  COMMA,
  EQUALS,
  HASH,
  NEWLINE,
  OPEN_BRACE,
  QUOTE,
  RETURN,
  isBlank,
  isLabelCharacter,
  isLabelStart,
  isMetricCharacter,
  isMetricStart,
  SPACE,
  type ExpositionBuffer,
} from "./buffer.js";
import type { ExpositionFormat } from "./format.js";
import { LineCursor } from "./line-cursor.js";

export type LineKind = "blank" | "comment" | "eof" | "help" | "type" | "unit" | "sample";

/** A stretch of the buffer. `plain`: ASCII without escapes, so its bytes are its text. */
export interface ByteRange {
  start: number;
  end: number;
  plain: boolean;
}

export interface LabelPieces {
  readonly name: ByteRange;
  readonly value: ByteRange;
}

const piece = (): ByteRange => ({ start: 0, end: 0, plain: true });

const KEYWORDS: readonly (readonly [word: string, kind: "help" | "type" | "unit"])[] = [
  ["HELP", "help"],
  ["TYPE", "type"],
  ["UNIT", "unit"],
];

/**
 * Finds the parts of a line of an exposition, without making a string. The parts last until the next line is scanned.
 * `exact` asks for OpenMetrics' own spacing; else what Prometheus takes: blanks around tokens, a comma after the last
 * label, no blank between "}" and the value, and CR LF.
 */
export class Tokenizer extends LineCursor {
  /** Of the line scanned last: after its newline. A sample's is known when its value has been read. */
  lineEnd = 0;
  /** Metric name of a sample, family name of metadata. */
  readonly name = piece();
  /** What follows the name in a line of metadata. */
  readonly text = piece();
  /** Labels of the sample; of its exemplar once `readValue` has met one. The first `labelCount` count. */
  readonly labels: LabelPieces[] = [];
  labelCount = 0;
  /** Where the value of a sample begins. */
  valueStart = 0;
  /** Empty without a timestamp. */
  readonly timestamp = piece();
  hasExemplar = false;
  exemplarValue = 0;
  readonly exemplarTimestamp = piece();

  private format: ExpositionFormat = "text";

  open(buffer: ExpositionBuffer, format: ExpositionFormat, exact: boolean): void {
    this.load(buffer, exact);
    this.format = format;
  }

  /** Scans the line at `start`, of a sample as far as its value. @throws ParseError */
  scan(start: number): LineKind {
    const at = this.skipBlanks(start);
    const c = this.view.getUint8(at);
    if (c === HASH) return this.scanComment(at);
    if (c === NEWLINE || (c === RETURN && !this.exact && this.view.getUint8(at + 1) === NEWLINE)) {
      this.lineEnd = this.endOfLine(at);
      return "blank";
    }
    this.scanSeries(at);
    return "sample";
  }

  /** Reads value, timestamp and exemplar at `start` and finds the line's end. @throws ParseError */
  readValue(start: number): number {
    this.timestamp.end = this.timestamp.start = 0;
    this.hasExemplar = false;
    const value = this.number(start, "a number");
    if (this.view.getUint8(this.numbers.end) === NEWLINE) {
      this.lineEnd = this.numbers.end + 1;
      return value;
    }
    let at = this.afterBlanks(this.numbers.end);
    if (this.isTokenAhead(at) && this.view.getUint8(at) !== HASH) {
      this.number(at, "a timestamp, or nothing, after the value");
      this.timestamp.start = at;
      this.timestamp.end = this.numbers.end;
      at = this.afterBlanks(this.numbers.end);
    }
    if (this.view.getUint8(at) === HASH && isBlank(this.view.getUint8(at - 1))) at = this.scanExemplar(at);
    if (this.view.getUint8(at) === RETURN && !this.exact) at++;
    if (this.view.getUint8(at) !== NEWLINE) throw this.error(at, "the end of the line");
    this.lineEnd = at + 1;
    return value;
  }

  private scanComment(hash: number): LineKind {
    this.lineEnd = this.endOfLine(hash);
    let at = hash + 1;
    if (this.exact) {
      if (this.view.getUint8(at) !== SPACE) return "comment";
      at++;
    } else at = this.skipBlanks(at);
    if (this.format === "openmetrics" && this.startsWith(at, "EOF") && this.trimmedEnd(this.lineEnd) === at + 3)
      return "eof";
    for (const [word, kind] of KEYWORDS) {
      if (kind === "unit" && this.format === "text") continue;
      if (!this.startsWith(at, word)) continue;
      if (!isBlank(this.view.getUint8(at + word.length))) return "comment";
      this.scanMetadata(at + word.length, kind);
      return kind;
    }
    return "comment";
  }

  private scanMetadata(blank: number, kind: "help" | "type" | "unit"): void {
    let at = this.afterSeparator(blank, "one space");
    if (this.view.getUint8(at) === QUOTE) {
      this.scanQuoted(at, this.name);
      at = this.name.end + 1;
    } else at = this.scanMetricName(at, "the name of a metric family");
    const end = this.trimmedEnd(this.lineEnd);
    if (this.exact) at = this.afterSeparator(at, "one space");
    else {
      if (at < end && !isBlank(this.view.getUint8(at))) throw this.error(at, "a blank after the name");
      at = Math.min(this.skipBlanks(at), end);
    }
    if (kind === "type" && at >= end) throw this.error(end, "a metric type");
    this.text.start = at;
    this.text.end = Math.max(at, end);
    this.text.plain = true;
    for (let i = at; i < end; i++) {
      const c = this.view.getUint8(i);
      if (c === BACKSLASH || c >= 0x80) this.text.plain = false;
    }
  }

  private scanSeries(start: number): void {
    const { view } = this;
    let at = start;
    this.labelCount = 0;
    const named = view.getUint8(at) !== OPEN_BRACE;
    if (named) {
      at = this.scanMetricName(at, this.exact ? 'a metric name or "# "' : 'a metric name or "#"');
      const next = this.skipBlanks(at);
      if (view.getUint8(next) === OPEN_BRACE) at = next;
    }
    if (view.getUint8(at) === OPEN_BRACE) at = this.scanLabels(this.skipBlanks(at + 1), at, named);
    else if (this.isTokenAhead(at) && !isBlank(view.getUint8(at)))
      throw this.error(at, '"{" or a space after the metric name');
    if (this.exact) at = this.afterSeparator(at, "one space before the value");
    this.valueStart = this.skipBlanks(at);
  }

  /**
   * Labels from the one at `start` on, which is behind the first brace or a comma.
   * @param opened where errors of the whole are reported
   * @returns after the closing brace
   */
  private scanLabels(start: number, opened: number, named: boolean): number {
    const { view } = this;
    let at = start;
    let hasName = named;
    while (view.getUint8(at) !== CLOSE_BRACE) {
      const label = this.nextLabel();
      if (view.getUint8(at) === QUOTE) {
        this.scanQuoted(at, label.name);
        const next = this.skipBlanks(label.name.end + 1);
        if (view.getUint8(next) !== EQUALS) {
          if (hasName) throw this.error(next, '"=" after the label name');
          hasName = true;
          Object.assign(this.name, label.name);
          at = this.afterComma(next);
          continue;
        }
        at = next;
      } else {
        label.name.start = at;
        if (!isLabelStart(view.getUint8(at))) throw this.error(at, 'a label name or "}"');
        while (isLabelCharacter(view.getUint8(at))) at++;
        label.name.end = at;
        label.name.plain = true;
        at = this.skipBlanks(at);
        if (view.getUint8(at) !== EQUALS) throw this.error(at, '"=" after the label name');
      }
      at = this.skipBlanks(at + 1);
      if (view.getUint8(at) !== QUOTE) throw this.error(at, "a label value in double quotes");
      this.scanQuoted(at, label.value);
      this.labelCount++;
      at = this.afterComma(this.skipBlanks(label.value.end + 1));
    }
    if (!hasName) throw this.error(opened, "a metric name");
    return at + 1;
  }

  /** Where the next label or the closing brace stands. */
  private afterComma(at: number): number {
    const c = this.view.getUint8(at);
    if (c === CLOSE_BRACE) return at;
    if (c !== COMMA) throw this.error(at, '"," or "}"');
    const next = this.skipBlanks(at + 1);
    if (this.exact && this.view.getUint8(next) === CLOSE_BRACE) throw this.error(next, "a label name");
    return next;
  }

  private nextLabel(): LabelPieces {
    let label = this.labels[this.labelCount];
    if (label === undefined) this.labels.push((label = { name: piece(), value: piece() }));
    return label;
  }

  /** Text between the quote at `open` and the next one that is not escaped. */
  private scanQuoted(open: number, into: ByteRange): void {
    const { view } = this;
    let plain = true;
    let at = open + 1;
    for (;;) {
      const c = view.getUint8(at);
      if (c === QUOTE) break;
      if (c === NEWLINE) throw this.error(at, "a closing double quote");
      if (c === BACKSLASH) {
        plain = false;
        if (view.getUint8(at + 1) !== NEWLINE) at++;
      } else if (c >= 0x80) plain = false;
      at++;
    }
    into.start = open + 1;
    into.end = at;
    into.plain = plain;
  }

  private scanMetricName(start: number, expected: string): number {
    const { view } = this;
    if (!isMetricStart(view.getUint8(start))) throw this.error(start, expected);
    let at = start + 1;
    while (isMetricCharacter(view.getUint8(at))) at++;
    this.name.start = start;
    this.name.end = at;
    this.name.plain = true;
    return at;
  }

  private scanExemplar(hash: number): number {
    let at = this.afterSeparator(hash + 1, 'one space after "#"', true);
    if (this.view.getUint8(at) !== OPEN_BRACE) throw this.error(at, '"{" of an exemplar');
    this.labelCount = 0;
    at = this.scanLabels(this.skipBlanks(at + 1), at, true);
    at = this.afterSeparator(at, "one space before the exemplar's value", true);
    this.hasExemplar = true;
    this.exemplarTimestamp.start = this.exemplarTimestamp.end = 0;
    this.exemplarValue = this.number(at, "the exemplar's value");
    at = this.afterBlanks(this.numbers.end);
    if (!this.isTokenAhead(at)) return at;
    this.number(at, "a timestamp, or nothing, after the exemplar's value");
    this.exemplarTimestamp.start = at;
    this.exemplarTimestamp.end = this.numbers.end;
    return this.afterBlanks(this.numbers.end);
  }
}
