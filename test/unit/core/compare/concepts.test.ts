import { describe, expect, it } from "vitest";
import { UserError } from "../../../../src/core/text/errors.js";
import { compareRuns, comparisonDocument, type Comparison } from "../../../../src/core/compare/index.js";
import { documentMarkdown } from "../../../../src/core/text/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import type { Run } from "../../../../src/core/store/index.js";
import { RunBuilder, type TestSample } from "../../../support/run-builder.js";

const SECONDS = 300;

function built(samples: (second: number) => readonly TestSample[]): Run {
  const builder = new RunBuilder(5);
  for (let second = 0; second <= SECONDS; second++) builder.scrape(second, samples(second));
  const { run } = builder.window(5, SECONDS);
  Object.assign(run.metadata, { benchmarkId: crypto.randomUUID() });
  return run;
}

function compared(a: Run, b: Run): Comparison {
  const set = (label: string, run: Run) => ({ label, runs: [{ kind: "samples" as const, label, run }] });
  return complete(compareRuns(set("A", a), [set("B", b)]));
}

const wave = (second: number) => 1 + 0.01 * Math.sin(second * 1.7) + 0.01 * Math.cos(second * 0.9);
/** Observations of one value a second, all in the bucket up to 1 s. */
const latency = (name: string, second: number, mean: number, labels: Record<string, string> = {}): TestSample => ({
  name,
  labels,
  buckets: { "0.1": 0, "1": 10 * second, "+Inf": 10 * second },
  sum: 10 * second * mean + Math.sin(second),
  count: 10 * second,
});

const VLLM = (second: number): TestSample[] => [
  { name: "vllm:num_requests_running", labels: { engine: "0", model_name: "m" }, value: 20 * wave(second) },
  { name: "vllm:kv_cache_usage_perc", labels: { engine: "0" }, value: 0.4 * wave(second) },
  latency("vllm:time_to_first_token_seconds", second, 0.5, { engine: "0", model_name: "m" }),
  latency("vllm:inter_token_latency_seconds", second, 0.5),
  { name: "vllm:generation_tokens", type: "counter", value: 1000 * second },
  { name: "vllm:prefix_cache_hits", type: "counter", value: 30 * second },
  { name: "vllm:prefix_cache_queries", type: "counter", value: 100 * second },
  ...["stop", "length"].map((finished_reason): TestSample => ({
    name: "vllm:request_success",
    type: "counter",
    labels: { finished_reason },
    value: 5 * second,
  })),
];
const SGLANG = (second: number): TestSample[] => [
  { name: "sglang:num_running_reqs", labels: { tp_rank: "0", model_name: "n" }, value: 40 * wave(second) },
  { name: "sglang:token_usage", labels: { tp_rank: "0" }, value: 0.8 * wave(second) },
  latency("sglang:time_to_first_token_seconds", second, 0.25, { model_name: "n" }),
  { name: "sglang:generation_tokens", type: "counter", value: 500 * second },
  { name: "sglang:cache_hit_rate", value: 0.9 },
  { name: "sglang:num_requests", type: "counter", value: 10 * second },
];

/** Workers of one engine, prefill at the first endpoint and decode at the second. */
function disaggregated(label: string, samples: (second: number) => readonly TestSample[]): Run {
  const builder = new RunBuilder(5);
  for (let second = 0; second <= SECONDS; second++)
    for (const [role, share] of [
      ["prefill", 0.1],
      ["decode", 1],
    ] as const)
      builder.scrape(
        second,
        samples(second).map((one) => ({
          ...one,
          labels: { ...one.labels, [label]: role },
          ...("value" in one ? { value: one.value * share } : {}),
        })),
        `http://${role}:8000/metrics`,
      );
  return builder.window(5, SECONDS).run;
}

describe("disaggregated runs of different engines", () => {
  const { rows } = compared(disaggregated("kv_role", VLLM), disaggregated("engine_type", SGLANG));
  const values = (concept: string, quantity?: string) =>
    rows
      .filter((one) => one.concept === concept && (quantity === undefined || one.quantity === quantity))
      .map(({ labels, baseline, cells }) => [labels, baseline.value, cells[0]?.candidate.value])
      .sort((a, b) => Number(a[1]) - Number(b[1]));

  it("are compared by what their metrics mean within each role", () => {
    const close = (value: number): unknown => expect.closeTo(value, 0);
    expect(values("running")).toEqual([
      [[["role", "prefill"]], close(2), close(4)],
      [[["role", "decode"]], close(20), close(40)],
    ]);
    expect(values("generation-tokens")).toEqual([
      [[["role", "prefill"]], close(100), close(50)],
      [[["role", "decode"]], close(1000), close(500)],
    ]);
    expect(values("ttft", "avg").map(([labels]) => labels)).toHaveLength(2);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });
});

describe("runs of different engines", () => {
  const comparison = compared(built(VLLM), built(SGLANG));
  const row = (concept: string, quantity?: string) =>
    comparison.rows.find((one) => one.concept === concept && (quantity === undefined || one.quantity === quantity));

  it("are compared by what their metrics mean", () => {
    expect(row("running")).toMatchObject({
      title: "Requests running",
      names: ["vllm:num_requests_running", "sglang:num_running_reqs"],
    });
    expect(row("running")?.cells[0]?.share).toBeCloseTo(1, 6);
    expect(row("ttft", "avg")?.cells[0]?.candidate.value).toBeCloseTo(0.25, 2);
    expect(row("ttft", "avg")?.baseline.value).toBeCloseTo(0.5, 2);
    expect(row("ttft", "avg")?.cells[0]).toMatchObject({ verdict: "better" });
    expect(row("generation-tokens")?.baseline.value).toBeCloseTo(1000, 6);
    // Both reasons together against SGLang's one series.
    expect(row("finished")?.baseline.value).toBeCloseTo(10, 6);
    expect(row("finished")?.cells[0]?.share).toBeCloseTo(0, 6);
    expect(new Set(comparison.rows.map(({ id }) => id)).size).toBe(comparison.rows.length);
  });

  it("say how definitions differ, where they do", () => {
    expect(row("kv-usage")?.cells[0]?.reason).toMatch(
      /definitions differ: vLLM: share of blocks.*SGLang: share of tokens/,
    );
    expect(row("ttft", "avg")?.cells[0]?.reason ?? "").not.toContain("definitions differ");
    expect(comparison.warnings.find(({ kind }) => kind === "servers")).toMatchObject({ severity: "caution" });
    expect(documentMarkdown(comparisonDocument(comparison))).toContain(
      "Requests running (vllm:num_requests_running / sglang:num_running_reqs)",
    );
  });

  it("refuse what is not the same thing, with the reason", () => {
    expect(row("prefix-hit-rate")).toBeUndefined();
    const [warning] = comparison.warnings.filter(({ kind }) => kind === "concepts");
    expect(warning?.message).toMatch(/Prefix cache hit rate \(not the same thing: vLLM gives .*last batch/);
    expect(comparison.unmatched.find(({ family }) => family === "sglang:cache_hit_rate")?.reason).toContain(
      "last batch",
    );
  });

  it("compare ratios, each from its own counters", () => {
    const withCounters = (second: number): TestSample[] => [
      ...SGLANG(second),
      { name: "sglang:cached_tokens", type: "counter", value: 60 * second },
      { name: "sglang:prompt_tokens", type: "counter", value: 100 * second },
    ];
    const { rows, unmatched } = compared(built(VLLM), built(withCounters));
    const found = rows.find(({ concept }) => concept === "prefix-hit-rate");
    expect(found).toMatchObject({ quantity: "ratio", unit: "ratio", title: "Prefix cache hit rate" });
    expect(found?.baseline.value).toBeCloseTo(0.3, 9);
    expect(found?.cells[0]?.candidate.value).toBeCloseTo(0.6, 9);
    expect(unmatched.find(({ family }) => family === "sglang:cache_hit_rate")?.reason).toContain("last batch");
  });

  it("compare ratios of a counter's own parts, such as SGLang's tokens from a cache among all", () => {
    const withModes = (second: number): TestSample[] => [
      ...SGLANG(second),
      ...Object.entries({ input: 55, device_hit: 30, host_hit: 15 }).map(([mode, rate]) => ({
        name: "sglang:prefill_effective_tokens",
        type: "counter" as const,
        labels: { mode },
        value: rate * second,
      })),
    ];
    const { rows } = compared(built(VLLM), built(withModes));
    const found = rows.find(({ concept }) => concept === "prefix-hit-rate");
    expect(found?.cells[0]?.candidate.value).toBeCloseTo(0.45, 9);
  });

  it("are compared under Ray, which exposes each counter as a gauge, too", () => {
    const underRay = (second: number): TestSample[] =>
      VLLM(second).flatMap((sample) => {
        const name = sample.name.replace("vllm:", "ray_vllm_");
        if (!("type" in sample) || sample.type !== "counter") return [{ ...sample, name }];
        return [
          { ...sample, name: `${name}_total` },
          { ...sample, name, type: "gauge" as const },
        ];
      });
    const { rows } = compared(built(underRay), built(SGLANG));
    const tokens = rows.filter(({ concept }) => concept === "generation-tokens");
    expect(tokens.map(({ baseline }) => baseline.value)).toEqual([expect.closeTo(1000, 6)]);
    // Against vLLM by itself each counter is one row, and its gauge none.
    const beside = compared(built(VLLM), built(underRay));
    expect(beside.rows.filter(({ title }) => title === "Generation tokens").map(({ quantity }) => quantity)).toEqual([
      "rate",
    ]);
    expect(beside.unmatched.map(({ family }) => family)).not.toContain("ray_vllm_generation_tokens");
  });

  it("have nothing in common where no concept is shared", () => {
    const other = built((second) => [{ name: "app_jobs", type: "counter", value: second }]);
    expect(() => compared(built(VLLM), other)).toThrow(UserError);
  });
});

describe("runs of one engine", () => {
  it("are compared by name as ever", () => {
    const { rows } = compared(built(VLLM), built(VLLM));
    expect(rows.filter(({ concept }) => concept !== undefined)).toEqual([]);
    expect(rows.find(({ quantity }) => quantity === "ratio")?.title).toBe("Prefix cache hit rate");
  });

  it("compare an average as such, though an older server calls it a counter", () => {
    const server =
      (type: "counter" | "gauge", busy: number) =>
      (second: number): TestSample[] => [
        { name: "llamacpp:n_decode", type: "counter", value: 100 * second },
        { name: "llamacpp:n_busy_slots_per_decode", type, value: busy - second / SECONDS },
      ];
    const { rows, warnings } = compared(built(server("counter", 4)), built(server("gauge", 3)));
    const busy = rows.find(({ family }) => family === "llamacpp:n_busy_slots_per_decode");
    expect(busy).toMatchObject({ type: "gauge", quantity: "avg", unit: "slots" });
    expect([busy?.baseline.value, busy?.cells[0]?.candidate.value]).toEqual([
      expect.closeTo(3.5, 1),
      expect.closeTo(2.5, 1),
    ]);
    expect(warnings.map(({ message }) => message).join(" ")).not.toContain("restart");
  });
});
