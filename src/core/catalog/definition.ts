import type { MetricType, Problem } from "../model/index.js";

export type ServerId =
  | "vllm"
  | "sglang"
  | "trtllm"
  | "tgi"
  | "llamacpp"
  | "lmcache"
  | "dynamo-frontend"
  | "dynamo-component"
  | "dynamo-router"
  | "kvbm"
  | "dynamo-planner"
  | "epp"
  | "triton"
  | "dcgm"
  | "amd"
  | "node"
  | "client";

/** Is more of it better? */
export type Direction = "up" | "down" | "neutral";

/** Statistic of a tile and the summary, as the artifacts spell it. */
export type KeyStatistic = "avg" | "max" | "total" | "rate" | "p50_estimate" | "p90_estimate" | "p99_estimate";

/** Why a tile changes its colour. The worst of the rules that apply is shown. */
export type WatchRule =
  | {
      readonly kind: "above";
      readonly threshold: number;
      readonly level: "warning" | "critical";
      readonly reason: string;
    }
  /** More than 0 and rising over the time looked at. */
  | { readonly kind: "growing"; readonly level: "warning" | "critical"; readonly reason: string };

/** What is known of one family. */
export interface FamilyEntry {
  readonly type: MetricType;
  /** For a person, without the server's name: "Requests running". */
  readonly title: string;
  /** Where name and description do not tell it, or tell it wrongly. Of a counter: the unit of its total. */
  readonly unit?: string;
  /** Where the rules by name would put it elsewhere. */
  readonly group?: FamilyGroup;
  /** Default: neutral. */
  readonly direction?: Direction;
  /** What it means and what to watch for, in a sentence or two. */
  readonly hint?: string;
  /** It does not change while a server runs: its value is shown once in the header, under its title. */
  readonly isFact?: true;
  /** The server computes it over a stretch of time of its own, which is not the window looked at. */
  readonly computed?: ServerComputed;
}

/**
 * How a server comes to a value that is not a reading of the moment.
 * - lifetime: an average since it started
 * - recent: a ratio or an average of its last batch, iteration or sliding window
 */
export type ServerComputed =
  { readonly over: "lifetime"; readonly windowed?: string } | { readonly over: "recent"; readonly windowed?: string };

/** Series of a family by one label's values. */
export interface LabelFilter {
  readonly label: string;
  readonly values: readonly string[];
  /** Keep these values, or all others. */
  readonly keep: "these" | "others";
}

/** How a metric is computed from families over one window. All names are canonical. */
export type Derivation =
  /** Increase of one counter by the increase of others together. */
  | {
      readonly kind: "rate-ratio";
      readonly numerator: string;
      readonly denominator: readonly string[];
      /** Series of the numerator; absent: all. */
      readonly numeratorOf?: LabelFilter;
    }
  /** Mean of one gauge by the mean of the sum of others; `complement`: 1 less that. */
  | {
      readonly kind: "gauge-ratio";
      readonly numerator: string;
      readonly denominator: readonly string[];
      readonly complement?: true;
    }
  /**
   * A gauge that is an average since the server started, as the average over a window: the difference of average times
   * weight by the difference of weights.
   */
  | { readonly kind: "lifetime-average"; readonly average: string; readonly weight: string };

/** A metric that no family holds, but that several tell together. */
export interface DerivedMetric {
  /** Stable, beginning with the server's id. */
  readonly id: string;
  readonly title: string;
  readonly unit?: string;
  readonly direction: Direction;
  readonly derivation: Derivation;
  readonly hint?: string;
}

export interface KeyMetric {
  /** Stable: views and saved layouts keep it. */
  readonly id: string;
  /** That of the family, or of the derived metric. */
  readonly title: string;
  /**
   * Canonical name; a run may hold it under one of `aliasesOf(family)`. Of a derived metric: the family charted for it.
   */
  readonly family: string;
  readonly type: MetricType;
  readonly statistic: KeyStatistic;
  readonly direction: Direction;
  /** Unit of a derived metric, and of a family whose name and description do not tell. */
  readonly unit?: string;
  /** The label whose values are shown one by one. */
  readonly by?: string;
  readonly watch?: readonly WatchRule[];
  readonly derived?: Derivation;
  readonly hint?: string;
}

/** In the order in which trees and tables list them. */
export const GROUPS = [
  "Latency",
  "Throughput",
  "Queue and batch",
  "KV cache",
  "Speculative decoding",
  "HTTP server",
  "GPU",
  "Process and system",
  "Model configuration",
  "Other",
] as const;
export type FamilyGroup = (typeof GROUPS)[number];

/** The first rule whose pattern is found in the canonical name decides. */
export interface GroupRule {
  readonly group: FamilyGroup;
  readonly pattern: RegExp;
}

/** Shown when the server is there but none of `missing` is, though `present` is (any of them; absent: always). */
export interface HintRule {
  readonly present?: readonly RegExp[];
  readonly missing: readonly RegExp[];
  readonly problem: Problem;
}

export interface ServerDefinition {
  readonly id: ServerId;
  /** As its makers write it: "vLLM". */
  readonly name: string;
  /** Of family names; the first is the canonical one. */
  readonly prefixes: readonly string[];
  /** Its families also occur without any prefix; only those that are listed are recognised then. */
  readonly bare?: true;
  /** Every family known of it, by canonical name. */
  readonly families: Readonly<Record<string, FamilyEntry>>;
  readonly derived: readonly DerivedMetric[];
  /** Counters, by canonical name, whose samples the server exposes without `_total`. */
  readonly withoutTotal?: RegExp;
  /** In the order of the tiles. */
  readonly keyMetrics: readonly KeyMetric[];
  /** Older name → canonical name. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Asked before the general rules. */
  readonly groups: readonly GroupRule[];
  readonly hints: readonly HintRule[];
  /** What makes the server expose its metrics at all: shown when it answers with none, with JSON, or with 404. */
  readonly enable: string;
  /** Facts that labels of info families tell: what each label is called in the header, by canonical name. */
  readonly labelFacts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Labels that name the model. */
  readonly modelLabels: readonly string[];
}
