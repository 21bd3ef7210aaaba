import { positionOf } from "../store/window.js";

/**
 * The bounds that several histograms share, by value ("1.0" and "1" are the same bound).
 * Empty when fewer than two finite ones are shared, which is too few for percentiles.
 * @param layouts upper bounds, ascending
 */
export function sharedUppers(layouts: readonly Float64Array[]): Float64Array {
  const [first = new Float64Array(0)] = layouts;
  const shared = first.filter((upper) => layouts.every((layout) => positionOf(layout, upper) >= 0));
  return shared.length >= 3 ? shared : new Float64Array(0);
}
