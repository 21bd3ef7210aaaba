import { canonicalName, conceptOf, holdsConcepts } from "../catalog/index.js";
import type { Family } from "../model/index.js";
import { isPhase } from "./attribution.js";
import { isLength } from "./rules/lengths.js";
import { isReport } from "./rules/ignored-flag.js";
import { isQueueByReason } from "./rules/load.js";
import { isMemory } from "./rules/memory-growth.js";
import { isKvFetch } from "./rules/stuck-kv-loads.js";
import { isTransferSize } from "./pools.js";
import { isStageQueue } from "./rules/short-pool.js";
import { isThrottling } from "./rules/throttled.js";
import { isTransfer } from "./rules/transfer-bound.js";

const USED_BY_RULES: readonly ((canonical: string) => boolean)[] = [
  holdsConcepts,
  isPhase,
  isLength,
  isReport,
  isMemory,
  isKvFetch,
  isQueueByReason,
  isThrottling,
  isTransfer,
  isTransferSize,
  isStageQueue,
];

/** Whether a rule may ask for a family: the rest of a large run need not be computed for findings. */
export function isUsedByFindings({ name, type }: Pick<Family, "name" | "type">): boolean {
  if (type === "counter" || conceptOf(name) !== undefined) return true;
  const canonical = canonicalName(name);
  return USED_BY_RULES.some((test) => test(canonical));
}
