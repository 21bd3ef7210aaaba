import type { Viewport } from "../state/run-store.js";
import type { ChartModel } from "./drawing.js";

/** A stretch of the axis that statistics leave out. Seconds from the start of profiling. */
export interface Stretch {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** Why it is left out: "warm-up". */
  readonly text: string;
}

/** Where things begin and end, as charts have it. */
export type Times = Pick<ChartModel, "axis" | "whole" | "captureStart" | "idleUntil" | "profilingEnd" | "window">;

/**
 * Idle parts, warm-up, what came after profiling, and what lies outside of a chosen window, as far as the axis shows
 * them.
 */
export function leftOut({ axis, whole, captureStart, idleUntil, profilingEnd, window }: Times): readonly Stretch[] {
  const all: Stretch[] = [];
  const add = (id: string, from: number, to: number, text: string) => {
    const shown = { id, from: Math.max(from, axis.from), to: Math.min(to, axis.to), text };
    if (shown.to > shown.from) all.push(shown);
  };
  if (idleUntil !== undefined) add("idle", captureStart, idleUntil, "idle");
  add("warmup", idleUntil ?? captureStart, 0, "warm-up");
  if (profilingEnd !== undefined) add("after", profilingEnd, axis.to, idleUntil === undefined ? "after" : "idle");
  if (window !== undefined) {
    add("beforeWindow", Math.max(0, captureStart), window.from, "left out");
    add("afterWindow", window.to, profilingEnd ?? whole.to, "left out");
  }
  return all;
}

/** Times at which profiling or a chosen window begins or ends, by what they are. */
export function boundaries({
  axis,
  captureStart,
  profilingEnd,
  window,
}: Times): readonly (readonly [string, number])[] {
  const all: (readonly [string, number])[] = [
    ...(captureStart < 0 ? [["profilingStart", 0] as const] : []),
    ...(profilingEnd !== undefined && profilingEnd < axis.to ? [["profilingEnd", profilingEnd] as const] : []),
    ...(window === undefined ? [] : [["windowStart", window.from] as const, ["windowEnd", window.to] as const]),
  ];
  return all.filter(([, time]) => time >= axis.from && time <= axis.to);
}

/** Those that the axis shows. */
export function within<T extends { readonly time: number }>(all: readonly T[], { from, to }: Viewport): readonly T[] {
  return all.filter(({ time }) => time >= from && time <= to);
}

/** A stretch narrower than this has no room for its word. */
const MIN_SHARE = 0.12;

export function hasRoom({ from, to }: Stretch, { axis }: Pick<Times, "axis">): boolean {
  return (to - from) / (axis.to - axis.from) > MIN_SHARE;
}
