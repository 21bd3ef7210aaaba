import { describe, expect, it } from "vitest";
import { comparePairs, compareTwo, decidedRows, recordedDemo } from "../../../support/compare-truth.js";

/** Reduced from the bench `compare-truth`. */
describe("comparisons of runs whose truth is known", () => {
  it("do not cry wolf where nothing changed and the naive test does", { timeout: 60_000 }, () => {
    const { tallies, naiveAlarms, gauges } = comparePairs(
      { slices: 120, rho: 0.8, cv: 0.05, gauges: 40, counters: 10, histograms: 6 },
      8,
    );
    expect(naiveAlarms / gauges).toBeGreaterThan(0.3);
    let [rows, alarms, significant] = [0, 0, 0];
    for (const tally of tallies.values()) {
      rows += tally.rows;
      alarms += tally.alarms;
      significant += tally.significant;
    }
    expect([...tallies.keys()].sort()).toEqual([
      "counter rate",
      "gauge avg",
      "histogram avg",
      "histogram p50",
      "histogram p90",
      "histogram p99",
    ]);
    expect(rows).toBe(8 * (40 + 10 + 24));
    expect(alarms / rows).toBeLessThanOrEqual(0.02);
    // Even each row by itself nearly keeps what it promises.
    expect(significant / rows).toBeLessThanOrEqual(0.08);
  });

  it("find a change of 10 % in correlated slices", { timeout: 60_000 }, () => {
    const { tallies } = comparePairs(
      { slices: 300, rho: 0.8, cv: 0.05, gauges: 10, counters: 4, histograms: 4, change: 0.1 },
      5,
      100,
    );
    const found = (key: string) => (tallies.get(key)?.alarms ?? 0) / (tallies.get(key)?.rows ?? 1);
    for (const key of ["gauge avg", "counter rate", "histogram avg", "histogram p50"])
      expect(found(key), key).toBeGreaterThanOrEqual(0.9);
  });

  it("tell demo runs of another seed from runs with fewer KV blocks", { timeout: 600_000 }, async () => {
    const options = { durationSeconds: 720, intervalMs: 2000 };
    const [a, b, small] = [
      await recordedDemo({ ...options, seed: 1 }),
      await recordedDemo({ ...options, seed: 2 }),
      await recordedDemo({ ...options, seed: 3, kvBlocks: 1300 }),
    ];
    const seeds = compareTwo(a, b);
    expect(seeds.rows.length).toBeGreaterThan(80);
    expect(decidedRows(seeds).length).toBeLessThanOrEqual(0.02 * seeds.rows.length);
    const blocks = compareTwo(a, small);
    const worse = blocks.rows.filter(({ cells }) => cells[0]!.verdict === "worse").map(({ family }) => family);
    const leading = [
      "vllm:num_requests_waiting",
      "vllm:request_queue_time_seconds",
      "vllm:time_to_first_token_seconds",
      "vllm:num_preemptions",
    ];
    expect(worse).toEqual(expect.arrayContaining(leading));
    expect([...leading, "vllm:request_num_preemptions"]).toContain(blocks.rows[0]!.family);
    expect(blocks.configuration).toContainEqual({
      source: "server",
      name: "vllm:cache_config_info num_gpu_blocks",
      values: ["2200", "1300"],
    });
  });
});
