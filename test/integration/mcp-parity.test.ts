import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { keyTiles, runEntries } from "../../src/core/query/index.js";
import type { Run } from "../../src/core/store/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { runCli } from "../support/cli.js";
import { aiperfRecords, meanOf, serverRun, simulatedRequests } from "../support/client-run.js";
import { describeConformance } from "../support/conformance.js";
import { startMcp, type McpSession } from "../support/mcp.js";

interface Compared {
  readonly headlines: readonly { readonly candidate: string; readonly text: string }[];
  readonly rows: readonly {
    readonly family: string;
    readonly quantity: string;
    readonly labels: readonly (readonly [string, string])[];
    readonly baseline: { readonly value: number };
    readonly cells: readonly { readonly candidate: { readonly value: number }; readonly verdict: string }[];
  }[];
}
interface Attained {
  readonly slo: {
    readonly objectives: readonly { readonly family: string; readonly share: number; readonly certain: number[] }[];
  };
}
interface AgentRow {
  readonly metric: string;
  readonly quantity: string;
  readonly baseline: number;
  readonly cells: readonly { readonly value: number; readonly verdict: string }[];
}

describeConformance("what agents are told, against what the command line prints of the same files", (directory) => {
  const folder = join(directory, "runs-1.1");
  const idOf = (run: string) => `${run}/expected/server_metrics_export`;
  const [one, other] = [idOf("vllm-basic"), idOf("phases-with-gap")];
  let session: McpSession;
  beforeAll(async () => {
    session = await startMcp(folder);
  });
  afterAll(() => session.close());

  it("compares with the same values and verdicts, to the end of the list", async () => {
    const rows: AgentRow[] = [];
    let offset: number | undefined = 0;
    let verdicts: readonly { readonly headline: string }[] = [];
    while (offset !== undefined) {
      const { json, text } = await session.call("compare_runs", { baseline: [one], candidates: [other], offset });
      expect(json, text).toBeDefined();
      rows.push(...(json["rows"] as AgentRow[]));
      verdicts = json["verdicts"] as typeof verdicts;
      offset = json["next_offset"] as number | undefined;
    }
    const files = [one, other].map((id) => join(folder, `${id}.jsonl.gz`));
    const { stdout, code, stderr } = await runCli(["compare", ...files, "--json"]);
    expect(code, stderr).toBe(0);
    const { rows: printed, headlines } = JSON.parse(stdout) as Compared;
    expect(verdicts.map(({ headline }) => headline)).toEqual(headlines.map(({ text }) => text));
    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) {
      // A name has the labels that tell a family's rows apart.
      const [family = "", labels = ""] = row.metric.split(/[{}]/);
      const same = printed.find(
        (one) =>
          one.family === family &&
          one.quantity === row.quantity &&
          labels
            .split(",")
            .every((text) => text === "" || one.labels.some(([name, value]) => text === `${name}="${value}"`)),
      );
      expect(same, `${row.metric} ${row.quantity}`).toBeDefined();
      expect(row.baseline).toBe(same?.baseline.value);
      expect(row.cells[0]?.value).toBe(same?.cells[0]?.candidate.value);
      expect(row.cells[0]?.verdict).toBe(same?.cells[0]?.verdict.replaceAll("-", " "));
    }
  });

  it("has the same share within a limit", async () => {
    const { stdout } = await runCli(["show", join(folder, `${one}.json.gz`), "--slo", "ttft=0.5,e2e=10", "--json"]);
    const { objectives } = (JSON.parse(stdout) as Attained).slo;
    expect(objectives).toHaveLength(2);
    for (const { family, share, certain } of objectives) {
      const threshold = family.includes("e2e") ? 10 : 0.5;
      const { json } = await session.call("slo_attainment", { run: one, family, threshold });
      expect(json["series"]).toMatchObject([{ share, certainly_between: certain }]);
    }
  });

  it("checks assertions with the same outcome", async () => {
    const assertions = ["vllm:num_requests_waiting max < 59", "vllm:num_requests_waiting avg < 30"];
    const file = join(folder, `${one}.json.gz`);
    const { json } = await session.call("check_assertions", { run: one, assertions });
    const told = json["assertions"] as { readonly passed: boolean; readonly series: { readonly value: number }[] }[];
    for (const [i, assertion] of assertions.entries()) {
      const { code, stdout } = await runCli(["check", file, "--assert", assertion]);
      expect(told[i]?.passed).toBe(code === 0);
      if (code !== 0) expect(stdout).toContain(String(told[i]?.series[0]?.value));
    }
    expect(told.map(({ passed }) => passed)).toEqual([false, true]);
  });
});

describeConformance("a Parquet of AIPerf's alone, which does not tell when its references were", (directory) => {
  const family = "vllm:prompt_tokens";
  const source = join(directory, "runs-1.1", "vllm-basic", "expected", "server_metrics_export");

  it("has one rate, in tiles, tables and comparisons, and each of them says from when it runs", async () => {
    const folder = await mkdtemp(join(tmpdir(), "server-metrics-references-"));
    try {
      for (const [run, extension] of [
        ["alone", "parquet"],
        ["scrapes", "jsonl.gz"],
        ["scrapes", "json.gz"],
      ] as const) {
        await mkdir(join(folder, run), { recursive: true });
        await copyFile(`${source}.${extension}`, join(folder, run, `server_metrics_export.${extension}`));
      }
      const opened = await openArtifact(join(folder, "alone", "server_metrics_export.parquet"));
      if (opened.kind !== "samples") throw new Error("no samples");
      const rateOf = (run: Run) =>
        [...runEntries(run)].flatMap((entry) => {
          const result = entry.key.family.name === family ? entry.result() : undefined;
          return result?.kind === "counter" ? [result.stats] : [];
        })[0];
      const alone = rateOf(opened.run);
      const scrapes = await openArtifact(join(folder, "scrapes", "server_metrics_export.jsonl.gz"));
      const known = scrapes.kind === "samples" ? rateOf(scrapes.run) : undefined;
      expect(alone?.total).toBe(known?.total);
      // Later by less than one scrape interval of 333 ms in 48 s and more.
      const higher = (alone?.rate ?? NaN) / (known?.rate ?? NaN) - 1;
      expect(higher).toBeGreaterThan(0);
      expect(higher).toBeLessThan(0.34 / 48);
      expect(keyTiles(opened.run).find((tile) => tile.family === family)?.value).toBe(alone?.rate);

      const words = "rates are counted from the first sample inside the window";
      const session = await startMcp(folder);
      try {
        const queried = await session.call("query_metric", { run: "alone", family, statistic: "rate" });
        expect(queried.json["series"], queried.text).toMatchObject([{ value: alone?.rate }]);
        expect(queried.json["note"]).toContain(words);
        expect((await session.call("describe_run", { run: "alone" })).json["note"]).toContain(words);
        const other = await session.call("query_metric", { run: "scrapes", family, statistic: "rate" });
        expect(other.json["series"], other.text).toMatchObject([{ value: known?.rate }]);
        expect(other.text).not.toContain(words);
        const compared = await session.call("compare_runs", { baseline: ["scrapes"], candidates: ["alone"] });
        expect(JSON.stringify(compared.json["warnings"]), compared.text).toContain(words);
      } finally {
        await session.close();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describeConformance("a run of AIPerf's with all of its files", (directory) => {
  it.each([
    ["runs", "with its JSON", ["json.gz", "jsonl.gz", "parquet"], "jsonl.gz"],
    ["runs", "without its JSON", ["csv.gz", "jsonl.gz", "parquet"], "parquet"],
    ["runs-1.1", "with its JSON", ["json.gz", "jsonl.gz", "parquet"], "jsonl.gz"],
    ["runs-1.1", "without its JSON", ["csv.gz", "jsonl.gz", "parquet"], "jsonl.gz"],
  ])("of %s has the same rates in comparisons as in queries, %s", async (version, _, extensions, compared) => {
    const folder = await mkdtemp(join(tmpdir(), "server-metrics-files-"));
    try {
      const names = ["vllm-basic", "mixed-fleet"];
      for (const name of names) {
        await mkdir(join(folder, name));
        for (const extension of extensions)
          await copyFile(
            join(directory, version, name, "expected", `server_metrics_export.${extension}`),
            join(folder, name, `server_metrics_export.${extension}`),
          );
      }
      const session = await startMcp(folder);
      try {
        const input = { baseline: [names[0]], candidates: [names[1]], metrics: ["vllm:*_tokens"] };
        const { json, text } = await session.call("compare_runs", input);
        expect(json["files"], text).toEqual(names.map((name) => `${name}/server_metrics_export.${compared}`));
        const rows = (json["rows"] ?? []) as readonly {
          readonly metric: string;
          readonly quantity: string;
          readonly unit: string;
          readonly baseline: number;
        }[];
        const rates = rows.filter(({ metric, quantity }) => /^rate\b/.test(quantity) && !metric.includes("{"));
        expect(rates.length, text).toBeGreaterThan(0);
        for (const { metric, quantity, unit, baseline } of rates) {
          // One vLLM in the baseline, two in the candidate.
          expect([quantity, unit]).toEqual(["rate, sum of 1 and 2", "tokens/s"]);
          const queried = await session.call("query_metric", { run: names[0], family: metric, statistic: "rate" });
          const series = (queried.json["series"] ?? []) as readonly { readonly value: number }[];
          expect(series.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(baseline, 9);
        }
      } finally {
        await session.close();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

it("a restart and a benchmark client beside the servers are told of", async () => {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-parity-"));
  try {
    await mkdir(join(folder, "restarted"));
    const line = (second: number, value: number) =>
      `{"endpoint_url":"http://a/metrics","timestamp_ns":${1763800000 + second}000000000,"endpoint_latency_ns":1,"metrics":{"vllm:generation_tokens":[{"value":${value}}]}}\n`;
    // 10 to 30, then from 0 again to 25.
    const lines = [10, 20, 30, 5, 25].map((value, second) => line(second, value));
    await writeFile(join(folder, "restarted", "server_metrics_export.jsonl"), lines.join(""));
    const requests = simulatedRequests();
    const directory = join(folder, "beside");
    await exportArtifacts(serverRun(requests, 0.02), { directory, formats: ["jsonl"], verify: false });
    await writeFile(join(directory, "profile_export.jsonl"), aiperfRecords(requests));
    const session = await startMcp(folder);
    try {
      const restarted = await session.call("query_metric", { run: "restarted", family: "vllm:generation_tokens" });
      expect(restarted.json["series"], restarted.text).toMatchObject([{ statistics: { total: 45, resets: 1 } }]);
      const { json, text } = await session.call("describe_run", { run: "beside" });
      const { stdout } = await runCli(["insights", "--json", directory]);
      const { client_server: printed } = JSON.parse(stdout) as { client_server: { readonly metric: string }[] };
      expect(printed.length).toBeGreaterThan(0);
      const told = JSON.stringify(json["client_server"]);
      expect(told, text).toContain(printed[0]?.metric);
      const family = "client:time_to_first_token_seconds";
      const ttft = await session.call("query_metric", { run: "beside", family, statistic: "avg" });
      const [series] = (ttft.json["series"] ?? []) as readonly { readonly value: number }[];
      expect(series?.value, ttft.text).toBeCloseTo(meanOf(requests.map((request) => request.ttft)), 6);
    } finally {
      await session.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
