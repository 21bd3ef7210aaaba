import type { Activity } from "./activity.js";

/** A clock that fits this much worse than another offset is wrong. */
const CLEARLY = 0.2;
/** Shares of the requests that may lie elsewhere where two clocks agree. */
const FITS = 0.6;
/** Offsets that are tried: one for each scrape that shows an end, of more an even choice. */
const MAX_TRIED = 400;

/**
 * What is to be added to the load generator's clock (ns): nothing, unless the ends of its requests fit the servers'
 * counters much better elsewhere, or its clock is not the wall clock.
 *
 * Two distributions are compared, of the ends that servers counted over their intervals and of the client's over the
 * same: half the sum of the absolute differences of their shares (total variation). It does not depend on how many
 * servers behind one another count a request.
 * @param ends of the client's requests, ascending, as offsets of the run
 * @returns undefined where the two have nothing in common at any offset: the file is not of this run
 */
export function clockOffset(
  { ended }: Activity,
  ends: readonly number[],
  ownClock: boolean,
): { readonly offset: number; readonly said: boolean } | undefined {
  const [first, last] = [ends[0], ends.at(-1)];
  const intervals = ended.count.length;
  if (intervals === 0 || first === undefined || last === undefined) return { offset: 0, said: false };
  const total = ended.count.reduce((sum, count) => sum + count, 0);
  const distance = (offset: number) => {
    let at = 0;
    let apart = 0;
    let inside = 0;
    for (let i = 0; i < intervals; i++) {
      while (at < ends.length && (ends[at] ?? 0) + offset <= (ended.from[i] ?? 0)) at++;
      const before = at;
      while (at < ends.length && (ends[at] ?? 0) + offset <= (ended.to[i] ?? 0)) at++;
      inside += at - before;
      apart += Math.abs((ended.count[i] ?? 0) / total - (at - before) / ends.length);
    }
    return (apart + (ends.length - inside) / ends.length) / 2;
  };
  let best = { offset: 0, distance: distance(0) };
  const asRecorded = best.distance;
  const consider = (offset: number) => {
    const candidate = { offset, distance: distance(offset) };
    if (candidate.distance < best.distance) best = candidate;
  };
  const step = Math.max(1, Math.ceil(intervals / MAX_TRIED));
  for (let i = 0; i < intervals; i += step) {
    const middle = ((ended.from[i] ?? 0) + (ended.to[i] ?? 0)) / 2;
    consider(middle - first);
    consider(middle - last);
  }
  const length = (ended.to[0] ?? 0) - (ended.from[0] ?? 0);
  const around = best.offset;
  if (around !== 0) for (let tenth = -15; tenth <= 15; tenth++) consider(around + (tenth * length) / 10);
  if (best.distance > FITS) return undefined;
  if (ownClock) return { offset: best.offset, said: false };
  return asRecorded - best.distance > CLEARLY ? { offset: best.offset, said: true } : { offset: 0, said: false };
}
