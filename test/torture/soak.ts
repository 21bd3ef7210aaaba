import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openArtifact } from "../../src/files/open/index.js";
import { startCli } from "../support/cli.js";
import { differenceOf, recordedOf } from "./recorded.js";
import { startServers } from "./servers.js";

export interface SoakResult {
  readonly scrapes: number;
  readonly failures: number;
  readonly missedTicks: number;
  /** Median resident memory after a quarter of the time and at its end, MiB. */
  readonly settledMiB: number;
  readonly finalMiB: number;
  readonly wrong: readonly string[];
}

const ENDPOINTS = 50;
const INTERVAL_MS = 1000;
const FAULTS = 0.1;

/** A capture of many endpoints with faults of chance, compared with what they served. Needs /proc for its memory. */
export async function soak(cli: string, minutes: number, random: () => number): Promise<SoakResult> {
  const out = await mkdtemp(join(tmpdir(), "server-metrics-soak-"));
  const servers = await startServers(ENDPOINTS, FAULTS, random);
  const memory: number[] = [];
  try {
    const { child, finished } = startCli(
      [
        "capture",
        ...servers.flatMap(({ url }) => ["--url", url]),
        ...["--interval", `${INTERVAL_MS}ms`, "--scrape-timeout", "800ms", "--duration", String(minutes * 60)],
        ...["--formats", "jsonl,parquet,json", "--summary", "none", "--out", out],
      ],
      { cli },
    );
    const timer = setInterval(() => void residentMiB(child.pid).then((mib) => mib > 0 && memory.push(mib)), 2000);
    const { code, stdout, stderr } = await finished.finally(() => clearInterval(timer));
    const wrong = code === 0 ? [] : [`the capture ended with ${code}: ${stderr.slice(-500)}`];
    const opened = await openArtifact(join(out, "server_metrics_export.jsonl"));
    if (opened.kind !== "samples") throw new Error(`the JSONL opened as ${opened.kind}`);
    const { run } = opened;
    let failures = 0;
    const recorded = recordedOf(run);
    for (const { url, served } of servers) {
      const difference = differenceOf(recorded.get(url) ?? { values: [] }, served);
      if (difference !== undefined) wrong.push(`${url}: ${difference}`);
    }
    let skipped = 0;
    for (const axis of run.store.endpoints) {
      failures += axis.failures;
      const times = Array.from(axis.times.view()).sort((a, b) => a - b);
      // A failed scrape bears the time at which it failed, at most its timeout later.
      for (let i = 1; i < times.length; i++) {
        const ticks = ((times[i] ?? 0) - (times[i - 1] ?? 0)) / 1e6 / INTERVAL_MS;
        if (ticks > 1.95) skipped += Math.round(ticks - 1);
      }
    }
    const missedTicks = [...stderr.matchAll(/(\d+) of \d+ scrapes (?:was|were) not made/g)].reduce(
      (sum, [, ticks]) => sum + Number(ticks),
      0,
    );
    if (skipped > missedTicks + ENDPOINTS)
      wrong.push(`${skipped} ticks have no scrape, and the capture reported ${missedTicks}`);
    if (!stdout.includes("metrics of ")) wrong.push("the capture did not say what it reached");
    // The last samples are of the export.
    const capture = memory.slice(0, Math.floor((minutes * 60) / 2));
    const quarter = Math.max(5, Math.floor(capture.length / 4));
    return {
      scrapes: run.store.scrapes,
      failures,
      missedTicks,
      settledMiB: median(capture.slice(quarter, quarter * 2)),
      finalMiB: median(capture.slice(-quarter)),
      wrong,
    };
  } finally {
    for (const server of servers) server.close();
    await rm(out, { recursive: true, force: true });
  }
}

async function residentMiB(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid ?? 0}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s*(\d+)/.exec(text)?.[1] ?? 0) / 1024;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
