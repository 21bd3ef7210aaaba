import type { Direction } from "../catalog/index.js";
import type { Difference } from "./difference.js";
import type { Verdict } from "./types.js";

export const FALSE_DISCOVERY_RATE = 0.05;
/** Below this many independent values a run says too little about itself. */
export const FEWEST_EFFECTIVE = 10;

/**
 * Below this many slices nobody can tell how much they depend on each other, and so how many they are worth: of
 * simulated metrics that do not differ (correlation 0.8) that seem to be worth 10, 32 % are significant from 10 slices,
 * 15 % from 20, 9 % from 30.
 */
export const FEWEST_SLICES = 25;

export interface Judged {
  readonly verdict: Verdict;
  readonly reason?: string;
}

export interface Evidence {
  readonly share: number;
  readonly shareLow: number;
  readonly shareHigh: number;
  readonly adjustedP: number;
}

/** Can it be judged at all? The reason why not; undefined when it can. */
export function obstacle({
  basis,
  slices,
  effective,
}: Pick<Difference, "basis" | "slices" | "effective">): string | undefined {
  if (basis === "between-runs") return undefined;
  if (slices < FEWEST_SLICES)
    return `there are only ${slices} slices, and it takes ${FEWEST_SLICES} to tell how much they vary`;
  if (effective >= FEWEST_EFFECTIVE) return undefined;
  const worth = Math.max(1, Math.floor(effective));
  return `the slices are worth only ${worth} independent ${worth === 1 ? "one" : "ones"}`;
}

/**
 * A difference counts when it is significant after adjustment and at least as large as the threshold; it is ruled out
 * when the whole interval lies within the threshold.
 */
export function judge(
  { share, shareLow, shareHigh, adjustedP }: Evidence,
  threshold: number,
  direction: Direction,
): Judged {
  if (adjustedP <= FALSE_DISCOVERY_RATE && Math.abs(share) >= threshold) {
    if (direction === "neutral") return { verdict: "differs" };
    return { verdict: share > 0 === (direction === "up") ? "better" : "worse" };
  }
  return { verdict: shareLow >= -threshold && shareHigh <= threshold ? "same" : "no-evidence" };
}
