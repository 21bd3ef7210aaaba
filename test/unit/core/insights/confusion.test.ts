import { describe, expect, it } from "vitest";
import { type Finding, type FindingId, runInsights } from "../../../../src/core/insights/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { recordDemos, scenarioServers, type DemoOptions, type ScenarioName } from "../../../../src/demo/index.js";
import { replayLines } from "../../../support/replay.js";

const SEEDS = Array.from({ length: 10 }, (_, i) => 101 + i);

/** What each scenario is about. */
const EXPECTED: Readonly<Record<Exclude<ScenarioName, "healthy" | "fleet">, FindingId>> = {
  "client-bound": "client-bound",
  saturated: "saturated",
  "kv-pressure": "kv-pressure",
  preemption: "preemption",
  "prefill-heavy": "prefill-interference",
  transfer: "transfer-bound",
  "low-prefix-hits": "low-prefix-hits",
  errors: "errors",
  leak: "memory-growth",
  restart: "restart",
  imbalanced: "imbalance",
  gap: "gap",
  frozen: "frozen",
  "coarse-interval": "coarse-interval",
  "warm-up-short": "warm-up-short",
  tail: "tail",
  "coarse-buckets": "coarse-buckets",
  throttled: "throttled",
  "stuck-kv-loads": "stuck-kv-loads",
};

/** A prefix that no family has. */
const NOTHING = "no_such_";

/** Servers by what they tell of their load: gauges of one backend, or only the times of requests that have ended. */
const OTHERS: readonly (readonly [string, DemoOptions["profile"], string])[] = [
  ["TensorRT-LLM without gauges", "trtllm", NOTHING],
  ["Triton with the gauges of TensorRT-LLM", "triton", NOTHING],
  ["Triton with another backend", "triton", "nv_trt_llm_"],
];

/** These speak where a value is low. */
const LOW: ReadonlySet<FindingId> = new Set(["client-bound", "low-prefix-hits", "few-observations"]);

/** Evidence must bear out its sentence: a figure there is, on the side of its threshold that the rule speaks of. */
function unsupported({ id, evidence }: Finding): readonly string[] {
  return evidence.flatMap(({ statistic, value, threshold = LOW.has(id) ? Infinity : -Infinity }) =>
    Number.isFinite(value) && (LOW.has(id) ? value <= threshold : value >= threshold)
      ? []
      : [`${id}: ${statistic} ${value} (threshold ${threshold})`],
  );
}

async function found(
  scenario: ScenarioName,
  seed: number,
  profile?: DemoOptions["profile"],
  without: string = NOTHING,
): Promise<readonly FindingId[]> {
  const lines: string[] = [];
  const own = scenarioServers(scenario, seed);
  const servers = profile === undefined ? own : own.map((server) => ({ ...server, profile }));
  await recordDemos(servers, { durationSeconds: 60, intervalMs: 1000 }, (line) => {
    lines.push(line.replaceAll(without, "other_"));
  });
  const run = await replayLines(lines);
  const { findings } = complete(runInsights({ kind: "samples", run: run }));
  expect(findings.flatMap(unsupported), `${scenario}, seed ${seed}`).toEqual([]);
  return findings.map(({ id }) => id);
}

describe("findings over simulated servers", () => {
  it.each(Object.entries(EXPECTED) as [ScenarioName, FindingId][])(
    "%s: %s is among the first two, whatever the seed",
    async (scenario, id) => {
      const missed: string[] = [];
      for (const seed of SEEDS) {
        const ids = await found(scenario, seed);
        if (!ids.slice(0, 2).includes(id)) missed.push(`seed ${seed}: ${ids.join(", ")}`);
      }
      expect(missed).toEqual([]);
    },
    120_000,
  );

  it("healthy fleets have none", async () => {
    for (const seed of SEEDS.slice(0, 2)) expect(await found("fleet", seed), `seed ${seed}`).toEqual([]);
  }, 120_000);

  it("healthy servers have at most one finding in twenty runs", async () => {
    const wrong: string[] = [];
    for (const seed of SEEDS) {
      for (const [scenario, at] of [
        ["healthy", seed],
        ["healthy", seed + 500],
      ] as const) {
        const ids = await found(scenario, at);
        wrong.push(...ids.map((id) => `seed ${at}: ${id}`));
      }
    }
    expect(wrong.length).toBeLessThanOrEqual(1);
  }, 120_000);

  it.each(OTHERS)(
    "%s is saturated where too much is asked of it, and not where it is healthy",
    async (_server, profile, without) => {
      for (const seed of SEEDS.slice(0, 2)) {
        expect(await found("healthy", seed, profile, without), `seed ${seed}`).toEqual([]);
        expect((await found("saturated", seed, profile, without))[0], `seed ${seed}`).toBe("saturated");
      }
    },
    120_000,
  );

  it("requests that clients of Dynamo cancel are no errors, and those that fail are", async () => {
    const wrong: string[] = [];
    for (const seed of SEEDS) {
      wrong.push(...(await found("healthy", seed, "dynamo")).map((id) => `seed ${seed}: ${id}`));
      expect((await found("errors", seed, "dynamo")).slice(0, 2), `seed ${seed}`).toContain("errors");
    }
    expect(wrong.filter((one) => one.endsWith("errors"))).toEqual([]);
    expect(wrong.length).toBeLessThanOrEqual(1);
  }, 120_000);
});
