import type { Rule } from "../rule.js";
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

/** All that is looked for, in the order in which ties are shown. */
export const RULES: readonly Rule[] = [
  restart,
  errors,
  ignoredFlag,
  kvPressure,
  preemption,
  shortPool,
  saturated,
  transferBound,
  queueBound,
  prefillInterference,
  imbalance,
  throttled,
  stuckKvLoads,
  memoryGrowth,
  clientBound,
  tail,
  lowPrefixHits,
  warmUpShort,
  gap,
  frozen,
  coarseBuckets,
  coarseInterval,
  fewObservations,
];
