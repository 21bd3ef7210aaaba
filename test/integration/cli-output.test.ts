import { spawn } from "node:child_process";
import { mkdtemp, open, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLI, runCli, startCli, until } from "../support/cli.js";
import { exposition } from "../support/faulty-server.js";
import { closedAfterEach } from "../support/servers.js";

const { open: toClose, server } = closedAfterEach();

const ARTIFACTS = [...["csv", "json", "parquet"].map((format) => `server_metrics_export.${format}`), "summary.md"];

async function endpoint(): Promise<string> {
  const { origin } = await server((_, response) => void response.end(exposition(1)));
  return `${origin}/metrics`;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "server-metrics-output-"));
  toClose.push({ close: () => rm(path, { recursive: true, force: true }) });
  return path;
}

describe("a capture whose output nobody takes", () => {
  it.runIf(process.platform === "linux")(
    "goes on when the disk of its log is full, and says so in its code",
    async () => {
      const out = await folder();
      const full = await open("/dev/full", "w");
      const child = spawn(
        process.execPath,
        [CLI, "capture", "--url", await endpoint(), "--interval", "100ms", "--duration", "1", "--out", out],
        { stdio: ["ignore", full.fd, full.fd] },
      );
      const code = await new Promise((resolve) => child.once("close", resolve));
      await full.close();
      expect((await readdir(out)).sort()).toEqual(ARTIFACTS);
      expect(code).toBe(1);
    },
  );

  it("goes on when who reads its messages is gone", async () => {
    const out = await folder();
    const url = await endpoint();
    const running = startCli(["capture", "--url", url, "--interval", "100ms", "--out", out]);
    running.finished.catch(() => undefined);
    const ended = new Promise((resolve) => running.child.once("exit", resolve));
    await until("the first message", () => running.stderrSoFar().includes("reachable"));
    running.child.stderr?.destroy();
    running.child.stdout?.destroy();
    running.child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect((await readdir(out)).sort()).toEqual(ARTIFACTS);
  });
});

it.runIf(process.platform === "linux")("what could not be printed is reported", async () => {
  const full = await open("/dev/full", "w");
  const child = spawn(process.execPath, [CLI, "--help"], { stdio: ["ignore", full.fd, "pipe"] });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  await full.close();
  expect(code).toBe(1);
  expect(stderr).toContain("standard output could not be written (ENOSPC)");
  expect((await runCli(["--help"])).code).toBe(0);
});
