import { type ExpositionBuffer, isBlank, NEWLINE, RETURN, SPACE } from "./buffer.js";
import { NumberReader } from "../text/number-reader.js";
import { parseErrorAt, type ParseError } from "./parse-error.js";

/**
 * The steps of a tokenizer within a line: over blanks and separators, numbers, the ends of text and line. Each takes
 * the place where it begins and gives the one where it ends.
 */
export class LineCursor {
  protected readonly numbers = new NumberReader();
  protected bytes = new Uint8Array(0);
  protected view = new DataView(this.bytes.buffer);
  /** OpenMetrics' own spacing; else what Prometheus takes. */
  protected exact = false;
  private end = 0;

  /** The error for what stands at `offset`. */
  error(offset: number, expected: string, found?: string): ParseError {
    return parseErrorAt(this.bytes, this.end, offset, expected, found);
  }

  protected load(buffer: ExpositionBuffer, exact: boolean): void {
    this.bytes = buffer.bytes;
    this.view = buffer.view;
    this.end = buffer.end;
    this.exact = exact;
  }

  protected number(at: number, expected: string): number {
    const value = this.numbers.read(this.view, at);
    const { end } = this.numbers;
    const next = this.view.getUint8(end);
    if (end === at || !(isBlank(next) || next === NEWLINE || next === RETURN)) throw this.error(at, expected);
    return value;
  }

  /** Over the separator after a token: in exact spacing one space that something follows. */
  protected afterBlanks(at: number): number {
    if (!this.exact) return this.skipBlanks(at);
    if (this.view.getUint8(at) !== SPACE) return at;
    if (!this.isTokenAhead(at + 1)) throw this.error(at, "the end of the line");
    return at + 1;
  }

  protected afterSeparator(at: number, expected: string, optional = false): number {
    if (!this.exact) {
      if (!optional && !isBlank(this.view.getUint8(at))) throw this.error(at, "a blank");
      return this.skipBlanks(at);
    }
    if (this.view.getUint8(at) !== SPACE) throw this.error(at, expected);
    return at + 1;
  }

  protected skipBlanks(at: number): number {
    if (this.exact) return at;
    let next = at;
    while (isBlank(this.view.getUint8(next))) next++;
    return next;
  }

  protected isTokenAhead(at: number): boolean {
    const c = this.view.getUint8(at);
    return c !== NEWLINE && !(c === RETURN && !this.exact);
  }

  protected startsWith(at: number, word: string): boolean {
    for (let i = 0; i < word.length; i++) if (this.view.getUint8(at + i) !== word.charCodeAt(i)) return false;
    return true;
  }

  protected endOfLine(at: number): number {
    return this.bytes.indexOf(NEWLINE, at) + 1;
  }

  /** Where the text of a line ends: before the newline, and without trailing blanks unless they count. */
  protected trimmedEnd(lineEnd: number): number {
    let end = lineEnd - 1;
    if (this.exact) return end;
    while (isBlank(this.view.getUint8(end - 1)) || this.view.getUint8(end - 1) === RETURN) end--;
    return end;
  }
}
