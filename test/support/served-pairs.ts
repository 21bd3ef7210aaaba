import { PERCENTILES } from "../../src/core/model/index.js";
import { endpointWindow, histogramStatistics, recordedWindow } from "../../src/core/stats/index.js";
import type { Run } from "../../src/core/store/index.js";
import { compareTwo } from "./compare-truth.js";
import { simulateServing, type ServerOptions, type Truth } from "./simulated-serving.js";

/** Servers under loads of their own. */
export const WORKLOADS: Readonly<Record<string, ServerOptions>> = {
  client: { rate: 5, clientNoise: 0.25, base: 0.02, slope: 0.02, prefill: 0 },
  steady: { rate: 4 },
  closed: { users: 24, prompt: [800, 0.4], answer: [200, 0.3] },
  ramp: { rate: 7, load: (time) => 0.3 + 0.7 * time },
  sglang: { server: "sglang", rate: 5, load: (time) => (Math.floor(time * 8) % 2 === 1 ? 1 : 0.4) },
  trt: { server: "trtllm", rate: 5, clientNoise: 0.15 },
};

interface Share {
  hits: number;
  of: number;
}

export interface ServedPairs {
  /** Rows of equal servers that were called different. */
  readonly alarms: Share;
  /** By quantity: intervals of differences that hold what the servers really did. */
  readonly covered: ReadonlyMap<string, Share>;
  /** By "30 avg" and the like: rows of token latencies of slower servers that were found worse. */
  readonly found: ReadonlyMap<string, Share>;
  /** Average and median of token latencies of the closed loop, 10 % slower. */
  readonly closed: Share;
  /** By quantity, of percentiles: errors of differences in shares of the true baseline, beside those of linear ones. */
  readonly errors: ReadonlyMap<string, { readonly ours: number[]; readonly linear: number[] }>;
}

/** A run, and what was really observed in it by family. */
export interface ServedRun {
  readonly run: Run;
  readonly truth: ReadonlyMap<string, Pick<Truth, "mean" | "p50" | "p90" | "p99">>;
}

/** By how many percent steps of a workload's runs are slower than those of its first. */
export const SLOWER = [0, 0, 10, 30];

/** Compares each workload with itself again, and with steps that are 10 and 30 % slower. */
export function servedPairs(
  seeds: readonly number[],
  workloads: readonly string[] = Object.keys(WORKLOADS),
  scraping: Pick<ServerOptions, "interval" | "seconds"> = {},
): ServedPairs {
  const scores = new PairScores();
  for (const seed of seeds) {
    for (const [w, name] of workloads.entries()) {
      const options = WORKLOADS[name] ?? {};
      const runs = SLOWER.map((percent, i) =>
        simulateServing(seed + 100 * w + i, {
          ...options,
          ...scraping,
          base: (options.base ?? 0.012) * (1 + percent / 100),
          slope: (options.slope ?? 0.014) * (1 + percent / 100),
        }),
      );
      scores.add(name, runs);
    }
  }
  return scores;
}

/** Scores of comparisons whose truth is known. */
export class PairScores implements ServedPairs {
  readonly alarms: Share = { hits: 0, of: 0 };
  readonly closed: Share = { hits: 0, of: 0 };
  readonly covered = new Map<string, Share>();
  readonly found = new Map<string, Share>();
  readonly errors = new Map<string, { readonly ours: number[]; readonly linear: number[] }>();

  /** Compares the first run of a workload with the others, whose steps are slower by `SLOWER`. */
  add(workload: string, runs: readonly ServedRun[]): void {
    const [first, ...others] = runs;
    if (first === undefined) return;
    const linear = new Map(runs.map(({ run }) => [run, linearPercentiles(run)]));
    for (const [i, other] of others.entries()) {
      const percent = SLOWER[i + 1] ?? 0;
      for (const { family, quantity, cells } of compareTwo(first.run, other.run).rows) {
        const [before, after] = [first.truth.get(family), other.truth.get(family)];
        const [cell] = cells;
        if (before === undefined || after === undefined || cell === undefined) continue;
        const key = quantity === "avg" ? "mean" : quantity;
        if (key !== "mean" && key !== "p50" && key !== "p90" && key !== "p99") continue;
        const difference = after[key] - before[key];
        const place = `${family} ${quantity}`;
        const plain = (linear.get(other.run)?.get(place) ?? NaN) - (linear.get(first.run)?.get(place) ?? NaN);
        if (key !== "mean" && Number.isFinite(cell.difference) && before[key] > 0) {
          const own = this.errors.get(quantity) ?? { ours: [], linear: [] };
          this.errors.set(quantity, own);
          own.ours.push(Math.abs(cell.difference - difference) / before[key]);
          own.linear.push(Math.abs(plain - difference) / before[key]);
        }
        if (Number.isFinite(cell.low) && Number.isFinite(cell.high)) {
          const slack = 1e-9 * Math.abs(difference) + 1e-12;
          tally(this.covered, quantity, cell.low - slack <= difference && difference <= cell.high + slack);
        }
        if (percent === 0) count(this.alarms, ["worse", "better", "differs"].includes(cell.verdict));
        else if (/inter_token|per_output/.test(family)) {
          tally(this.found, `${percent} ${quantity}`, cell.verdict === "worse");
          if (workload === "closed" && percent === 10 && (quantity === "avg" || quantity === "p50"))
            count(this.closed, cell.verdict === "worse");
        }
      }
    }
  }
}

/** Linear estimates of a run's histograms, by family and quantity: "p50", "p90" and the like. */
function linearPercentiles(run: Run): ReadonlyMap<string, number> {
  return new Map(
    [...run.store.seriesKeys()].flatMap(({ id, endpointUrl, family }) => {
      const samples = run.store.read(id);
      const axis = run.store.endpoint(endpointUrl);
      if (samples.kind !== "histogram" || axis === undefined) return [];
      const window = endpointWindow(run, axis, recordedWindow(run), 5);
      const estimates = histogramStatistics(samples, window, run.store.origin)?.estimates ?? [];
      return estimates.map(({ linear }, i) => [`${family.name} p${PERCENTILES[i] ?? NaN}`, linear] as const);
    }),
  );
}

function tally(shares: Map<string, Share>, key: string, hit: boolean): void {
  const share = shares.get(key) ?? { hits: 0, of: 0 };
  shares.set(key, share);
  count(share, hit);
}

function count(share: Share, hit: boolean): void {
  share.of++;
  share.hits += Number(hit);
}
