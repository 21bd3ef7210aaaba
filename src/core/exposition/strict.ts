import { labelValue, boundValue } from "../model/index.js";
import type { SampleLine, DocumentLine, DocumentReader } from "./document-lines.js";
import type { ExpositionFormat } from "./format.js";
import type { ParseError } from "./parse-error.js";
import { SUFFIXES, placeSample, type SampleSuffix, type DeclaredType } from "./declarations.js";

/** Checks the lines of one histogram or gaugehistogram: one label set at one time. */
class HistogramCheck {
  private lastBound = -Infinity;
  private lastCount = 0;
  private negativeBounds = false;
  private infinite: number | undefined;
  private sum: SampleLine | undefined;
  private count: SampleLine | undefined;

  constructor(
    private readonly type: "histogram" | "gaugehistogram",
    private readonly format: ExpositionFormat,
    private readonly fail: (offset: number, expected: string, found?: string) => ParseError,
    private readonly offset: number,
  ) {}

  take(line: SampleLine, suffix: SampleSuffix): void {
    if (suffix === "_sum" || suffix === "_gsum") this.sum = line;
    else if (suffix === "_count" || suffix === "_gcount") this.count = line;
    else if (suffix === "_bucket") this.takeBucket(line);
  }

  finish(): void {
    if (this.infinite === undefined) throw this.fail(this.offset, 'a bucket with le="+Inf"', "none");
    if (this.count !== undefined && this.count.value !== this.infinite)
      throw this.fail(this.count.valueOffset, `the count of the bucket "+Inf" (${this.infinite})`);
    if (this.format === "text") return;
    const { sum, count } = this;
    // A histogram with negative bounds has no sum, and a gauge histogram without them no negative one.
    if (this.type === "histogram" && this.negativeBounds) {
      if (sum !== undefined) throw this.fail(sum.offset, "no sum beside negative bounds");
      return;
    }
    if ((sum === undefined) !== (count === undefined))
      throw this.fail((sum ?? count)?.offset ?? this.offset, "sum and count together", "one of them alone");
    if (sum !== undefined && sum.value < 0 && !this.negativeBounds)
      throw this.fail(sum.valueOffset, "a sum that is not negative");
  }

  private takeBucket(line: SampleLine): void {
    const text = labelValue(line.labels, "le") ?? "";
    const bound = boundValue(text);
    if (Number.isNaN(bound) || (bound === Infinity && text !== "+Inf"))
      throw this.fail(line.offset, 'a bound that is a number or "+Inf"', `"${text}"`);
    if (bound <= this.lastBound) throw this.fail(line.offset, "bounds that rise", `"${text}"`);
    if (line.value < this.lastCount)
      throw this.fail(line.valueOffset, `a count of at least that of the bound below (${this.lastCount})`);
    if (bound < 0) this.negativeBounds = true;
    this.lastBound = bound;
    this.lastCount = line.value;
    if (bound === Infinity) this.infinite = line.value;
  }
}

type Metadata = Extract<DocumentLine, { kind: "help" | "type" | "unit" }>;

/** Code points of an exemplar's label names and values together. */
const LONGEST_EXEMPLAR = 128;
const TEXT_TYPES: readonly string[] = ["counter", "gauge", "histogram", "summary", "untyped"];

/** The names that a family's samples may have. */
function sampleNames(name: string, type: DeclaredType, format: ExpositionFormat): string[] {
  if (format === "openmetrics") return SUFFIXES[type].map((suffix) => name + suffix);
  return (
    type === "histogram" || type === "summary" ? SUFFIXES[type].filter((suffix) => suffix !== "_created") : [""]
  ).map((suffix) => name + suffix);
}

/** Checks one family's block of lines. */
class FamilyCheck {
  type: DeclaredType = "unknown";
  /** Of its first line. */
  offset = -1;
  private readonly declared = new Set<string>();
  private unit = "";
  private unitOffset = 0;
  private readonly groups = new Set<string>();
  private group = "";
  private readonly series = new Set<string>();
  private groupTimestamp: string | undefined;
  private histogram: HistogramCheck | undefined;

  constructor(
    readonly name: string,
    private readonly reader: DocumentReader,
    private readonly format: ExpositionFormat,
  ) {}

  declare(line: Metadata): void {
    if (this.offset < 0) this.offset = line.offset;
    const word = line.kind.toUpperCase();
    if (this.groups.size > 0)
      throw this.fail(line.offset, "the metadata of a family before its samples", `${word} of ${this.name} after them`);
    if (this.declared.has(line.kind))
      throw this.fail(line.offset, `one ${word} line per family`, `a second one of ${this.name}`);
    this.declared.add(line.kind);
    if (line.kind === "unit") {
      this.unit = line.text;
      this.unitOffset = line.valueOffset;
    } else if (line.kind === "type") {
      const allowed = this.format === "openmetrics" ? line.word !== "untyped" : TEXT_TYPES.includes(line.word);
      if (!allowed) throw this.fail(line.valueOffset, "a metric type of this format");
      this.type = line.type;
    }
  }

  take(line: SampleLine): void {
    if (this.offset < 0) this.offset = line.offset;
    this.checkLabels(line);
    this.checkGroup(line);
    if (this.format === "openmetrics") this.checkValue(line);
    if (line.exemplar !== undefined) this.checkExemplar(line);
    this.histogram?.take(line, this.suffix(line));
  }

  finish(): void {
    this.histogram?.finish();
    if (this.unit === "") return;
    if (!this.name.endsWith(`_${this.unit}`))
      throw this.fail(this.unitOffset, `a unit that the name ends with (${this.name})`, `"${this.unit}"`);
    if (this.type === "info" || this.type === "stateset")
      throw this.fail(this.unitOffset, `no unit for a family of type ${this.type}`);
  }

  private suffix({ name }: SampleLine): SampleSuffix {
    return SUFFIXES[this.type].find((suffix) => name === this.name + suffix) ?? "";
  }

  private checkLabels(line: SampleLine): void {
    const names = new Set(line.labels.map(([name]) => name));
    if (names.size < line.labels.length)
      throw this.fail(line.offset, "each label name once", `a label name twice on ${line.name}`);
    const required = this.requiredLabel(line);
    if (required !== undefined && !names.has(required))
      throw this.fail(line.offset, `a label "${required}" on ${line.name}`, "none");
    if (required !== "quantile") return;
    const text = labelValue(line.labels, "quantile") ?? "";
    const quantile = text.trim() === "" ? NaN : Number(text);
    if (!(quantile >= 0 && quantile <= 1)) throw this.fail(line.offset, "a quantile from 0 to 1", `"${text}"`);
  }

  private requiredLabel(line: SampleLine): string | undefined {
    const suffix = this.suffix(line);
    if (suffix === "_bucket") return "le";
    if (this.type === "summary" && suffix === "") return "quantile";
    return this.type === "stateset" ? this.name : undefined;
  }

  /**
   * The lines of one metric (same labels but for the bound, the quantile, the state) stand together, in the order of
   * their times.
   */
  private checkGroup(line: SampleLine): void {
    const apart = this.requiredLabel(line);
    const group = key(line.labels.filter(([name]) => name !== apart));
    if (this.groups.size === 0 || group !== this.group) {
      if (this.groups.has(group))
        throw this.fail(
          line.offset,
          "the lines of one metric together",
          `${line.name} with labels that stood further above`,
        );
      this.groups.add(group);
      this.group = group;
      this.series.clear();
      this.beginHistogram(line.offset);
    } else if (line.timestamp !== this.groupTimestamp) {
      if (this.format === "openmetrics") this.checkTimestamp(line);
      this.beginHistogram(line.offset);
    }
    this.groupTimestamp = line.timestamp;
    if (line.timestamp !== undefined && !isFinite(Number(line.timestamp)))
      throw this.fail(line.offset, "a finite timestamp", `"${line.timestamp}"`);
    const series = `${line.name}${key(line.labels)}`;
    if (this.series.has(series) && line.timestamp === undefined)
      throw this.fail(line.offset, "each series once", `${line.name} with the same labels again`);
    this.series.add(series);
  }

  /** The next point in time, or the next label set. */
  private beginHistogram(offset: number): void {
    this.histogram?.finish();
    if (this.type === "histogram" || this.type === "gaugehistogram")
      this.histogram = new HistogramCheck(this.type, this.format, this.fail, offset);
  }

  private checkTimestamp({ offset, timestamp }: SampleLine): void {
    if ((timestamp === undefined) !== (this.groupTimestamp === undefined))
      throw this.fail(offset, "a timestamp on all lines of a metric or on none");
    if (Number(timestamp) < Number(this.groupTimestamp))
      throw this.fail(offset, "timestamps that do not fall", `${timestamp} after ${this.groupTimestamp}`);
  }

  private checkValue(line: SampleLine): void {
    const suffix = this.suffix(line);
    const { value, valueOffset } = line;
    if (this.type === "info" && value !== 1) throw this.fail(valueOffset, "the value 1 of an info");
    if (this.type === "stateset" && value !== 0 && value !== 1)
      throw this.fail(valueOffset, "the value 0 or 1 of a state");
    const counts =
      suffix === "_total" || suffix === "_bucket" || suffix === "_count" || suffix === "_gcount" || suffix === "_sum";
    if (counts && !(value >= 0)) throw this.fail(valueOffset, `a value of ${line.name} that is not negative`);
    if (suffix === "_gsum" && Number.isNaN(value)) throw this.fail(valueOffset, `a number for ${line.name}`);
    if (this.type === "summary" && value < 0) throw this.fail(valueOffset, "a quantile's value that is not negative");
  }

  private checkExemplar(line: SampleLine): void {
    const { exemplar, offset } = line;
    const suffix = this.suffix(line);
    if (this.format === "text" || !(suffix === "_bucket" || suffix === "_total"))
      throw this.fail(offset, `no exemplar on ${line.name}`);
    const length = (exemplar?.labels ?? []).reduce(
      (sum, [name, value]) => sum + [...name].length + [...value].length,
      0,
    );
    if (length > LONGEST_EXEMPLAR)
      throw this.fail(offset, `at most ${LONGEST_EXEMPLAR} characters of exemplar labels`, `${length}`);
    if (exemplar?.timestamp !== undefined && !isFinite(Number(exemplar.timestamp)))
      throw this.fail(offset, "a finite timestamp of the exemplar", `"${exemplar.timestamp}"`);
  }

  private readonly fail = (offset: number, expected: string, found?: string): ParseError =>
    this.reader.error(offset, expected, found);
}

function key(labels: SampleLine["labels"]): string {
  return JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** OpenMetrics text ends in "# EOF" and in nothing else. @throws ParseError */
export function checkEnd(reader: DocumentReader, lines: readonly DocumentLine[], format: ExpositionFormat): void {
  if (format === "text") return;
  const eof = lines.findIndex((line) => line.kind === "eof");
  const after = lines[eof + 1];
  if (eof < 0) throw reader.error(reader.end, MISSING_EOF);
  if (after !== undefined) throw reader.error(after.offset, AFTER_EOF);
}

export const MISSING_EOF = '"# EOF" (OpenMetrics text that stops before it is cut off)';
export const AFTER_EOF = 'nothing after "# EOF"';

/**
 * Judges an exposition by the letter of its format: OpenMetrics 1.0 (github.com/prometheus/OpenMetrics,
 * specification/OpenMetrics.md), or text 0.0.4 (prometheus.io, "Exposition formats").
 */
export class DocumentCheck {
  private family: FamilyCheck | undefined;
  /** Names of families and of the samples they may have. */
  private readonly taken = new Set<string>();

  constructor(
    private readonly reader: DocumentReader,
    private readonly format: ExpositionFormat,
  ) {}

  /** @throws ParseError */
  take(line: DocumentLine): void {
    switch (line.kind) {
      case "blank":
      case "comment":
        if (this.format === "openmetrics")
          throw this.reader.error(line.offset, 'a sample, or "# " with HELP, TYPE, UNIT or EOF');
        return;
      case "eof":
        return;
      case "help":
      case "type":
      case "unit":
        if (this.family?.name !== line.name)
          this.begin(new FamilyCheck(line.name, this.reader, this.format), line.offset);
        this.family?.declare(line);
        return;
      case "sample":
        this.familyFor(line).take(line);
    }
  }

  /** The end of a family's lines, or of all. @throws ParseError */
  finish(): void {
    this.family?.finish();
    if (this.family !== undefined) this.occupy(this.family);
    this.family = undefined;
  }

  private familyFor(line: SampleLine): FamilyCheck {
    const { family } = this;
    if (family !== undefined) {
      const place = placeSample(line.name, (name) => (name === family.name ? family.type : undefined));
      if (place.family === family.name && sampleNames(family.name, family.type, this.format).includes(line.name))
        return family;
      if (line.name === family.name) {
        const names = sampleNames(family.name, family.type, this.format).join(", ");
        throw this.reader.error(line.offset, `a sample of the ${family.type} ${family.name} (${names})`, line.name);
      }
    }
    return this.begin(new FamilyCheck(line.name, this.reader, this.format), line.offset);
  }

  private begin(family: FamilyCheck, offset: number): FamilyCheck {
    this.finish();
    if (this.taken.has(family.name))
      throw this.reader.error(
        offset,
        "one block of lines per metric family",
        `${family.name}, which an earlier block already has`,
      );
    return (this.family = family);
  }

  private occupy({ name, type, offset }: FamilyCheck): void {
    for (const each of new Set([name, ...sampleNames(name, type, this.format)])) {
      if (this.taken.has(each))
        throw this.reader.error(offset, "families without sample names in common", `${each} in two of them`);
      this.taken.add(each);
    }
  }
}
