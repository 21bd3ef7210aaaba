import { describe, expect, it } from "vitest";
import { boundText } from "../../../../src/core/model/index.js";
import { risesOf, sparseOf, type HistogramTrack, type SparseSequence } from "../../../../src/core/stats/index.js";
import { seededRandom } from "../../../support/random.js";

const UPPERS = [0.1, 0.5, 2, Infinity];

/** Scrapes of a server that is idle at times, restarts, and tears a scrape now and then. */
function trackOf(seed: number, scrapes: number): HistogramTrack {
  const random = seededRandom(seed);
  const buckets = UPPERS.map(() => new Float64Array(scrapes));
  const counts = new Float64Array(scrapes);
  const state = UPPERS.map(() => 0);
  for (let i = 0; i < scrapes; i++) {
    if (random() < 0.01) state.fill(0);
    let added = 0;
    for (let b = 0; b < UPPERS.length; b++) {
      added += random() < 0.6 ? 0 : Math.floor(random() * 4);
      state[b] = (state[b] ?? 0) + added;
      buckets[b]?.set([(state[b] ?? 0) + (random() < 0.01 ? 2 : 0)], i);
    }
    counts[i] = state[UPPERS.length - 1] ?? 0;
  }
  return {
    boundsChanged: false,
    unborn: 0,
    bounds: UPPERS.map((upper) => boundText(String(upper))),
    uppers: Float64Array.from(UPPERS),
    times: Float64Array.from({ length: scrapes }, (_, i) => i * 1e9),
    counts,
    sums: counts.map((count) => count / 3),
    buckets,
  };
}

/** With empty cells, `[b][i]`. */
function cellsOf({ entries: { start, bucket, count, totals }, sums }: SparseSequence): number[][] {
  const cells = Array.from(totals, () => new Array<number>(sums.length).fill(0));
  for (let i = 0; i < sums.length; i++)
    for (let e = start[i] ?? 0; e < (start[i + 1] ?? 0); e++) {
      if (e > (start[i] ?? 0)) expect(bucket[e]).toBeGreaterThan(bucket[e - 1] ?? NaN);
      cells[bucket[e] ?? 0]?.splice(i, 1, count[e] ?? NaN);
    }
  expect(count).not.toContain(0);
  return cells;
}

describe("rises of a histogram without empty cells", () => {
  it.each([0, 1, 2, 100, 129, 257, 1000])("are those with them, over %i scrapes with restarts", (scrapes) => {
    for (const seed of [1, 2, 3]) {
      const rises = risesOf(trackOf(seed, scrapes));
      const { sequence } = rises;
      for (const { uppers, times, sums, entries } of [rises.sparse(), sparseOf(sequence)]) {
        expect({ uppers, times, sums }).toEqual({
          uppers: sequence.uppers,
          times: sequence.times,
          sums: sequence.sums,
        });
        const truth = sequence.counts.map((bucket) => [...bucket]);
        expect(cellsOf({ uppers, times, sums, entries })).toEqual(truth);
        expect([...entries.totals]).toEqual(truth.map((bucket) => bucket.reduce((sum, n) => sum + n, 0)));
      }
    }
  });
});
