import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { recordedRuns } from "../support/recorded-runs.js";

const { at, artifact } = recordedRuns({ a: { seed: 1 } });

describe("check", () => {
  it("passes, fails with a table, and writes JUnit", async () => {
    const good = await runCli([
      "check",
      artifact("a", "parquet"),
      "--assert",
      "vllm:num_requests_running avg > 1",
      "--assert",
      'any: vllm:request_success{finished_reason="stop"} rate > 1',
    ]);
    expect([good.code, good.stdout]).toEqual([0, "2 of 2 assertions hold.\n"]);
    const bad = await runCli([
      "check",
      artifact("a", "json"),
      "--assert",
      "vllm:num_requests_running avg > 1",
      "--assert",
      "vllm:e2e_request_latency_seconds p99_estimate < 0.5",
      "--assert",
      "vllm:e2e_request_latency_seconds share_below(0.5) > 0.999",
      "--junit",
      at("junit.xml"),
    ]);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(
      /vllm:e2e_request_latency_seconds p99_estimate < 0\.5\s+localhost:8000 \{.*\}\s+\S+ \(\S+ s\)/,
    );
    expect(bad.stdout).toMatch(/share_below\(0\.5\) > 0\.999\s+localhost:8000 \{.*\}\s+[\d.]+ \([\d.]+ %\)/);
    expect(bad.stdout).toMatch(/1 of 3 assertions hold\.\n$/);
    const xml = await readFile(at("junit.xml"), "utf8");
    expect(xml).toMatch(/<testsuite name="server-metrics check" tests="3" failures="2" errors="0"/);
    expect(xml.match(/<testcase /g)).toHaveLength(3);
    expect(xml).toContain('name="vllm:e2e_request_latency_seconds p99_estimate &lt; 0.5"');
  });

  it("reads assertions from YAML and JSON", async () => {
    await writeFile(
      at("checks.yaml"),
      "# the gate\nassert:\n  - vllm:num_requests_running avg > 1\n  - 'vllm:num_preemptions total < 0'\n",
    );
    await writeFile(at("checks.json"), JSON.stringify(["vllm:num_requests_running avg > 1"]));
    const both = await runCli([
      "check",
      artifact("a", "csv"),
      "--file",
      at("checks.yaml"),
      "--file",
      at("checks.json"),
    ]);
    expect([both.code, both.stderr]).toEqual([1, ""]);
    expect(both.stdout).toMatch(/vllm:num_preemptions total < 0[\s\S]*2 of 3 assertions hold/);
    // Editors find the place by it.
    expect(both.stdout).toMatch(
      /checks\.yaml, line 4: vllm:num_preemptions total < 0 does not hold: total is \d+ .*\n/,
    );
  });

  it("holds objectives against a target, over all series as views do, and tells programs", async () => {
    const slo = "ttft=60,e2e=0.001,nothing=1";
    const listed = await runCli(["check", "--list", "--slo", slo, "--assert", "vllm:num_requests_running avg > 1"]);
    expect((JSON.parse(listed.stdout) as { text: string }[]).map(({ text }) => text)).toEqual([
      "vllm:num_requests_running avg > 1",
      "SLO ttft ≤ 60 for 99 %",
      "SLO e2e ≤ 0.001 for 99 %",
      "SLO nothing ≤ 1 for 99 %",
    ]);
    const { code, stdout } = await runCli(["check", artifact("a", "json"), "--slo", slo, "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual([
      { text: "SLO ttft ≤ 60 for 99 %", passed: true, undecided: false, message: "" },
      {
        text: "SLO e2e ≤ 0.001 for 99 %",
        passed: false,
        undecided: false,
        message: expect.stringMatching(/^share_below is 0\.\d+ \(0\.\d+ %\) at all series/) as unknown,
      },
      {
        text: "SLO nothing ≤ 1 for 99 %",
        passed: false,
        undecided: false,
        message: "no histogram of this run measures it",
      },
    ]);
    const low = await runCli(["check", artifact("a", "json"), "--slo", "ttft=60", "--slo-target", "50"]);
    expect([low.code, low.stdout]).toEqual([0, expect.stringMatching(/1 of 1 assertions and objectives hold\.\n$/)]);
  });

  it("points at what it cannot read", async () => {
    await writeFile(at("broken.yaml"), "assert:\n  - [a\n");
    await writeFile(at("typo.yaml"), "- vllm:num_requests_running avg > 1\n- vllm:num_requests_running mean > 1\n");
    for (const [args, message] of [
      [
        ["--assert", "vllm:x avg = 5"],
        /--assert, column 12: expected one of < <= > >= == !=, but there is "="\.\n {2}vllm:x avg = 5\n {13}\^/,
      ],
      [["--file", at("broken.yaml")], /broken\.yaml, line \d+, column \d+: /],
      [["--file", at("typo.yaml")], /typo\.yaml, line 2, assertion 2, column 27: there is no statistic "mean"/],
      [["--file", at("none.yaml")], /none\.yaml cannot be read: there is no such file/],
      [[], /nothing to check/],
    ] as const) {
      const { code, stderr } = await runCli(["check", artifact("a", "json"), ...args]);
      expect(stderr).toMatch(message);
      expect(code).toBe(2);
    }
  });
});
