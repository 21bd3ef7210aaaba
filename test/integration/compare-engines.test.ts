import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";

let dir: string;
const log = (profile: string) => path.join(dir, `${profile}.jsonl.gz`);

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-engines-"));
  for (const profile of ["vllm", "sglang"]) {
    const recorded = await runCli([
      ...["demo", "--profile", profile, "--record", log(profile), "--duration", "180", "--seed", "4"],
    ]);
    expect(recorded.code, recorded.stderr).toBe(0);
  }
}, 120_000);
afterAll(() => rm(dir, { recursive: true, force: true }));

interface Row {
  readonly concept?: string;
  readonly quantity: string;
  readonly names: readonly string[];
  readonly baseline: { readonly value: number };
  readonly cells: readonly {
    readonly candidate: { readonly value: number };
    readonly reason?: string;
    readonly verdict: string;
  }[];
}
interface Shown {
  readonly metrics: Readonly<
    Record<string, { readonly series: readonly { readonly stats: { readonly avg: number } }[] }>
  >;
}

async function shown(profile: string, family: string): Promise<number> {
  const { stdout, stderr } = await runCli(["show", log(profile), "--json", "--family", family]);
  const value = (JSON.parse(stdout) as Shown).metrics[family]?.series[0]?.stats.avg;
  if (value === undefined) throw new Error(`no ${family}: ${stderr}`);
  return value;
}

describe("a vLLM run against an SGLang run", () => {
  it("is compared by concept, with the values that each run has of its own families", async () => {
    const { stdout, code, stderr } = await runCli(["compare", log("vllm"), log("sglang"), "--json"]);
    expect(code, stderr).toBe(0);
    const { rows, warnings } = JSON.parse(stdout) as {
      rows: readonly Row[];
      warnings: readonly { kind: string; message: string }[];
    };
    const row = (concept: string, quantity: string) =>
      rows.find((one) => one.concept === concept && one.quantity === quantity);
    const concepts = new Set(rows.flatMap(({ concept }) => concept ?? []));
    expect([...concepts].sort()).toEqual([
      "e2e-latency",
      "finished",
      "generation-tokens",
      "inter-token-latency",
      "kv-usage",
      "preempted",
      "prefix-hit-rate",
      "prompt-tokens",
      "queue-time",
      "running",
      "ttft",
      "waiting",
    ]);
    expect(row("ttft", "avg")?.names).toEqual([
      "vllm:time_to_first_token_seconds",
      "sglang:time_to_first_token_seconds",
    ]);
    for (const [concept, vllm, sglang] of [
      ["running", "vllm:num_requests_running", "sglang:num_running_reqs"],
      ["kv-usage", "vllm:kv_cache_usage_perc", "sglang:token_usage"],
      ["ttft", "vllm:time_to_first_token_seconds", "sglang:time_to_first_token_seconds"],
    ] as const) {
      const found = row(concept, "avg");
      expect(found?.baseline.value, concept).toBeCloseTo(await shown("vllm", vllm), 9);
      expect(found?.cells[0]?.candidate.value, concept).toBeCloseTo(await shown("sglang", sglang), 9);
    }
    // The share of the simulated prompts is about the same for both.
    expect(row("prefix-hit-rate", "ratio")?.cells[0]?.candidate.value).toBeLessThan(0.7);
    // Where both mean the same, the row says nothing of it; where they do not, it says how.
    expect(row("running", "avg")?.cells[0]?.reason ?? "").not.toContain("definitions differ");
    expect(row("kv-usage", "avg")?.cells[0]?.reason).toMatch(
      /definitions differ: vLLM: share of blocks in use; SGLang: share of tokens in use/,
    );
    // A gauge of the last batch is no share of the window.
    const refused = warnings.find(({ kind }) => kind === "concepts")?.message;
    expect(refused).toMatch(/^Not compared: Prefix cache hit rate \(not the same thing: vLLM gives .*last batch/);
    expect(refused).toMatch(/Generation tokens \(not the same thing: .* SGLang a rate over the last batches/);
    expect(rows.some(({ names }) => names.includes("sglang:cache_hit_rate"))).toBe(false);
  });

  it.each([
    ["text", [], /Time to first token \(vllm:time_to_first_token_seconds \/ sglang:time_to_first_token_seconds\) +avg/],
    ["Markdown", ["--markdown"], /^\| `Request latency \(vllm:e2e_request_latency_seconds \/ sglang:e2e_/m],
  ] as const)("says in %s what is compared, how definitions differ, and what is refused", async (_, options, row) => {
    const { stdout, code } = await runCli(["compare", log("vllm"), log("sglang"), ...options]);
    expect(code).toBe(0);
    expect(stdout).toMatch(row);
    expect(stdout).toMatch(/are of different servers: vLLM and SGLang\. \d+ quantities are compared by what they mean/);
    expect(stdout).toMatch(/Not compared: Prefix cache hit rate \(not the same thing/);
    expect(stdout).toMatch(
      /definitions differ: vLLM: counted as the engine works; SGLang: counted when a request finish/,
    );
  });
});
