import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openArtifact } from "../../src/files/open/index.js";
import { startCli, until } from "../support/cli.js";
import { differenceOf, recordedOf } from "./recorded.js";
import { startServers } from "./servers.js";

export interface PauseResult {
  /** Seconds between the last scrape before the pause and the first one after it, of the endpoint with the shortest. */
  readonly gapSeconds: number;
  /** By what the capture said; of the endpoint with the fewest. */
  readonly missedTicks: number;
  readonly wrong: readonly string[];
}

const ENDPOINTS = 3;
const INTERVAL_MS = 200;
/** Before the pause, and after it. */
const AROUND_MS = 3000;

/** A capture that is stopped (SIGSTOP) for a while, as by a debugger or a laptop's lid, and goes on. */
export async function pauseCapture(cli: string, seconds: number, random: () => number): Promise<PauseResult> {
  const out = await mkdtemp(join(tmpdir(), "server-metrics-torture-"));
  const servers = await startServers(ENDPOINTS, 0, random);
  try {
    const urls = servers.flatMap(({ url }) => ["--url", url]);
    const { child, finished } = startCli(
      ["capture", ...urls, "--interval", `${INTERVAL_MS}ms`, "--formats", "jsonl", "--summary", "none", "--out", out],
      { cli },
    );
    await until("the first scrapes", () => servers.every(({ served }) => served.length > 2));
    await setTimeout(AROUND_MS);
    child.kill("SIGSTOP");
    const from = Date.now();
    await setTimeout(seconds * 1000);
    child.kill("SIGCONT");
    const to = Date.now();
    await setTimeout(AROUND_MS);
    child.kill("SIGINT");
    const { code, stderr } = await finished;
    const wrong = code === 0 ? [] : [`the paused capture ended with ${code}: ${stderr.slice(-500)}`];
    const opened = await openArtifact(join(out, "server_metrics_export.jsonl"));
    if (opened.kind !== "samples") throw new Error(`the JSONL opened as ${opened.kind}`);
    const { store } = opened.run;
    const recorded = recordedOf(opened.run);
    for (const { url, served } of servers) {
      const difference = differenceOf(recorded.get(url) ?? { values: [] }, served);
      if (difference !== undefined) wrong.push(`${url}: ${difference}`);
    }
    let gapSeconds = Infinity;
    for (const { url, times } of store.endpoints) {
      const at = Array.from(times.view(), (offset) => Number(store.origin / 1_000_000n) + offset / 1e6);
      at.sort((a, b) => a - b);
      gapSeconds = Math.min(gapSeconds, Math.max(...at.slice(1).map((time, i) => time - (at[i] ?? 0))) / 1000);
      // What was on its way when the pause began may bear a time a moment later.
      const within = at.filter((time) => time > from + INTERVAL_MS && time < to).length;
      if (within > 0) wrong.push(`${url} has ${within} scrapes within the pause`);
    }
    const told = [...stderr.matchAll(/(\d+) of \d+ scrapes (?:was|were) not made/g)].map(([, ticks]) => Number(ticks));
    if (told.length !== ENDPOINTS) wrong.push(`missed ticks were told of ${told.length} of ${ENDPOINTS} endpoints`);
    return { gapSeconds, missedTicks: Math.min(Infinity, ...told), wrong };
  } finally {
    for (const server of servers) server.close();
    await rm(out, { recursive: true, force: true });
  }
}
