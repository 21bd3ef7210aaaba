import { labelValue } from "../model/index.js";
import type { DocumentLine, DocumentReader, SampleLine } from "./document-lines.js";
import type { ExpositionFormat } from "./format.js";
import type { ParseError } from "./parse-error.js";
import { SUFFIXES, type DeclaredType, type SampleSuffix } from "./sample-names.js";
import { HistogramCheck } from "./strict-histogram.js";

type Metadata = Extract<DocumentLine, { kind: "help" | "type" | "unit" }>;

/** Code points of an exemplar's label names and values together. */
const LONGEST_EXEMPLAR = 128;
const TEXT_TYPES: readonly string[] = ["counter", "gauge", "histogram", "summary", "untyped"];

/** The names that a family's samples may have. */
export function sampleNames(name: string, type: DeclaredType, format: ExpositionFormat): string[] {
  if (format === "openmetrics") return SUFFIXES[type].map((suffix) => name + suffix);
  return (
    type === "histogram" || type === "summary" ? SUFFIXES[type].filter((suffix) => suffix !== "_created") : [""]
  ).map((suffix) => name + suffix);
}

/** Checks one family's block of lines. */
export class FamilyCheck {
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
