import { ExpositionBuffer } from "./buffer.js";
import { BytesCache } from "./bytes-cache.js";
import type { MetricName, SampleRoles } from "./roles.js";
import { isBound, NO_SAMPLE, type WrittenPair, type WrittenSeries } from "./series.js";
import { TextReader } from "./text.js";
import type { LabelPieces, ByteRange, Tokenizer } from "./tokenizer.js";

/** Needed only while a scrape is read, and so shared by all parsers. */
const METRIC_NAMES = new BytesCache<MetricName>();
const PAIRS = new BytesCache<WrittenPair>();

const NO_BUFFER = new ExpositionBuffer();
const NO_PAIR: WrittenPair = ["", ""];
const NO_PAIRS: readonly WrittenPair[] = [];

/** Makes texts and series of the pieces that a tokenizer finds. Names and labels repeat: equal ones are one object. */
export class SeriesReader {
  private readonly texts = new TextReader();
  private buffer = NO_BUFFER;
  /** The caches hold what this scrape brought: they are cleared once one of its series is new. */
  private cachesCurrent = false;

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly roles: SampleRoles,
  ) {}

  /** A scrape begins. */
  open(buffer: ExpositionBuffer): void {
    this.buffer = buffer;
    this.cachesCurrent = false;
  }

  /**
   * The series of the line that the tokenizer has scanned.
   * @param before of the line that it scanned before that one; undefined when that was dropped
   * @throws ParseError when a name or a label is not UTF-8
   */
  read(before: WrittenSeries | undefined): WrittenSeries {
    const { name, labels, labelCount, sameName, sameLabels } = this.tokenizer;
    if (!this.cachesCurrent) {
      this.cachesCurrent = true;
      METRIC_NAMES.clear(this.buffer.view);
      PAIRS.clear(this.buffer.view);
    }
    const same = before === undefined ? 0 : sameLabels;
    let pairs = before?.pairs ?? NO_PAIRS;
    let le: WrittenPair | undefined;
    if (same === pairs.length && labelCount === same + 1 && before?.le !== undefined) {
      // The next bucket of the same histogram.
      const last = this.pairOf(labels[same]);
      if (isBound(last)) le = last;
      else pairs = [...pairs, last];
    } else {
      const all = new Array<WrittenPair>(labelCount);
      for (let i = 0; i < same; i++) all[i] = pairs[i] ?? before?.le ?? NO_PAIR;
      for (let i = same; i < labelCount; i++) all[i] = this.pairOf(labels[i]);
      const last = all[labelCount - 1];
      if (last !== undefined && isBound(last)) {
        le = last;
        all.length--;
      }
      pairs = all;
    }
    const metricName =
      (sameName ? before?.name : undefined) ??
      METRIC_NAMES.get(name.start, name.end) ??
      METRIC_NAMES.keep(this.roles.nameOf(this.text(name)));
    return { kind: "series", name: metricName, pairs, le, role: undefined, sample: NO_SAMPLE };
  }

  /** @throws ParseError when the piece is not UTF-8 */
  text(piece: ByteRange): string {
    const text = this.texts.read(this.buffer.bytes, piece);
    if (text === undefined) throw this.tokenizer.error(piece.start, "UTF-8 text", "bytes that are not UTF-8");
    return text;
  }

  /** What stands behind the name in a line of metadata; what is not UTF-8 shows as U+FFFD. */
  help(piece: ByteRange, quotes: boolean): string {
    return this.texts.readHelp(this.buffer.bytes, piece, quotes);
  }

  /** Known by the bytes from the name's first to the value's last: `engine="0`. */
  private pairOf(label: LabelPieces | undefined): WrittenPair {
    if (label === undefined) return NO_PAIR;
    const { name, value } = label;
    return PAIRS.get(name.start, value.end) ?? PAIRS.keep([this.text(name), this.text(value)]);
  }
}
