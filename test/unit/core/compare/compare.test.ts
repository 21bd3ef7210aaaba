import { describe, expect, it } from "vitest";
import { compareRuns, type Comparison, type RunSet } from "../../../../src/core/compare/index.js";
import type { RunStatistics } from "../../../../src/core/model/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { built, cellOf, compared, distinct, noisy, samplesOf, set, statisticsOf } from "../../../support/comparing.js";

describe("what is compared", () => {
  const level = (mean: number, seed: number, options: { seconds?: number; warmup?: number } = {}) =>
    distinct(built(noisy("app:level", mean), { seed, ...options }));

  it("takes sets of repeats by their spread, and says so", () => {
    const sets = complete(
      compareRuns(set("A", level(100, 1), level(104, 2), level(96, 3)), [set("B", level(130, 4), level(126, 5))]),
    );
    expect(cellOf(sets, "app:level")).toMatchObject({ basis: "between-runs", effective: 5, verdict: "differs" });
    expect(sets.rows[0]!.baseline.value).toBeCloseTo(100, 0);
    expect(sets.method.notes[0]).toMatch(/spread between runs/);
    // Slices would be sure of this; repeats know better.
    const noise = complete(
      compareRuns(set("A", level(100, 1), level(110, 2)), [set("B", level(106, 4), level(112, 5))]),
    );
    expect(cellOf(noise, "app:level")?.verdict).toBe("no-evidence");
    expect(compared(level(1, 1), level(1, 2)).method.notes[0]).toMatch(/Run-to-run variation is unknown/);
  });

  it("compares one baseline with several candidates, a column each", () => {
    const comparison = complete(
      compareRuns(set("A", level(100, 1)), [set("B", level(100, 2)), set("C", level(150, 3))]),
    );
    expect(comparison.rows[0]!.cells.map(({ verdict }) => verdict)).toEqual(["same", "differs"]);
    expect(comparison.candidates.map(({ label }) => label)).toEqual(["B", "C"]);
  });

  it("takes runs of other lengths slice by slice of their own, with a warning", () => {
    const comparison = compared(level(100, 1), level(120, 2, { seconds: 200 }));
    expect(cellOf(comparison, "app:level")).toMatchObject({ basis: "slices", verdict: "differs" });
    expect(comparison.warnings.map(({ kind }) => kind)).toContain("length");
  });

  it("judges a run that is being captured once it is half as long, and one that is over when it is a fifth as long", () => {
    const against = (seconds: number, live: boolean, swapped = false) => {
      const [long, short] = [
        set("A", level(100, 1)),
        {
          label: "B",
          runs: [{ ...samplesOf(level(120, 2, { seconds }), "B0"), ...(live ? { live: true as const } : {}) }],
        },
      ];
      const { rows, warnings } = complete(swapped ? compareRuns(short, [long]) : compareRuns(long, [short]));
      return { verdict: rows[0]!.cells[0]!.verdict, length: warnings.find(({ kind }) => kind === "length") };
    };
    const early = against(100, true);
    expect(early.verdict).toBe("cannot-tell");
    expect(early.length).toEqual({
      kind: "length",
      severity: "incomparable",
      candidate: 0,
      message: "B0 has run for 95 s of the 295 s of A0: too early to tell. Verdicts appear once it is half as long.",
    });
    expect(against(100, true, true).verdict).toBe("cannot-tell");
    expect(against(160, true)).toMatchObject({ verdict: "differs", length: { severity: "caution" } });
    // Over in a third of the time: it was faster, or had less to do.
    expect(against(100, false)).toMatchObject({ verdict: "differs", length: { severity: "caution" } });
    expect(against(60, false)).toMatchObject({
      verdict: "cannot-tell",
      length: {
        severity: "incomparable",
        message: "A0 and B0 differ in length: 295 s and 55 s. How the shorter run would have continued is unknown.",
      },
    });
    // A few per cent are nothing to speak of.
    expect(against(285, true)).toEqual({ verdict: "differs", length: undefined });
  });

  it("cuts about 100 slices or more of several scrapes each, fewer from a short run", () => {
    const { slices, sliceSeconds } = compared(level(100, 1), level(100, 2)).baseline.runs[0]!;
    expect(slices).toBe(100);
    expect(sliceSeconds).toBeGreaterThanOrEqual(2.9);
    expect(compared(level(100, 1, { seconds: 1500 }), level(100, 2, { seconds: 1500 })).baseline.runs[0]!.slices).toBe(
      240,
    );
    expect(compared(level(100, 1), level(100, 2), { sliceSeconds: 10 }).baseline.runs[0]!.slices).toBe(29);
  });

  it("uses the slices that statistics carry, pair by pair with those of samples", () => {
    const statistics = (mean: number, seed: number): RunSet => ({
      label: "S",
      runs: [{ kind: "statistics", label: "S", statistics: statisticsOf(level(mean, seed)) }],
    });
    const comparison = complete(compareRuns(statistics(100, 1), [set("B", level(120, 2)), statistics(100, 3)]));
    expect(comparison.rows[0]!.cells.map(({ verdict, basis }) => [verdict, basis])).toEqual([
      ["differs", "paired-slices"],
      ["same", "paired-slices"],
    ]);
    expect(comparison.baseline.runs[0]).toMatchObject({ sliceSeconds: 5, slices: 59 });
  });

  it("shows bare values and cannot tell", () => {
    const bare = (mean: number, seed: number): RunSet => {
      const statistics = complete(runStatistics(level(mean, seed), { unitOf: () => undefined, sliceSeconds: 1000 }));
      const stripped = statistics.families.map((family) => ({
        ...family,
        series: family.series.map((one) => ({ ...one, slices: undefined })),
      }));
      return {
        label: "S",
        runs: [
          {
            kind: "statistics",
            label: "S",
            statistics: { ...statistics, families: stripped } as unknown as RunStatistics,
          },
        ],
      };
    };
    const cell = cellOf(complete(compareRuns(bare(100, 1), [bare(120, 2)])), "app:level")!;
    expect(cell).toMatchObject({ verdict: "cannot-tell", basis: "values" });
    expect(cell.share).toBeCloseTo(0.2, 1);
    expect(cell.p).toBeNaN();
  });

  it("warns of a warm-up that is missing, of other loads, and refuses other servers and the same run", () => {
    const kinds = (comparison: Comparison) => comparison.warnings.map(({ kind, severity }) => `${kind} ${severity}`);
    expect(kinds(compared(level(1, 1, { warmup: 0 }), level(1, 2)))).toEqual(["warm-up caution"]);
    const cold = [3, 4, 5].map((seed) => set(`C${seed}`, distinct(level(1, seed, { warmup: 0 }))));
    expect(complete(compareRuns(set("A", distinct(level(1, 1))), cold)).warnings).toEqual([
      {
        kind: "warm-up",
        severity: "caution",
        message: "C30, C40, C50: warm-up not excluded; the start counts like the rest.",
        runs: ["C30", "C40", "C50"],
      },
    ]);
    const requests = (rate: number, seed: number) =>
      built((second) => [{ name: "vllm:request_success", type: "counter", value: rate * second }], { seed });
    expect(kinds(compared(requests(10, 1), requests(15, 2)))).toEqual(["load caution"]);
    const shared = (name: string, seed: number) =>
      built((s, r) => [...noisy(name, 5)(s, r), ...noisy("process_cpu", 5)(s, r)], { seed });
    const servers = compared(shared("vllm:num_requests_running", 1), shared("sglang:num_grammar_queue_reqs", 2));
    expect(kinds(servers)).toEqual(["servers incomparable"]);
    expect(servers.rows.map(({ cells }) => cells[0]!.verdict)).toEqual(["cannot-tell"]);
    const same = level(1, 1);
    expect(kinds(complete(compareRuns(set("A", same), [set("B", same)])))).toEqual(["same-run incomparable"]);
  });

  it("says that two runs did not do the same work: other models, tokenizers or lengths of prompts", () => {
    const served = (model: string, tokens: number, tokenizer: string, seed: number) => {
      const run = distinct(
        built(
          (s, r) => [
            ...noisy("vllm:num_requests_running", 5, { model_name: model })(s, r),
            {
              name: "vllm:request_prompt_tokens",
              labels: { model_name: model },
              buckets: { "500": s, "+Inf": s },
              sum: tokens * s,
              count: s,
            },
          ],
          { seed },
        ),
      );
      Object.assign(run.metadata, { inputConfig: { tokenizer: { name: tokenizer } } });
      return run;
    };
    const work = (...runs: Parameters<typeof compared>) =>
      compared(...runs).warnings.find(({ kind }) => kind === "work")?.message;
    expect(work(served("a", 100, "t", 1), served("a", 102, "t", 2))).toBeUndefined();
    expect(work(served("a", 100, "t", 1), served("b", 200, "u", 2))).toBe(
      "A0 and B0 did not do the same work: model a and b; tokenizer t and u; prompts of 100 and 200 tokens on average. Differences may come from that.",
    );
  });

  it("says what was configured differently", () => {
    const configured = (config: object, blocks: string, seed: number) => {
      const run = distinct(
        built(
          (s, r) => [
            ...noisy("app:level", 1)(s, r),
            { name: "vllm:cache_config_info", labels: { num_gpu_blocks: blocks, block_size: "16" }, value: 1 },
          ],
          { seed },
        ),
      );
      Object.assign(run.metadata, { inputConfig: config });
      return run;
    };
    const comparison = complete(
      compareRuns(
        set(
          "A",
          configured(
            { endpoint: { model: "a", urls: ["x", "y"] }, same: 1, marks: [{ time_ns: 1n, label: "a" }] },
            "100",
            1,
          ),
        ),
        [set("B", configured({ endpoint: { model: "b", urls: ["x"] }, same: 1 }, "50", 2))],
      ),
    );
    expect(comparison.configuration).toEqual([
      { source: "input_config", name: "endpoint.model", values: ["a", "b"] },
      { source: "input_config", name: "endpoint.urls[1]", values: ["y", null] },
      { source: "server", name: "vllm:cache_config_info num_gpu_blocks", values: ["100", "50"] },
    ]);
    expect(comparison.rows.map(({ family }) => family)).toEqual(["app:level"]);
  });

  it("says where the runs came from where all of them tell it, but for the load of the machine", () => {
    const from = (config: object, seed: number) => {
      const run = distinct(built(noisy("app:level", 1), { seed }));
      Object.assign(run.metadata, { inputConfig: config });
      return run;
    };
    const origin = (commit: string, port: number, settings: object, load: number) => ({
      provenance: {
        git: { commit, branch: "main" },
        servers: { [`http://h:${port}/metrics`]: { version: "1", settings } },
        neighbours: { load_average: load },
      },
    });
    const a = from(origin("aaa", 1, { "cache.block_size": "16", "own.of_a": "1" }, 1), 1);
    const b = from(origin("bbb", 2, { "cache.block_size": "32", "own.of_b": "1" }, 2), 2);
    expect(complete(compareRuns(set("A", a), [set("B", b)])).configuration).toEqual([
      { source: "provenance", name: "git.commit", values: ["aaa", "bbb"] },
      { source: "provenance", name: "servers[0].settings.cache.block_size", values: ["16", "32"] },
    ]);
    expect(complete(compareRuns(set("A", a), [set("B", from({}, 3))])).configuration).toEqual([]);
  });

  it("refuses what has nothing in common, in a sentence", () => {
    expect(() =>
      compared(built(noisy("vllm:num_requests_running", 1)), built(noisy("DCGM_FI_DEV_GPU_UTIL", 1))),
    ).toThrow(/no metric family in common: A0 holds vLLM, B0 holds .*DCGM/);
    expect(() =>
      compared(
        built(() => []),
        built(noisy("app:level", 1)),
      ),
    ).toThrow(/A0 holds no metrics/);
    expect(() => complete(compareRuns(set("A", level(1, 1)), []))).toThrow(/at least one candidate/);
  });

  it("survives postMessage and is the same every time", () => {
    const [a, b] = [level(100, 1), level(110, 2)];
    const comparison = compared(a, b);
    expect(structuredClone(comparison)).toEqual(comparison);
    const held = (value: unknown): boolean =>
      typeof value === "bigint" ||
      value instanceof Map ||
      (typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && Object.values(value).some(held));
    expect(held(comparison)).toBe(false);
    expect(complete(compareRuns(set("A", a), [set("B", b)]))).toEqual(comparison);
  });
});
