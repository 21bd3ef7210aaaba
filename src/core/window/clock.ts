import { sum } from "../math/index.js";
import type { Activity } from "./activity.js";

/** A clock that fits this much worse than another offset is wrong. */
const CLEARLY = 0.2;
/** Shares of the requests that may lie elsewhere where two clocks agree. */
const FITS = 0.6;
/** Ends in a joined interval on average. */
const SEVERAL = 8;
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
  if (ended.count.length === 0 || ends.length === 0) return { offset: 0, said: false };
  const coarse = bestOffset(joined(ended), ends);
  for (const { best, distance } of [bestOffset(ended, ends), coarse]) {
    if (best.distance > FITS) continue;
    const { offset } = best;
    // Where the clock itself is unknown, long intervals do not tell it closely enough.
    if (ownClock) return best === coarse.best ? undefined : { offset, said: false };
    // Among many offsets short intervals agree at some by chance, the long ones do not there.
    const isBetter =
      distance(0) - best.distance > CLEARLY && coarse.distance(0) - coarse.distance(offset) > CLEARLY / 2;
    if (isBetter) return { offset, said: true };
    if (Math.min(distance(0), coarse.distance(0)) <= FITS) return { offset: 0, said: false };
  }
  return undefined;
}

type Ended = Activity["ended"];

/**
 * Neighbouring intervals as one, so that each holds several ends on average. Of a server that finishes a request a
 * scrape, one that is counted a moment late lies in the next interval, and the shares of hardly any agree.
 */
function joined({ from, to, count }: Ended): Ended {
  const total = sum(count);
  const length = Math.max(1, Math.ceil((SEVERAL * count.length) / total));
  const starts = Array.from({ length: Math.ceil(count.length / length) }, (_, i) => i * length);
  return {
    from: Float64Array.from(starts, (at) => from[at] ?? 0),
    to: Float64Array.from(starts, (at) => to[Math.min(at + length, to.length) - 1] ?? 0),
    count: Float64Array.from(starts, (at) => sum(count.subarray(at, at + length))),
  };
}

/** How far the shares are apart at an offset, and where they agree most. */
function bestOffset(ended: Ended, ends: readonly number[]) {
  const [first = 0, last = 0] = [ends[0], ends.at(-1)];
  const intervals = ended.count.length;
  const total = sum(ended.count);
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
  return { best, distance };
}
