import type { Viewport } from "../state/run-store.js";

/** A closer look shows nothing more: scrapes are not taken this often. Seconds. */
const MIN_SPAN = 0.5;

/** A stretch moved, and if need be cut, to lie within the run; undefined when it is all of it. */
export function bounded({ from, to }: Viewport, whole: Viewport): Viewport | undefined {
  const length = whole.to - whole.from;
  const span = Math.max(Math.min(MIN_SPAN, length), to - from);
  // What is left out is less than can be seen.
  if (span >= length * (1 - 1e-6)) return undefined;
  const start = Math.min(whole.to - span, Math.max(whole.from, from));
  return { from: start, to: start + span };
}

/** Multiplies the span shown around its middle; < 1 looks closer. */
export function zoomed({ from, to }: Viewport, factor: number, whole: Viewport): Viewport | undefined {
  const least = Math.min(1, MIN_SPAN / (to - from));
  const scale = Math.max(least, factor);
  const [middle, half] = [(from + to) / 2, ((to - from) * scale) / 2];
  return bounded({ from: middle - half, to: middle + half }, whole);
}

/** Moves the span by a share of itself. */
export function panned({ from, to }: Viewport, share: number, whole: Viewport): Viewport | undefined {
  const shift = (to - from) * share;
  return bounded({ from: from + shift, to: to + shift }, whole);
}

/** What a key does to the stretch shown (`next` undefined: the whole run). Undefined: not a key of ours. */
export function keyedViewport(
  key: string,
  axis: Viewport,
  whole: Viewport,
): { readonly next: Viewport | undefined } | undefined {
  const keys: { readonly [key: string]: { readonly next: Viewport | undefined } } = {
    "+": { next: zoomed(axis, 0.5, whole) },
    "=": { next: zoomed(axis, 0.5, whole) },
    "-": { next: zoomed(axis, 2, whole) },
    ArrowLeft: { next: panned(axis, -0.2, whole) },
    ArrowRight: { next: panned(axis, 0.2, whole) },
    "0": { next: undefined },
  };
  return keys[key];
}
