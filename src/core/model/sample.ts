import type { Family } from "./family.js";
import type { Labels } from "./labels.js";
import type { EpochNs } from "./time.js";

/** The text of an `le` bound as the server wrote it ("0.5", "1e-3", "+Inf"). */
export type BoundText = string & { readonly __key: "bound" };

/** What one sample line contributes to its series. */
export type SamplePart =
  | { readonly kind: "value" }
  | { readonly kind: "sum" }
  | { readonly kind: "count" }
  | { readonly kind: "bucket"; readonly bound: BoundText; readonly upper: number };

/** What a sample line says besides its value. `labels` never holds a histogram's `le`. */
export interface SampleDef {
  readonly family: Family;
  readonly labels: Labels;
  readonly part: SamplePart;
}

/** When a counter or histogram was created, as its endpoint tells. */
export interface CreatedSeries {
  readonly family: Pick<Family, "type" | "name">;
  readonly labels: Labels;
  readonly time: EpochNs;
}

/**
 * One scrape's samples: `values[i]` belongs to `defs[ids[i]]`, for i < length.
 * `defs` only ever grows within one source (parser or reader), so an id keeps its meaning from scrape to scrape.
 * Two ids may name the same part of the same series (labels in another order): the later one wins.
 * The arrays belong to the source and are overwritten by its next scrape.
 * A non-finite value of a scalar is delivered as it stood: the store makes it a gap.
 */
export interface SampleBatch {
  readonly defs: readonly SampleDef[];
  readonly ids: Int32Array;
  readonly values: Float64Array;
  readonly length: number;
  /** Only with the first samples of an endpoint: of those that come later, earlier scrapes tell when they began. */
  readonly created?: readonly CreatedSeries[];
}

/** The text of a bound as its server writes it. */
export function boundText(text: string): BoundText {
  return text as BoundText;
}

/** Value of a bound's text; NaN when it is not a number. */
export function boundValue(text: string): number {
  // Most begin with a digit, and each is read once a line of a first scrape.
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) return Number(text);
  const lower = text.toLowerCase();
  if (lower === "+inf" || lower === "inf" || lower === "+infinity" || lower === "infinity") return Infinity;
  if (lower === "-inf" || lower === "-infinity") return -Infinity;
  return text.trim() === "" ? NaN : Number(text);
}
