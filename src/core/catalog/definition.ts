import type { MetricType, Problem } from "../model/index.js";

export type ServerId = "vllm" | "sglang" | "trtllm" | "dynamo-frontend" | "dynamo-component" | "triton" | "dcgm";

/** Is more of it better? */
export type Direction = "up" | "down" | "neutral";

/** Statistic of a tile and the summary, as the artifacts spell it. */
export type KeyStatistic = "avg" | "max" | "total" | "rate" | "p99_estimate";

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

export interface KeyMetric {
  /** Stable: views and saved layouts keep it. */
  readonly id: string;
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
  /** The label whose values are worth telling apart. */
  readonly by?: string;
  readonly watch?: readonly WatchRule[];
  /** Rate of one counter by the rate of another, over the same window. */
  readonly derived?: { readonly kind: "rate-ratio"; readonly numerator: string; readonly denominator: string };
}

export type Group =
  | "Latency"
  | "Throughput"
  | "Queue and batch"
  | "KV cache"
  | "Speculative decoding"
  | "HTTP server"
  | "Process and system"
  | "Model configuration"
  | "GPU"
  | "Other";

/** The first rule whose pattern is found in the canonical name decides. */
export interface GroupRule {
  readonly group: Group;
  readonly pattern: RegExp;
}

/** Told when the server is there but none of `missing` is, though `present` is (any of them; absent: always). */
export interface HintRule {
  readonly present?: readonly RegExp[];
  readonly missing: readonly RegExp[];
  readonly problem: Problem;
}

/** A family that does not change while a server runs: its facts are shown once in the header. */
export type StaticRule =
  /** The gauge's value is the fact. */
  | { readonly kind: "value"; readonly family: string; readonly fact: string }
  /** The labels' values are facts, the sample is always 1. */
  | {
      readonly kind: "labels";
      readonly family: string;
      readonly facts: readonly (readonly [label: string, fact: string])[];
    };

export interface ServerDefinition {
  readonly id: ServerId;
  /** As its makers write it: "vLLM". */
  readonly name: string;
  /** Of family names; the first is the canonical one. */
  readonly prefixes: readonly string[];
  /** In the order of the tiles. */
  readonly keyMetrics: readonly KeyMetric[];
  /** Types of further families, by canonical name: what a file without metadata is read by. */
  readonly types: Readonly<Record<string, MetricType>>;
  /** Older name → canonical name. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Asked before the general rules. */
  readonly groups: readonly GroupRule[];
  readonly hints: readonly HintRule[];
  /** What makes the server expose its metrics at all: told when it answers with none, with JSON, or with 404. */
  readonly enable: string;
  readonly staticFamilies: readonly StaticRule[];
  /** Labels that name the model. */
  readonly modelLabels: readonly string[];
}
