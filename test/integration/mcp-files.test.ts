import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli, until } from "../support/cli.js";
import { startMcp } from "../support/mcp.js";

const SECRET = "aws_secret_access_key";
let base: string;
beforeAll(async () => (base = await realpath(await mkdtemp(join(tmpdir(), "server-metrics-mcp-files-")))));
afterAll(() => rm(base, { recursive: true, force: true }));

describe.runIf(process.platform !== "win32")("the MCP server among pipes and links", () => {
  it("goes on capturing and answering, gives nothing of elsewhere, and ends with its input", async () => {
    const folder = join(base, "runs");
    await mkdir(folder);
    let scrapes = 0;
    const server = createServer((_request, response) => {
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end(`# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${++scrapes}\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
    const session = await startMcp(folder, () => true);
    const started = await session.call("start_capture", { urls: [url], interval_ms: 50 });
    expect(started.isError, started.text).toBe(false);
    const done = await runCli(["capture", url, "--out", join(folder, "run"), "--duration", "1"]);
    expect(done.code, done.stderr).toBe(0);
    const run = join(folder, "run");
    for (const name of ["profile_export.jsonl", "a.json", "b.json", "c.yaml", "d.jsonl"])
      await promisify(execFile)("mkfifo", [join(run, name)]);
    await symlink("/dev/zero", join(run, "gpu_telemetry_export.jsonl"));
    await writeFile(join(base, "credentials"), `${SECRET} = 1`);
    await symlink(join(base, "credentials"), join(run, "phase_manifest.json"));
    await writeFile(join(folder, ".env"), SECRET);
    const described = await session.call("describe_run", { run: "run/server_metrics_export" });
    expect(described.isError, described.text).toBe(false);
    expect(described.text).toContain("phase_manifest.json is a link");
    expect(described.text).not.toContain(SECRET);
    const other = await session.call("describe_run", { run: ".env" });
    expect(other.text).toContain("There is no run .env.");
    expect(other.text).not.toContain(SECRET);
    const before = scrapes;
    await until("the capture goes on", () => scrapes > before + 5);
    await session.close();
    server.close();
  });

  it("answers 300 calls at a time, each its own, while it captures", async () => {
    const folder = join(base, "many");
    await mkdir(folder);
    let scrapes = 0;
    const server = createServer((_request, response) => {
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end(`# TYPE up_now gauge\nup_now ${++scrapes}\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
    const done = await runCli(["capture", url, "--out", join(folder, "run"), "--duration", "1"]);
    expect(done.code, done.stderr).toBe(0);
    const session = await startMcp(folder, () => true);
    const run = "run/server_metrics_export";
    const started = await session.call("start_capture", { urls: [url], interval_ms: 50 });
    const before = scrapes;
    const kinds = [
      ["describe_run", { run }, /"total_metrics":1/],
      ["query_metric", { run, family: "up_now", statistic: "max" }, /"series":/],
      ["list_runs", {}, /"capturing":/],
      ["describe_run", { run: "none" }, /There is no run none/],
    ] as const;
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        const [name, args, expected] = kinds[i % kinds.length]!;
        return expected.test((await session.call(name, args)).text);
      }),
    );
    expect(answers.every(Boolean)).toBe(true);
    await until("the capture goes on", () => scrapes > before + 5);
    const stopped = await session.call("stop_capture", { capture: String(started.json["capture"]) });
    expect(stopped.isError, stopped.text).toBe(false);
    await session.close();
    server.close();
  });

  it("refuses a folder that a link leads out of where it has to stay in one", async () => {
    const [workspace, elsewhere] = [join(base, "workspace"), join(base, "elsewhere")];
    await mkdir(workspace);
    await mkdir(elsewhere);
    await symlink(elsewhere, join(workspace, "artifacts"));
    const refused = await runCli(["mcp", join(workspace, "artifacts", "runs"), "--make", "--within", workspace]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(`lies outside ${workspace}`);
  });
});
