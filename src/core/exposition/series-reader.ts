import { ExpositionBuffer } from "./buffer.js";
import { getOrInsert } from "../math/index.js";
import type { SampleRoles } from "./roles.js";
import { isBound, NO_SAMPLE, type WrittenPair, type WrittenSeries } from "./series.js";
import { readText } from "./text.js";
import type { ByteRange, LabelPieces, Tokenizer } from "./tokenizer.js";

/** Makes texts and series of the pieces that a tokenizer finds. Names and labels repeat: equal ones are one object. */
export class SeriesReader {
  private buffer = new ExpositionBuffer();
  /** Labels of this scrape by their bytes from the name's first to the value's last: `engine="0`. */
  private readonly known = new Map<string, WrittenPair>();
  /** Of the series read last: the next bucket of its histogram has the same. */
  private pairs: readonly WrittenPair[] = [];

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly roles: SampleRoles,
  ) {}

  /** Another scrape, or none: labels are known for as long as one is read. */
  open(buffer: ExpositionBuffer): void {
    this.buffer = buffer;
    this.known.clear();
  }

  /**
   * The series of the line that the tokenizer has scanned.
   * @param line its bytes as characters
   * @param start where they begin
   * @throws ParseError when a name or a label is not UTF-8
   */
  read(line: string, start: number): WrittenSeries {
    const { name, labels, labelCount } = this.tokenizer;
    const pairs = labels.slice(0, labelCount).map((label) => this.pairOf(label, line, start));
    const last = pairs.at(-1);
    const le = last !== undefined && isBound(last) ? pairs.pop() : undefined;
    if (pairs.length !== this.pairs.length || pairs.some((pair, i) => pair !== this.pairs[i])) this.pairs = pairs;
    const metricName = this.roles.nameOf(this.textIn(name, line, start));
    return { kind: "series", name: metricName, pairs: this.pairs, le, role: undefined, sample: NO_SAMPLE };
  }

  /** @throws ParseError when the piece is not UTF-8 */
  text(piece: ByteRange): string {
    const text = readText(this.buffer.bytes, piece);
    if (text === undefined) throw this.tokenizer.error(piece.start, "UTF-8 text", "bytes that are not UTF-8");
    return text;
  }

  private textIn(piece: ByteRange, line: string, start: number): string {
    return piece.plain ? line.slice(piece.start - start, piece.end - start) : this.text(piece);
  }

  private pairOf({ name, value }: LabelPieces, line: string, start: number): WrittenPair {
    return getOrInsert(this.known, line.slice(name.start - start, value.end - start), () => [
      this.textIn(name, line, start),
      this.textIn(value, line, start),
    ]);
  }
}
