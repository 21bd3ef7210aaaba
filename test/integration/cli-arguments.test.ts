import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { serve, type TestServer } from "../support/faulty-server.js";

let dir: string;
const servers: TestServer[] = [];

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-arguments-"));
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await rm(dir, { recursive: true, force: true });
});

async function metricsServer(): Promise<TestServer> {
  const server = await serve((_, response) => void response.setHeader("content-type", "text/plain").end("up 1\n"));
  servers.push(server);
  return server;
}

describe("capture on the command line", () => {
  it("takes endpoints without --url, formats by space and times with a unit", async () => {
    const { host } = new URL((await metricsServer()).origin);
    const words = ["capture", host, "--duration", "300ms", "--interval", "0.05s", "--formats", "json", "csv"];
    const { code } = await runCli([...words, "--out", dir]);
    expect(code).toBe(0);
    expect((await readdir(dir)).sort()).toEqual([
      "server_metrics_export.csv",
      "server_metrics_export.json",
      "summary.md",
    ]);
  });

  it("refuses a command without -- before anything is captured", async () => {
    const { origin } = await metricsServer();
    const { code, stderr } = await runCli([
      "capture",
      "--url",
      origin,
      "node",
      "bench.js",
      "--out",
      path.join(dir, "o"),
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('"node" is a command, and a command needs -- before it.');
    expect(await readdir(dir)).toEqual([]);
  });

  it("says what a wrong time should look like", async () => {
    const { code, stderr } = await runCli(["capture", "h:1", "--interval", "5x"]);
    expect(code).toBe(2);
    expect(stderr).toContain("from 0.001 to 300. A unit may follow: 333ms");
  });

  it("takes the thresholds of its findings, by their names", async () => {
    const { code, stderr } = await runCli(["capture", "h:1", "--threshold", "kvUsage=0.8", "--threshold", "speed=1"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`there is no threshold "speed"; there are kvUsage,`)]);
  });

  it("names its environment variables in the help", async () => {
    const { stdout } = await runCli(["capture", "--help"]);
    for (const name of ["DEFAULT_ENDPOINTS", "COLLECTION_INTERVAL", "REACHABILITY_TIMEOUT", "FLUSH_PERIOD"])
      expect(stdout).toContain(`SERVER_METRICS_${name}`);
  });

  it("ends at once when every endpoint answers JSON only, and tells that once", async () => {
    const server = await serve((_, response) => void response.setHeader("content-type", "application/json").end("[]"));
    servers.push(server);
    const { code, stderr } = await runCli([
      "capture",
      server.origin,
      "--duration",
      "10m",
      "--out",
      path.join(dir, "o"),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("1/1 endpoints reachable, none with metrics\n");
    expect(stderr).toContain(": answers JSON, no metrics\n");
    expect(stderr.match(/return_perf_metrics/g)).toHaveLength(1);
  });
});
