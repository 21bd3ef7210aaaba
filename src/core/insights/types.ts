import type { EpochNs, Labels } from "../model/index.js";

/** What a finding rests on: one figure of one family over a range of time. */
export interface Evidence {
  /** As exposed. */
  readonly family: string;
  readonly labels: Labels;
  readonly endpointUrl: string;
  /** Such as "max" or "share of the run above the threshold". */
  readonly statistic: string;
  readonly range: { readonly startNs: EpochNs; readonly endNs: EpochNs };
  readonly value: number;
  /** Of `value` and `threshold`. */
  readonly unit?: string;
  readonly threshold?: number;
}

/** How sure a finding is: whether the data could also come from something harmless. */
export type Confidence = "high" | "medium" | "low";

/** What one rule says about one endpoint, or about several together. */
export interface RuleHit {
  /** 0 to 1: how much it limits the run. */
  readonly weight: number;
  readonly confidence: Confidence;
  /** One sentence with its figures. */
  readonly text: string;
  readonly evidence: readonly Evidence[];
  readonly endpointUrls: readonly string[];
  /** What to try here, with the engine's own names; absent: what the rule says of all. */
  readonly advice?: string;
}
