import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FindingId } from "../../src/core/insights/index.js";
import { recordDemos, scenarioServers, type ScenarioName } from "../../src/demo/index.js";
import { runCli } from "../support/cli.js";
import { simulatedServerLog, vllmAt, wobbling, type SimulatedServer } from "../support/simulated-server.js";

/** A state of the demo server for each finding; a short pool is one of a recorded deployment of Dynamo. */
const STATES: Readonly<Record<Exclude<FindingId, "short-pool" | "ignored-flag">, ScenarioName>> = {
  saturated: "saturated",
  "queue-bound": "saturated",
  "client-bound": "client-bound",
  "few-observations": "client-bound",
  "kv-pressure": "kv-pressure",
  preemption: "preemption",
  "prefill-interference": "prefill-heavy",
  "transfer-bound": "transfer",
  "low-prefix-hits": "low-prefix-hits",
  imbalance: "imbalanced",
  restart: "restart",
  gap: "gap",
  frozen: "frozen",
  "coarse-interval": "coarse-interval",
  errors: "errors",
  "memory-growth": "leak",
  "warm-up-short": "warm-up-short",
  tail: "tail",
  "coarse-buckets": "coarse-buckets",
  throttled: "throttled",
  "stuck-kv-loads": "stuck-kv-loads",
};

const STEP = vllmAt({ tokens: (second) => wobbling(second < 12 ? 600 : 2000, second) });

interface Reported {
  readonly findings: readonly Record<string, unknown>[];
  readonly marks: readonly Record<string, unknown>[];
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-insights-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const reports = new Map<ScenarioName | SimulatedServer, Promise<Reported>>();

function reportOf(state: ScenarioName | SimulatedServer): Promise<Reported> {
  const known = reports.get(state);
  if (known !== undefined) return known;
  const report = insights(state, join(folder, `${reports.size}.jsonl`));
  reports.set(state, report);
  return report;
}

async function insights(state: ScenarioName | SimulatedServer, log: string): Promise<Reported> {
  await writeFile(log, (await linesOf(state)).map((line) => `${line}\n`).join(""));
  const { code, stdout, stderr } = await runCli(["insights", log, "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Reported;
}

async function linesOf(state: ScenarioName | SimulatedServer): Promise<readonly string[]> {
  if (typeof state !== "string") return simulatedServerLog([state]);
  const lines: string[] = [];
  const length = { durationSeconds: 60, intervalMs: 1000 };
  await recordDemos(scenarioServers(state, 7), length, (line) => void lines.push(line));
  return lines;
}

describe("insights --json", () => {
  it.each(Object.entries(STATES))("finds %s where it is so, with its evidence", async (id, state) => {
    const { findings } = await reportOf(state);
    const found = findings.find((finding) => finding["id"] === id);
    expect(findings.map((finding) => finding["id"])).toContain(id);
    expect(found).toMatchObject({
      title: expect.stringMatching(/./) as string,
      text: expect.stringMatching(/:\d+/) as string,
      advice: expect.stringMatching(/\.$/) as string,
      confidence: expect.stringMatching(/^(high|medium|low)$/) as string,
    });
    expect(found?.["weight"]).toBeGreaterThan(0);
    expect(found?.["weight"]).toBeLessThanOrEqual(1);
    const [first] = found?.["evidence"] as readonly Record<string, unknown>[];
    expect(first).toMatchObject({
      family: expect.stringMatching(/./) as string,
      labels: expect.any(Object) as object,
      range: { start_ns: expect.stringMatching(/^\d+$/) as string, end_ns: expect.stringMatching(/^\d+$/) as string },
      value: expect.any(Number) as number,
      threshold: expect.any(Number) as number,
    });
  });

  it("carries what charts mark: changes of level with both levels, and outliers", async () => {
    const { marks } = await reportOf(STEP);
    const step = marks.find((mark) => mark["family"] === "vllm:generation_tokens" && mark["kind"] === "level-change");
    expect(step?.["before"]).toBeCloseTo(600, -2);
    expect(step?.["after"]).toBeCloseTo(2000, -2);
    expect(step).toMatchObject({ labels: { model_name: "m" }, start_ns: expect.stringMatching(/^\d+$/) as string });
  });

  it("gives a healthy server none", async () => {
    expect((await reportOf("healthy")).findings).toEqual([]);
  });
});
