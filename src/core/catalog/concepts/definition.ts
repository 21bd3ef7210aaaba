import type { DerivedMetric, Direction, KeyStatistic, ServerId } from "../definition.js";

export type ConceptId =
  | "ttft"
  | "inter-token-latency"
  | "e2e-latency"
  | "queue-time"
  | "running"
  | "waiting"
  | "kv-usage"
  | "prefix-hit-rate"
  | "prompt-tokens"
  | "generation-tokens"
  | "finished"
  | "preempted";

/** What one server exposes of a concept: a family, or a metric derived from several. */
export interface ConceptMember {
  readonly server: ServerId;
  /** Canonical name. */
  readonly family?: string;
  readonly derived?: DerivedMetric;
  /** What the server means by it. Members of one definition mean the same. */
  readonly definition: string;
  /** What one value stands for. Values of different things are never compared with each other. */
  readonly of: string;
  /** What it counts besides: of running requests those that wait, of waiting ones those whose prompt is computed. */
  readonly holds: "waiting" | "prefill" | undefined;
}

/** One quantity, whatever the engine calls it. */
export interface Concept {
  readonly id: ConceptId;
  readonly title: string;
  readonly unit: string;
  readonly direction: Direction;
  readonly statistic: KeyStatistic;
  /** Of one server the best first. */
  readonly members: readonly ConceptMember[];
}

/** A concept that a server tells in the series with one label of a family that holds several quantities. */
export interface ConceptSeries {
  readonly concept: ConceptId;
  /** Canonical name. */
  readonly family: string;
  readonly label: readonly [name: string, value: string];
}
