import { describe, expect, it } from "vitest";
import type { Activity } from "../../../../src/core/window/activity.js";
import { clockOffset } from "../../../../src/core/window/clock.js";
import { seededRandom } from "../../../support/random.js";

const SECOND = 1e9;
const SCRAPE = 0.333 * SECOND;

/** What a server counted between its scrapes of requests that ended at these times. */
function activityOf(ends: readonly number[], until: number): Activity {
  const edges = Array.from({ length: Math.ceil(until / SCRAPE) + 1 }, (_, i) => i * SCRAPE);
  const intervals = edges.slice(1).map((to, i) => ({ from: edges[i] ?? 0, to }));
  const of = (value: (interval: { from: number; to: number }) => number) => Float64Array.from(intervals, value);
  return {
    known: true,
    scrapes: { times: Float64Array.from(edges), inFlight: new Float64Array(edges.length) },
    pieces: [],
    ended: {
      from: of(({ from }) => from),
      to: of(({ to }) => to),
      count: of(({ from, to }) => ends.filter((end) => end > from && end <= to).length),
    },
  };
}

describe("the clock of a load generator", () => {
  /** A server that runs three requests at a time: they end together, and are counted a moment apart from the client. */
  const slow = (seed: number) => {
    const random = seededRandom(seed);
    const threes = (from: number, requests: number) =>
      Array.from({ length: requests }, (_, i) => from + Math.floor(i / 3) * 0.78 * SECOND);
    const ends = threes(14 * SECOND, 160);
    const late = new Map([...new Set(ends)].map((end) => [end, (0.6 * random() - 0.1) * SECOND]));
    const counted = [...threes(7 * SECOND, 24), ...ends.map((end) => end + (late.get(end) ?? 0))];
    return { ends, activity: activityOf(counted, 60 * SECOND) };
  };

  it("is right where requests are few, end together and are counted a moment late", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { ends, activity } = slow(seed);
      expect(clockOffset(activity, ends, false)).toEqual({ offset: 0, said: false });
    }
  });

  it("has nothing in common with a run of another load", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const burst = Array.from({ length: 160 }, (_, i) => 20 * SECOND + i * 0.02 * SECOND);
      expect(clockOffset(slow(seed).activity, burst, false)).toBeUndefined();
    }
  });
});
