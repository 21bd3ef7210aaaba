import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { Run } from "../../src/core/store/index.js";
import { startDemoServer, type DemoServer } from "../../src/demo/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { runCli } from "./cli.js";
import { missingPrograms, type RunningStore } from "./stores.js";

const missing = await missingPrograms("prometheus", "promtool", "victoria-metrics", "prometheus-pushgateway");

/** Whether one of the programs is not installed. */
export const absent = (...programs: readonly string[]) => programs.some((program) => missing.includes(program));

/** A block's name, which says what is missing. */
export const named = (what: string, ...programs: readonly string[]) =>
  absent(...programs) ? `${what} (not installed: ${programs.filter((one) => missing.includes(one)).join(", ")})` : what;

export async function runOf(file: string): Promise<Run> {
  const opened = await openArtifact(file, {});
  if (opened.kind !== "samples") throw new Error(`${file} contains no samples`);
  return opened.run;
}

/** A demo server, captures of it by the command line, and what stores give back of them. */
export class SinkBench {
  private running: { readonly dir: string; readonly demo: DemoServer } | undefined;

  /** Runs while the tests of the file do that asks for it. */
  static ofFile(): SinkBench {
    const bench = new SinkBench();
    beforeAll(() => bench.start());
    afterAll(() => bench.close());
    return bench;
  }

  get dir(): string {
    return this.parts.dir;
  }

  get demo(): DemoServer {
    return this.parts.demo;
  }

  private get parts() {
    if (this.running === undefined) throw new Error("the bench runs only while tests do");
    return this.running;
  }

  private async start(): Promise<void> {
    const dir = await mkdtemp(path.join(tmpdir(), "server-metrics-sinks-"));
    this.running = { dir, demo: await startDemoServer({ port: 0 }) };
  }

  private async close(): Promise<void> {
    await this.demo.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Arguments of a capture to the folder of this name. */
  capture(name: string): readonly string[] {
    return [
      ...["capture", "--url", this.demo.url, "--interval", "100ms", "--duration", "2", "--summary", "none"],
      ...["--formats", "jsonl", "--out", path.join(this.dir, name)],
    ];
  }

  fileOf(name: string): string {
    return path.join(this.dir, name, "server_metrics_export.jsonl");
  }

  /** Captures what no sink has. @returns its JSONL */
  async plain(label: string): Promise<string> {
    const captured = await runCli([...this.capture("plain"), "--label", label]);
    expect(captured, captured.stderr).toMatchObject({ code: 0 });
    return this.fileOf("plain");
  }

  /** What a store has of the time of a run. */
  async fetched(store: RunningStore, match: string, name: string, original: Run): Promise<Run> {
    const start = Number(original.store.origin / 1_000_000n) - 1000;
    const result = await runCli([
      ...["fetch", "--prometheus", store.url, "--match", match, "--out", path.join(this.dir, name)],
      ...["--formats", "jsonl", "--start", String(start / 1000), "--end", String(start / 1000 + 60)],
    ]);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return runOf(this.fileOf(name));
  }
}
