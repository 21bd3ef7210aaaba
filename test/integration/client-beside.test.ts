import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify as yamlText } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AGENT_TOOLS, AgentCaptures, ANSWER_BYTES, callTool, RunFolder, RunReader } from "../../src/agents/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { runCli } from "../support/cli.js";
import {
  aiperfRecords,
  aiperfSummary,
  guideLlm,
  serverRun,
  simulatedRequests,
  vllmBench,
} from "../support/client-run.js";
import { answerOf } from "../support/mcp.js";

const REQUESTS = simulatedRequests();
const NETWORK = 0.02;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-client-"));
  await exportArtifacts(serverRun(REQUESTS, NETWORK), {
    directory: join(folder, "aiperf"),
    formats: ["json", "csv", "parquet", "jsonl"],
    verify: false,
  });
  await exportArtifacts(serverRun(REQUESTS, NETWORK), {
    directory: join(folder, "server"),
    formats: ["jsonl"],
    verify: false,
  });
  await writeFile(join(folder, "aiperf", "profile_export.jsonl"), aiperfRecords(REQUESTS));
  await writeFile(
    join(folder, "aiperf", "profile_export_aiperf.json"),
    JSON.stringify(aiperfSummary(REQUESTS), undefined, 2),
  );
  await mkdir(join(folder, "alone"));
  await writeFile(join(folder, "alone", "benchmarks.json"), JSON.stringify(guideLlm(REQUESTS)));
  await mkdir(join(folder, "yaml"));
  await writeFile(join(folder, "yaml", "benchmarks.yaml"), yamlText(guideLlm(REQUESTS), { sortMapEntries: true }));
  await mkdir(join(folder, "slices"));
  await exportArtifacts(serverRun(REQUESTS, NETWORK), {
    directory: join(folder, "slices"),
    formats: ["jsonl"],
    verify: false,
  });
  await writeFile(join(folder, "slices", "profile_export_aiperf.json"), JSON.stringify(aiperfSummary(REQUESTS)));
  const rows = [0, 1, 2, 3].map((slice) => `${slice},Time to First Token,ms,avg,${100 + slice}.00`);
  await writeFile(
    join(folder, "slices", "profile_export_aiperf_timeslices.csv"),
    ["Timeslice,Metric,Unit,Stat,Value", ...rows].join("\r\n"),
  );
  await writeFile(join(folder, "result.json"), JSON.stringify(vllmBench(REQUESTS)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Row {
  readonly metric: string;
  readonly difference: number;
  readonly class: string;
}

async function clientServer(...args: readonly string[]): Promise<readonly Row[]> {
  const { code, stdout, stderr } = await runCli(["insights", "--json", ...args]);
  expect(stderr).not.toMatch(/error/i);
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { readonly client_server: readonly Row[] }).client_server;
}

describe("an AIPerf folder", () => {
  it("opens as one run with the client's metrics beside the server's", async () => {
    const opened = await openArtifact(join(folder, "aiperf"));
    if (opened.kind !== "samples") throw new Error(opened.kind);
    expect(opened.path).toBe(join(folder, "aiperf", "server_metrics_export.jsonl"));
    expect(opened.clients?.[0]).toMatchObject({ tool: "AIPerf", concurrency: 4, model: "sample/model" });
    const names = opened.run.store.families().map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["vllm:time_to_first_token_seconds", "client:time_to_first_token_seconds"]),
    );
  });

  it.each(["", "server_metrics_export.json", "server_metrics_export.parquet", "server_metrics_export.csv"])(
    "tells what lies between client and server, opened by %o",
    async (file) => {
      const row = (await clientServer(join(folder, "aiperf", file))).find(({ metric }) => metric === "ttft");
      expect(row?.difference).toBeCloseTo(NETWORK, 4);
      expect(row?.class).toBe("10-25 %");
    },
  );

  it("leaves out requests at absurd times, and says which", async () => {
    const odd = join(folder, "odd");
    await cp(join(folder, "aiperf"), odd, { recursive: true });
    const records = join(odd, "profile_export.jsonl");
    const lines = (await readFile(records, "utf8")).trimEnd().split("\n");
    const at = (line: string, start: string) => line.replace(/"request_start_ns":\d+/, `"request_start_ns":${start}`);
    const [first = ""] = lines;
    await writeFile(records, [at(first, "5"), ...lines, at(first, "1e25"), at(first, "-3")].join("\n"));
    const opened = await openArtifact(odd);
    const shown = opened.notices.map(({ reason }) => reason).join("\n");
    expect(shown).toContain("3 requests of profile_export.jsonl are left out, the first in line 1: request_start_ns");
    expect(shown).toContain(`(AIPerf, ${lines.length} requests)`);
    expect(opened.kind === "samples" && new Set(opened.run.store.endpoints.map(({ url }) => url))).toContain(
      "client://aiperf",
    );
  });

  it("without records has its time slices on the time axis, also those of the CSV", async () => {
    const opened = await openArtifact(join(folder, "slices"));
    if (opened.kind !== "samples") throw new Error(opened.kind);
    const { store } = opened.run;
    const key = [...store.seriesKeys()].find(
      ({ family, labels }) =>
        family.name === "client:time_to_first_token_seconds" && labels[0]?.[1] === "avg of a time slice",
    );
    const samples = key === undefined ? undefined : store.read(key.id);
    expect(samples?.kind === "scalar" ? [...samples.values] : samples).toEqual([0.1, 0.101, 0.102, 0.103]);
  });

  it("has its client's metrics as rows of a comparison", async () => {
    const { code, stdout } = await runCli(["compare", join(folder, "aiperf"), join(folder, "slices"), "--json"]);
    expect(code).toBe(0);
    expect(stdout).toContain('"client:time_to_first_token_seconds"');
  });

  it("is shown with client metrics like any other", async () => {
    const { stdout } = await runCli(["show", join(folder, "aiperf")]);
    expect(stdout).toContain("Time to first token (client)");
    expect(stdout).toContain("Client beside server");
  });
});

describe("an agent", () => {
  const describeRun = async () => {
    const runs = await RunFolder.at(folder);
    const tool = AGENT_TOOLS.find(({ name }) => name === "describe_run");
    if (tool === undefined) throw new Error("there is no describe_run");
    const context = {
      runs: new RunReader(runs),
      captures: new AgentCaptures(runs),
      origins: { named: new Set<string>(), allow: () => Promise.resolve("no" as const) },
    };
    return async (run: string) => {
      const { text, isError } = await callTool(tool, { run }, context);
      expect(isError, text).toBe(false);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(ANSWER_BYTES);
      return answerOf(text) as Readonly<Record<string, unknown>> & { readonly client_server?: readonly Row[] };
    };
  };

  it("shows what lies between client and server, and nothing without a client", async () => {
    const described = await describeRun();
    const { client_server: rows, metrics, key_metrics: keys } = await described("aiperf/server_metrics_export");
    const ttft = rows?.find(({ metric }) => metric === "ttft");
    expect(ttft?.difference).toBeCloseTo(NETWORK, 4);
    expect(ttft?.class).toBe("10-25 %");
    expect([metrics, keys]).toEqual([expect.any(Array), expect.any(Array)]);
    expect(await described("server/server_metrics_export")).not.toHaveProperty("client_server");
  });
});

describe("client results that are named", () => {
  it.each([
    ["of vllm bench serve", "result.json"],
    ["of GuideLLM, by their folder", "alone"],
    ["of GuideLLM in YAML", join("yaml", "benchmarks.yaml")],
  ])("stand beside the run: %s", async (_, name) => {
    const rows = await clientServer(join(folder, "server"), "--client", join(folder, name));
    expect(rows.find(({ metric }) => metric === "e2e-latency")?.difference).toBeCloseTo(NETWORK, 2);
  });

  it("open by themselves", async () => {
    const opened = await openArtifact(join(folder, "alone"));
    expect(opened).toMatchObject({ kind: "samples", format: "client" });
  });

  it("are refused in words where they are none", async () => {
    const { code, stderr } = await runCli(["insights", join(folder, "server"), "--client", join(folder, "server")]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/holds no client results/);
    const missing = await runCli(["insights", join(folder, "server"), "--client", join(folder, "nothing.json")]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/nothing\.json/);
  });

  it("of another time are shown with a warning", async () => {
    const { stderr } = await runCli([
      "show",
      join(folder, "server"),
      ...["--client", join(folder, "alone"), "--client-offset", "5000"],
    ]);
    expect(stderr).toMatch(/are 49\d\d s outside the run/);
  });
});
