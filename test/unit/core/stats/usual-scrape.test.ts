import { describe, expect, it } from "vitest";
import { endpointInfo } from "../../../../src/core/stats/index.js";
import { sparseProblem } from "../../../../src/stores/prometheus/stored-run.js";
import { ar1, compareTwo } from "../../../support/compare-truth.js";
import { seeded } from "../../../support/histogram-simulation.js";
import { RunBuilder } from "../../../support/run-builder.js";

/** A run with scrapes at these seconds, in this order; those of `failed` failed. */
function scrapedAt(seconds: readonly number[], failed: readonly number[] = []) {
  const builder = new RunBuilder();
  for (const second of seconds)
    builder.scrape(
      second,
      failed.includes(second) ? "failed" : [{ name: "up_since", type: "gauge", value: second % 7 }],
    );
  return builder.window(Math.min(...seconds), Math.max(...seconds)).run;
}

function usual(seconds: readonly number[], failed: readonly number[] = []): number | undefined {
  const { store } = scrapedAt(seconds, failed);
  const [axis] = store.endpoints;
  const interval = axis === undefined ? undefined : endpointInfo(axis, store.origin)?.median_fetch_interval_ms;
  return interval === undefined ? undefined : interval / 1000;
}

describe("the usual time between scrapes", () => {
  it("is the same whatever order they came in, and a pause does not change it", () => {
    expect(usual([0, 15, 30, 45, 145, 160])).toBe(15);
    expect(usual([45, 0, 160, 30, 15, 145])).toBe(15);
  });

  it("is between those that succeeded", () => {
    expect(usual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 4, 5, 7, 8])).toBe(3);
  });

  it("needs two of them", () => {
    expect(usual([10])).toBeUndefined();
    expect(usual([0, 30, 60], [30, 60])).toBeUndefined();
    expect(usual([0, 30])).toBe(30);
  });

  it("is what a run of a store is called sparse by", () => {
    expect(sparseProblem(scrapedAt([60, 0, 30, 90]))?.reason).toContain("are 30 s apart");
    expect(sparseProblem(scrapedAt([0, 1, 2, 3, 4, 5], [1, 2, 4]))?.reason).toContain("are 3 s apart");
    expect(sparseProblem(scrapedAt([0, 1, 2]))).toBeUndefined();
    expect(sparseProblem(scrapedAt([0]))).toBeUndefined();
  });
});

const SECONDS = 900;
const GAUGE = "vllm:num_requests_running";
const HISTOGRAM = "vllm:e2e_request_latency_seconds";

/** A server whose load drifts, scraped every so many seconds: a gauge, and a histogram of two requests a second. */
function drifting(seed: number, interval: number) {
  const builder = new RunBuilder();
  const load = ar1(seeded(seed), SECONDS + 1, 0.3).map((x) => 20 + 4 * x);
  let [fast, sum] = [0, 0];
  for (let second = 0; second <= SECONDS; second++) {
    fast += (load[second] ?? 0) < 20 ? 2 : 0;
    sum += (load[second] ?? 0) / 5;
    const count = 2 * (second + 1);
    if (second % interval === 0)
      builder.scrape(second, [
        { name: GAUGE, value: load[second] ?? 0 },
        { name: HISTOGRAM, buckets: { "2": fast, "+Inf": count }, sum, count },
      ]);
  }
  return builder.window(interval, SECONDS).run;
}

describe("what is said of sparse scrapes", () => {
  const seeds = [1, 2, 3, 4, 5, 6];
  /** Half of the interval of a difference between averages, as a share: the median over pairs of such runs. */
  const width = (family: string, interval: number) =>
    median(
      seeds.flatMap((seed) => {
        const { rows } = compareTwo(drifting(seed, interval), drifting(seed + 100, interval));
        const cell = rows.find((row) => row.family === family && row.quantity === "avg")?.cells[0];
        return cell === undefined ? [] : [(cell.shareHigh - cell.shareLow) / 2];
      }),
    );

  it("is by how much averages of gauges must differ, as comparisons find it", () => {
    const said = median(
      seeds.map((seed) => {
        const reason = sparseProblem(drifting(seed, 15))?.reason ?? "";
        return Number(
          /averages of vllm:num_requests_running in two such runs must differ by some ([\d.]+) %/.exec(reason)?.[1],
        );
      }),
    );
    const found = 100 * width(GAUGE, 15);
    expect(said / found).toBeGreaterThan(0.6);
    expect(said / found).toBeLessThan(1.7);
  });

  it("is that averages of histograms lose nothing, and gauges do", () => {
    const histograms = width(HISTOGRAM, 15) / width(HISTOGRAM, 1);
    const gauges = width(GAUGE, 15) / width(GAUGE, 1);
    expect(Math.abs(Math.log(histograms))).toBeLessThan(Math.log(1.4));
    expect(gauges).toBeGreaterThan(2);
  });
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}
