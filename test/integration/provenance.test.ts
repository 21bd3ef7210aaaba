import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { query } from "../support/duckdb.js";
import { runCli, startCli, until } from "../support/cli.js";
import { serve, type TestServer } from "../support/faulty-server.js";

const SECRET = "s3cr3t-Value-0123";
const METRICS = [
  "# TYPE vllm:num_requests_running gauge",
  'vllm:num_requests_running{model_name="m"} 3',
  "# TYPE vllm:cache_config_info gauge",
  'vllm:cache_config_info{block_size="16"} 1',
  "",
].join("\n");

interface Provenance {
  readonly git?: { readonly commit: string; readonly branch: string; readonly changed?: readonly string[] };
  readonly command?: { readonly line: string; readonly version?: string };
  readonly machine?: { readonly host: string; readonly cores: number; readonly gpus?: readonly string[] };
  readonly servers?: Readonly<
    Record<
      string,
      {
        readonly version?: string;
        readonly models?: readonly { readonly id: string }[];
        readonly command?: string;
        readonly settings?: Readonly<Record<string, string>>;
      }
    >
  >;
  readonly neighbours?: { readonly load_average: number; readonly load_average_at_end: number };
}

let dir: string;
let server: TestServer;
let asked: { readonly url: string; readonly authorization: string | undefined }[];

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-provenance-"));
  asked = [];
  server = await serve((request, response) => {
    asked.push({ url: request.url ?? "", authorization: request.headers.authorization });
    const json = (value: unknown) => response.setHeader("content-type", "application/json").end(JSON.stringify(value));
    switch (request.url ?? "") {
      case "/metrics":
        return void response.setHeader("content-type", "text/plain").end(METRICS);
      case "/version":
        return void json({ version: "0.11.2" });
      case "/v1/models":
        return void json({ data: [{ id: "org/m", created: 7, root: `https://u:${SECRET}@hub/m?token=${SECRET}` }] });
      case "/server_info?config_format=json":
        return void json({
          vllm_config: {
            cache_config: { block_size: 16, num_gpu_blocks: 100 },
            scheduler_config: { max_num_seqs: 32 },
            kv_transfer: { url: `http://u:${SECRET}@h/x`, hf_token: SECRET, extra: { apiKey: SECRET } },
            // It repeats what it was sent.
            echo: `got ${SECRET}`,
          },
          vllm_env: { VLLM_API_KEY: SECRET, OTHER: SECRET },
          system_env: { HOME: SECRET },
        });
      default:
        response.writeHead(404).end();
    }
  });
});
afterEach(async () => {
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

const git = (...args: readonly string[]) => execFileSync("git", ["-C", dir, ...args], { encoding: "utf8" }).trim();

/** A repository with a commit and a changed file. */
async function repository(): Promise<void> {
  git("init", "-q", "-b", "tuning");
  git("config", "user.email", "a@example.org");
  git("config", "user.name", "a");
  await writeFile(path.join(dir, "serve.sh"), "1\n");
  await writeFile(path.join(dir, "with space.txt"), "1\n");
  git("add", ".");
  git("commit", "-q", "-m", "one");
  await writeFile(path.join(dir, "with space.txt"), "2\n");
  await writeFile(path.join(dir, "new.txt"), "not tracked\n");
}

async function capture(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Provenance | undefined> {
  const out = path.join(dir, "out");
  const finished = await startCli(
    [
      ...["capture", "--url", `${server.origin}/metrics`, "--header", `Authorization: Bearer ${SECRET}`],
      ...["--interval", "100ms", "--formats", "json,csv,jsonl,parquet", "--out", out],
      ...["--force", "--summary", "none", ...args],
    ],
    { cwd: dir, env },
  ).finished;
  expect(finished.code, finished.stderr).toBe(0);
  const { input_config: config } = JSON.parse(await readFile(path.join(out, "server_metrics_export.json"), "utf8")) as {
    input_config: { provenance?: Provenance };
  };
  return config.provenance;
}

describe("where a run came from", () => {
  it("is recorded with the run, in every format that has a configuration", async () => {
    await repository();
    const bin = path.join(dir, "bin");
    await mkdir(bin);
    await writeFile(path.join(bin, "nvidia-smi"), "#!/bin/sh\necho 'NVIDIA H100, 81559 MiB, 550.54'\n");
    await chmod(path.join(bin, "nvidia-smi"), 0o755);
    const found = await capture(["--duration", "2"], { PATH: `${bin}:${process.env["PATH"] ?? ""}` });
    expect(found?.git).toEqual({ commit: git("rev-parse", "HEAD"), branch: "tuning", changed: ["with space.txt"] });
    expect(found?.machine).toMatchObject({ host: hostname(), gpus: ["NVIDIA H100, 81559 MiB, driver 550.54"] });
    expect(found?.command).toBeUndefined();
    expect(found?.neighbours?.load_average_at_end).toBeTypeOf("number");
    const said = found?.servers?.[`${server.origin}/metrics`];
    expect(said).toMatchObject({ version: "0.11.2", models: [{ id: "org/m" }] });
    expect(said?.settings).toMatchObject({
      "cache_config.num_gpu_blocks": "100",
      "scheduler_config.max_num_seqs": "32",
    });
    // The process that listens is this test.
    if (process.platform === "linux") expect(said?.command).toContain(path.basename(process.execPath));
    const jsonl = await readFile(path.join(dir, "out", "server_metrics_export.jsonl"), "utf8");
    expect(jsonl.split("\n")[0]).toContain('"provenance":{');
    const [metadata] = await query(
      `select decode(value) as text from parquet_kv_metadata('${path.join(dir, "out", "server_metrics_export.parquet")}')
       where decode(key) = 'aiperf.input_config'`,
    );
    expect(metadata?.["text"]).toContain('"provenance"');
  });

  it("contacts the endpoint's own server alone, once, after its first scrape", async () => {
    await capture(["--duration", "1"]);
    const others = asked.filter(({ url }) => url !== "/metrics").map(({ url }) => url);
    expect(others).toEqual(["/version", "/v1/models", "/server_info?config_format=json"]);
    expect(asked.findIndex(({ url }) => url === "/metrics")).toBeLessThan(
      asked.findIndex(({ url }) => url === "/version"),
    );
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${SECRET}`]));
  });

  it("has a command and no secret, wherever one may stand", async () => {
    const found = await capture([
      ...["--", "env", `HF_TOKEN=${SECRET}`, "sh", "-c", `sleep 1; : --api-key ${SECRET} -H "X: ${SECRET}"`],
      ...["sh", "--password", SECRET, "--url", `http://u:${SECRET}@h/?token=${SECRET}`],
    ]);
    expect(found?.command?.line).toContain("env HF_TOKEN=REDACTED sh -c");
    expect(found?.servers?.[`${server.origin}/metrics`]?.settings).toMatchObject({
      "kv_transfer.hf_token": "REDACTED",
      "kv_transfer.extra.apiKey": "REDACTED",
      echo: "got REDACTED",
    });
    const out = path.join(dir, "out");
    for (const name of await readdir(out)) {
      expect(await readFile(path.join(out, name), "latin1"), name).not.toContain(SECRET);
      if (/\.(?:json|jsonl|parquet)$/.test(name))
        expect((await runCli(["show", path.join(out, name), "--json"])).stdout, name).not.toContain(SECRET);
    }
  });

  it("tells the version of a load generator from its package, without running it", async () => {
    const environment = path.join(dir, "venv");
    await mkdir(path.join(environment, "bin"), { recursive: true });
    await mkdir(path.join(environment, "lib/python3.12/site-packages/aiperf-0.11.0.dist-info"), { recursive: true });
    const program = path.join(environment, "bin", "aiperf");
    await writeFile(program, '#!/bin/sh\ntest "$1" = profile && sleep 1\n');
    await chmod(program, 0o755);
    const found = await capture(["--provenance", "command", "--", program, "profile", "--model", "m"]);
    expect(found).toEqual({ command: { line: `${program} profile --model m`, version: "0.11.0" } });
  });

  it("is left out where it is not wanted, as a whole or in part", async () => {
    await repository();
    expect(await capture(["--duration", "0.5", "--provenance", "none"])).toBeUndefined();
    expect(asked.every(({ url }) => url === "/metrics")).toBe(true);
    const found = await capture(["--duration", "0.5", "--provenance", "git,neighbours"]);
    expect(Object.keys(found ?? {}).sort()).toEqual(["git", "neighbours"]);
    expect(asked.every(({ url }) => url === "/metrics")).toBe(true);
  });

  it("is in the journal of a capture that was killed, and survives a mark", async () => {
    const out = path.join(dir, "out");
    const running = startCli(
      [
        ...["capture", "--url", `${server.origin}/metrics`, "--interval", "100ms", "--out", out, "--summary", "none"],
        ...["--mark", "0.1:a"],
      ],
      { cwd: dir },
    );
    const begun = () => asked.findIndex(({ url }) => url.startsWith("/server_info"));
    await until("scrapes after the server was asked", () => begun() >= 0 && asked.length > begun() + 30);
    running.child.kill("SIGKILL");
    await running.finished;
    const journal = (await readdir(out)).find((name) => name.includes("journal"));
    expect((await runCli(["recover", path.join(out, journal ?? ""), "--out", out, "--formats", "json"])).code).toBe(0);
    const text = await readFile(path.join(out, "server_metrics_export.json"), "utf8");
    expect(text).toContain('"scheduler_config.max_num_seqs": "32"');
    expect(text).toContain('"label": "a"');
  });
});

it.runIf(process.platform === "linux")(
  "the insights command finds a flag that the demo server silently ignores",
  async () => {
    const demo = startCli(["demo", "--port", "0", "--max-num-seqs", "128"]);
    let url = "";
    demo.child.stdout?.on("data", (text: Buffer) => (url ||= /http\S+/.exec(String(text))?.[0] ?? ""));
    await until("the demo", () => url !== "");
    const out = path.join(dir, "demo");
    const finished = await runCli(["capture", url, "--duration", "2", "--interval", "200ms", "--out", out]);
    demo.child.kill("SIGINT");
    expect(finished.code, finished.stderr).toBe(0);
    expect(finished.stdout + finished.stderr).toContain("--max-num-seqs 128 was asked for, the server reports 64");
  },
);
