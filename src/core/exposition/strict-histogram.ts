import { labelValue, boundValue } from "../model/index.js";
import type { SampleLine } from "./document-lines.js";
import type { ExpositionFormat } from "./format.js";
import type { ParseError } from "./parse-error.js";
import type { SampleSuffix } from "./sample-names.js";

/** Checks the lines of one histogram or gaugehistogram: one label set at one time. */
export class HistogramCheck {
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
