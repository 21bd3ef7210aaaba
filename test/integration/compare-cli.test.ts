import { readFile, truncate, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { recordedRuns } from "../support/recorded-runs.js";

const { at, artifact } = recordedRuns({
  a: { seed: 1 },
  b: { seed: 2 },
  small: { seed: 3, kvBlocks: 1300 },
  c: { seed: 4 },
});

describe("compare", () => {
  it("lets a run of another seed pass the gate, and not one with fewer KV blocks", async () => {
    const same = await runCli(["compare", artifact("a", "parquet"), artifact("b", "parquet"), "--fail-on", "worse"]);
    expect(same.code, same.stderr).toBe(0);
    expect(same.stderr).toMatch(/None of \d+ guarded metrics got worse/);
    expect(same.stdout).toMatch(/Run-to-run variation is unknown/);
    const worse = await runCli([
      "compare",
      artifact("a", "parquet"),
      artifact("small", "parquet"),
      "--fail-on",
      "worse",
    ]);
    expect(worse.code).toBe(1);
    expect(worse.stderr).toMatch(/^Gate failed: \d+ of \d+ got worse/m);
    expect(worse.stderr).toMatch(/vllm:time_to_first_token_seconds.*: worse by /);
    expect(worse.stdout).toMatch(/vllm:cache_config_info num_gpu_blocks\s+2200\s+1300/);
    expect(worse.stdout).toMatch(/ · vllm:num_requests_waiting\n.* worse/);
    // The run of another seed lies beside the baseline, the smaller one is of another configuration.
    expect(same.stderr).toMatch(
      /at most 5 % fail, by the spread of 1 earlier run of the baseline's configuration \(c\)/,
    );
    expect(worse.stderr).toMatch(/by the spread of 2 earlier runs of the baseline's configuration \([bc], [bc]\)/);
    // Without the gate, and with another set guarded, it is a report.
    expect((await runCli(["compare", artifact("a", "parquet"), artifact("small", "parquet")])).code).toBe(0);
    expect(
      (
        await runCli([
          "compare",
          artifact("a", "parquet"),
          artifact("small", "parquet"),
          "--fail-on",
          "worse",
          "--metrics",
          "python_*",
        ])
      ).code,
    ).toBe(0);
  });

  it("passes what is undecided with its limit, fails it when asked to, and has not checked what cannot be judged", async () => {
    const [a, b] = [artifact("a", "parquet"), artifact("b", "parquet")];
    const passed = await runCli(["compare", a, b, "--fail-on", "worse", "--json", "--junit", at("gate.xml")]);
    expect(passed.code).toBe(0);
    const { gate } = JSON.parse(passed.stdout) as {
      gate: { exitCode: number; metrics: { name: string; outcome: string; largestWorsening: number | null }[] };
    };
    const open = gate.metrics.filter(({ outcome }) => outcome === "undecided");
    expect([gate.exitCode, open.length > 0]).toEqual([0, true]);
    for (const { largestWorsening } of open) expect(largestWorsening ?? Infinity).toBeGreaterThan(0.03);
    const xml = await readFile(at("gate.xml"), "utf8");
    expect(xml).toContain(`skipped="${open.length}"`);
    expect(xml).toMatch(/<skipped message="a worsening by up to [\d.]+ % cannot be ruled out">/);
    const strict = await runCli(["compare", a, b, "--fail-on", "worse", "--undecided", "fail", "--markdown"]);
    expect(strict.code).toBe(3);
    expect(strict.stdout).toMatch(/### Gate\n\nGate not checked \(--undecided fail\): None of \d+ guarded/);
    // A CSV holds values alone.
    const values = await runCli(["compare", a, artifact("b", "csv"), "--fail-on", "worse"]);
    expect(values.code).toBe(3);
    expect(values.stderr).toMatch(/Gate not checked: .* cannot be judged/);
    expect((await runCli(["compare", "--help"])).stdout).toMatch(/Exit codes[\s\S]*\n {2}3 {2}/);
  });

  it("compares and guards how far objectives were met, and has not checked one that nothing tells of", async () => {
    const [a, small] = [artifact("a", "parquet"), artifact("small", "parquet")];
    const slo = ["--slo", "ttft=0.5,e2e=10"];
    const { stdout, stderr, code } = await runCli([
      ...["compare", a, small, ...slo],
      ...["--fail-on", "worse", "--junit", at("slo.xml")],
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/vllm:time_to_first_token_seconds.* share ≤ 500 ms: worse by/);
    expect(stdout).toMatch(/ · vllm:time_to_first_token_seconds\n(?:.*\n){0,9}share ≤ 500 ms .*% .* worse/);
    expect(stdout).toMatch(/Goodput: ttft ≤ 500 ms and e2e ≤ 10 s\nshare of requests/);
    expect(await readFile(at("slo.xml"), "utf8")).toMatch(/name="vllm:time_to_first_token_seconds.* share ≤ 500 ms"/);
    const shown = await runCli(["show", a, ...slo, "--json"]);
    const { slo: shownSlo } = JSON.parse(shown.stdout) as {
      slo: {
        objectives: { share: number; certain: number[]; timeslices: { share?: number; observations: number }[] }[];
      };
    };
    const found = JSON.parse((await runCli(["compare", a, small, ...slo, "--json"])).stdout) as {
      rows: { quantity: string; baseline: { value: number; certain: number[] } }[];
    };
    const row = found.rows.find(({ quantity }) => quantity === "share_below(0.5)");
    expect([row?.baseline.value, row?.baseline.certain]).toEqual([
      shownSlo.objectives[0]?.share,
      shownSlo.objectives[0]?.certain,
    ]);
    const markdown = await runCli(["compare", a, artifact("b", "parquet"), ...slo, "--markdown"]);
    expect(markdown.stdout.match(/\| share ≤ (500 ms|10 s) \|/g)).toHaveLength(2);
    const untold = await runCli([
      ...["compare", a, artifact("b", "parquet"), "--slo", "app:none=1"],
      ...["--fail-on", "worse"],
    ]);
    expect(untold.code).toBe(3);
    expect(untold.stderr).toMatch(/cannot be judged: The objective .* cannot be compared: the runs share no histogram/);
  });

  it("knows a run again in another format, on both sides and within a set", async () => {
    for (const format of ["json", "jsonl", "csv"]) {
      const { stdout } = await runCli(["compare", artifact("a", "parquet"), artifact("a", format)]);
      expect(stdout, format).toMatch(/Incomparable: .*are the same run/);
    }
    const set = [artifact("a", "parquet"), artifact("a", "json"), "--", artifact("small", "parquet")];
    const { stdout } = await runCli(["compare", ...set, "--json"]);
    const found = JSON.parse(stdout) as {
      baseline: { runs: unknown[] };
      warnings: { kind: string; severity: string }[];
      rows: { cells: { basis: string }[] }[];
    };
    expect(found.baseline.runs).toHaveLength(1);
    expect(found.warnings).toContainEqual(expect.objectContaining({ kind: "same-run", severity: "caution" }));
    expect(found.rows[0]!.cells[0]!.basis).toBe("paired-slices");
  });

  it("takes formats mixed, and every one gives the same values", async () => {
    const rows = async (...files: readonly string[]) => {
      const { stdout, code, stderr } = await runCli([
        "compare",
        ...files,
        "--json",
        "--metrics",
        "vllm:time_to_first*",
        "--metrics",
        "vllm:prompt_tokens",
      ]);
      expect(code, stderr).toBe(0);
      const { rows } = JSON.parse(stdout) as {
        rows: {
          id: string;
          baseline: { value: number };
          cells: { candidate: { value: number }; verdict: string; basis: string }[];
        }[];
      };
      return new Map(rows.map((row) => [row.id, row]));
    };
    const reference = await rows(artifact("a", "parquet"), artifact("small", "jsonl"));
    expect(reference.size).toBe(5);
    const log = await rows(at("a.jsonl.gz"), artifact("small", "parquet"));
    const statistics = await rows(artifact("a", "json"), artifact("small", "jsonl"));
    const table = await rows(artifact("a", "json"), artifact("small", "csv"));
    for (const [id, { baseline, cells }] of reference) {
      expect(log.get(id)!.baseline.value, id).toBeCloseTo(baseline.value, 1);
      const ratio = statistics.get(id)!.cells[0]!.candidate.value / cells[0]!.candidate.value;
      expect(Math.abs(ratio - 1), id).toBeLessThan(0.1);
      expect(table.get(id)!.cells[0], id).toMatchObject({ verdict: "cannot-tell" });
    }
    const average = [...statistics.values()].find(({ id }) => id.includes(" avg"))!;
    expect(average.cells[0]).toMatchObject({ basis: "paired-slices", verdict: "worse" });
  });

  it("compares sets of repeats, options after the border too", async () => {
    const { stdout, code, stderr } = await runCli([
      "compare",
      artifact("a", "parquet"),
      artifact("b", "parquet"),
      "--",
      artifact("small", "parquet"),
      "--json",
      "--metrics",
      "vllm:num_requests_waiting",
    ]);
    expect(code, stderr).toBe(0);
    const { baseline, candidates, rows } = JSON.parse(stdout) as {
      baseline: { runs: unknown[] };
      candidates: unknown[];
      rows: { cells: { basis: string }[] }[];
    };
    expect([baseline.runs.length, candidates.length, rows[0]!.cells[0]!.basis]).toEqual([2, 1, "between-runs"]);
    const empty = await runCli(["compare", artifact("a", "parquet"), "--"]);
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringMatching(/a set of runs is empty/)]);
  });

  it("writes a report for a pull request", async () => {
    const { stdout } = await runCli([
      "compare",
      artifact("a", "jsonl"),
      artifact("small", "jsonl"),
      "--markdown",
      "--threshold",
      "10%",
    ]);
    expect(stdout).toMatch(/^## a → small/);
    expect(stdout).toContain("threshold 10 %");
    const said = /\*\*(TTFT p99 .+ → .+)\*\*<br>/.exec(stdout)?.[1];
    expect(said).toBeDefined();
    const same = ["compare", artifact("a", "jsonl"), artifact("small", "jsonl"), "--threshold", "10%"];
    expect((await runCli(same)).stdout).toContain(`\n${said}\n`);
    const { headlines } = JSON.parse((await runCli([...same, "--json"])).stdout) as { headlines: unknown };
    expect(headlines).toEqual([{ candidate: "small", text: said }]);
    expect(stdout.indexOf("Findings that are gone")).toBeLessThan(stdout.indexOf("| Metric |"));
    expect(stdout).toMatch(/<br>`vllm:num_requests_waiting` \| avg \|.*\| \*\*worse\*\* \|/);
  });

  it("tells which findings appeared and which are gone, by the thresholds that were given", async () => {
    const [a, small] = [artifact("a", "jsonl"), artifact("small", "jsonl")];
    const { stdout } = await runCli(["compare", small, a]);
    expect(stdout).toContain("Findings that appeared:\n- A few requests are much slower\n");
    expect(stdout).toMatch(/^Requests waiting · vllm:num_requests_waiting\navg /m);
    const gone = async (...args: readonly string[]) => {
      const { stdout: json } = await runCli(["compare", a, small, "--json", ...args]);
      const { findings } = JSON.parse(json) as { findings: { gone: { id: string }[] }[] };
      return findings.flatMap((changes) => changes.gone.map(({ id }) => id));
    };
    expect(await gone()).toContain("tail");
    expect(await gone("--threshold", "tailRatio=1000", "--threshold", "5%")).not.toContain("tail");
  });

  it("says clearly what is wrong with its input", async () => {
    const a = artifact("a", "jsonl");
    await writeFile(at("empty.jsonl"), "");
    await writeFile(at("notes.txt"), "nothing of the kind\n");
    await writeFile(at("one.prom"), "# TYPE up gauge\nup 1\n");
    const gpu = ["DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_POWER_USAGE"];
    const line = (second: number) =>
      JSON.stringify({
        endpoint_url: "http://gpu:9400/metrics",
        timestamp_ns: 1_765_000_000_000 + second,
        endpoint_latency_ns: 1,
        metrics: Object.fromEntries(gpu.map((name) => [name, [{ value: second }]])),
      }).replace(/"timestamp_ns":(\d+)/, '"timestamp_ns":$1000000');
    await writeFile(at("gpu.jsonl"), Array.from({ length: 50 }, (_, i) => line(i * 1000)).join("\n"));
    for (const [args, message] of [
      [[a], /needs a baseline and at least one other run/],
      [[a, a], /given twice: a run cannot be compared with itself/],
      [[a, path.join(at("a"), "..", "a", "server_metrics_export.jsonl")], /given twice/],
      [[a, at("nowhere.jsonl")], /nowhere\.jsonl cannot be read: there is no such file/],
      [[a, at("empty.jsonl")], /empty\.jsonl is empty/],
      [[a, at("notes.txt")], /notes\.txt is not of a known format/],
      [[a, at("one.prom")], /single scrape/],
      [[a, at("gpu.jsonl")], /no metric family in common: .* holds vLLM, .* holds .*DCGM/],
      [[a, artifact("b", "jsonl"), "--metrics", "nope*"], /no family that the runs share matches nope\*/],
      [[a, artifact("b", "jsonl"), "--threshold", "lots"], /"lots" is not a share such as 3%/],
      [[a, artifact("b", "jsonl"), "--threshold", "speed=1"], /there is no threshold "speed"/],
    ] as const) {
      const { code, stderr, stdout } = await runCli(["compare", ...args]);
      expect(stderr, args.join(" ")).toMatch(message);
      expect([code, stdout], args.join(" ")).toEqual([2, ""]);
    }
    const same = await runCli(["compare", a, artifact("a", "parquet")]);
    expect(same.stdout).toMatch(/Incomparable: .*are the same run/);
  });

  it("compares what is left of a truncated file, and says that it is", async () => {
    const torn = at("torn.jsonl");
    await writeFile(torn, await readFile(artifact("b", "jsonl")));
    await truncate(torn, Math.floor((await stat(torn)).size * 0.6) + 7);
    const { code, stdout, stderr } = await runCli(["compare", artifact("a", "jsonl"), torn]);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/warning: .*torn/);
    expect(stdout).toMatch(/differ in length/);
    const parquet = at("torn.parquet");
    await writeFile(parquet, await readFile(artifact("b", "parquet")));
    await truncate(parquet, 5000);
    const refused = await runCli(["compare", artifact("a", "parquet"), parquet]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("torn.parquet")]);
  });
});
