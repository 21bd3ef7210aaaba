import type { Rule } from "../rule.js";
import type { RuleHit } from "../types.js";
import { clientBound } from "./client-bound.js";
import { errors, restart } from "./failures.js";
import { ignoredFlag } from "./ignored-flag.js";
import { imbalance } from "./imbalance.js";
import { kvPressure, preemption, stuckKvLoads } from "./kv-cache.js";
import { memoryGrowth, throttled } from "./machine.js";
import { coarseBuckets, fewObservations, tail } from "./percentiles.js";
import { shortPool, transferBound } from "./pools.js";
import { lowPrefixHits, prefillInterference } from "./prefill.js";
import { queueBound, saturated } from "./queue.js";
import { coarseInterval, frozen, gap } from "./scrapes.js";
import { warmUpShort } from "./warm-up-short.js";

/** All that is looked for, in the order in which ties are shown. The ids are stable: files and scripts name them. */
export const RULES = [
  ["restart", restart],
  ["errors", errors],
  ["ignored-flag", ignoredFlag],
  ["kv-pressure", kvPressure],
  ["preemption", preemption],
  ["short-pool", shortPool],
  ["saturated", saturated],
  ["transfer-bound", transferBound],
  ["queue-bound", queueBound],
  ["prefill-interference", prefillInterference],
  ["imbalance", imbalance],
  ["throttled", throttled],
  ["stuck-kv-loads", stuckKvLoads],
  ["memory-growth", memoryGrowth],
  ["client-bound", clientBound],
  ["tail", tail],
  ["low-prefix-hits", lowPrefixHits],
  ["warm-up-short", warmUpShort],
  ["gap", gap],
  ["frozen", frozen],
  ["coarse-buckets", coarseBuckets],
  ["coarse-interval", coarseInterval],
  ["few-observations", fewObservations],
] as const satisfies readonly (readonly [id: string, rule: Rule])[];

export type FindingId = (typeof RULES)[number][0];

/** A rule's hits as one statement about the run, the weightiest endpoint first. */
export interface Finding extends RuleHit {
  readonly id: FindingId;
  readonly title: string;
  /** What to try. */
  readonly advice: string;
}
