import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runCli, startCli, until } from "../support/cli.js";

describe("a capture whose load generator names its steps", () => {
  const made: string[] = [];
  afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true }))));

  it("counts what was done before a step to the one before it, and writes the phases", async () => {
    const folder = await mkdtemp(join(tmpdir(), "server-metrics-steps-"));
    made.push(folder);
    let done = 0;
    let scrapes = 0;
    const server = createServer((_, response) => {
      scrapes++;
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end(`# TYPE done_total counter\ndone_total ${done}\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const steps = join(folder, "steps.txt");
    const out = join(folder, "run");
    // Long enough that a regular scrape after a step would be another than the one between two.
    const running = startCli(
      [
        ...["capture", "--url", `http://127.0.0.1:${port}/metrics`, "--interval", "400ms", "--formats", "json,jsonl"],
        ...["--phase-from-file", steps, "--mark", "0.1:warming", "--out", out],
      ],
      {},
    );
    await until("the capture", () => running.stderrSoFar().includes("endpoints reachable"));
    const step = async (name: string, requests: number) => {
      const before = scrapes;
      await appendFile(steps, `${name}\n`);
      // The scrape between two phases, and a regular one after it.
      await until(`scrapes of ${name}`, () => scrapes >= before + 4);
      done += requests;
    };
    await step("warmup", 5);
    await step("low load", 7);
    await step("high", 11);
    running.child.kill("SIGINT");
    const { code, stderr } = await running.finished;
    server.close();
    expect(code, stderr).toBe(0);
    const manifest = JSON.parse(await readFile(join(out, "phase_manifest.json"), "utf8")) as {
      phases: { phase_name: string; phase_kind: string }[];
    };
    expect(manifest.phases.map(({ phase_name: name, phase_kind: kind }) => [name, kind])).toEqual([
      ["warmup", "warmup"],
      ["low_load", "profiling"],
      ["high", "profiling"],
    ]);
    const totals: number[] = [];
    for (const name of ["warmup", "low_load", "high"]) {
      const shown = await runCli(["show", join(out, "phase_manifest.json"), "--phase", name, "--json"]);
      const { metrics } = JSON.parse(shown.stdout) as {
        metrics: Record<string, { series: { stats: { total: number } }[] }>;
      };
      totals.push(metrics["done"]?.series[0]?.stats.total ?? NaN);
    }
    expect(totals).toEqual([5, 7, 11]);
  });

  it("says that no phase began where the file never came", async () => {
    const folder = await mkdtemp(join(tmpdir(), "server-metrics-phases-none-"));
    made.push(folder);
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end("g 1\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await runCli([
      ...["capture", `http://127.0.0.1:${port}/metrics`, "--duration", "0.5", "--summary", "none"],
      ...["--phase-from-file", join(folder, "none.txt"), "--out", join(folder, "run")],
    ]);
    server.close();
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/note: no phase of .*none\.txt began: there was no such file during the capture\./);
  });
});
