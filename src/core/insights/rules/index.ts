import type { Rule } from "../rule.js";
import type { RuleHit } from "../types.js";
import { clientBound } from "./client-bound.js";
import { coarseBuckets } from "./coarse-buckets.js";
import { coarseInterval } from "./coarse-interval.js";
import { errors } from "./errors.js";
import { fewObservations } from "./few-observations.js";
import { frozen } from "./frozen.js";
import { gap } from "./gap.js";
import { ignoredFlag } from "./ignored-flag.js";
import { imbalance } from "./imbalance.js";
import { kvPressure } from "./kv-pressure.js";
import { lowPrefixHits } from "./low-prefix-hits.js";
import { memoryGrowth } from "./memory-growth.js";
import { prefillInterference } from "./prefill-interference.js";
import { preemption } from "./preemption.js";
import { queueBound } from "./queue-bound.js";
import { restart } from "./restart.js";
import { saturated } from "./saturated.js";
import { shortPool } from "./short-pool.js";
import { stuckKvLoads } from "./stuck-kv-loads.js";
import { tail } from "./tail.js";
import { throttled } from "./throttled.js";
import { transferBound } from "./transfer-bound.js";
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
