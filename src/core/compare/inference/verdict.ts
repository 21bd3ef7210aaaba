import type { Direction } from "../../catalog/index.js";
import type { Verdict } from "../types.js";

export const FALSE_DISCOVERY_RATE = 0.05;

export interface TestedShare {
  readonly share: number;
  readonly shareLow: number;
  readonly shareHigh: number;
  readonly adjustedP: number;
}

/**
 * A difference counts when it is significant after adjustment and at least as large as the threshold; it is ruled out
 * when the whole interval lies within the threshold.
 */
export function judge(
  { share, shareLow, shareHigh, adjustedP }: TestedShare,
  threshold: number,
  direction: Direction,
): { readonly verdict: Verdict; readonly reason?: string } {
  if (adjustedP <= FALSE_DISCOVERY_RATE && Math.abs(share) >= threshold) {
    if (direction === "neutral") return { verdict: "differs" };
    return { verdict: share > 0 === (direction === "up") ? "better" : "worse" };
  }
  return { verdict: shareLow >= -threshold && shareHigh <= threshold ? "same" : "no-evidence" };
}
