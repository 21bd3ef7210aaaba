import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { UserError } from "../../src/core/text/errors.js";
import { recoverJournal } from "../../src/files/index.js";
import { startCli, until } from "../support/cli.js";
import { differenceOf, recordedOf } from "./recorded.js";
import { startServers } from "./servers.js";

export interface KillResult {
  readonly kills: number;
  /** Seconds of answers that were lost, one number a kill: from the first one that is missing to the kill. */
  readonly losses: readonly number[];
  readonly wrong: readonly string[];
}

const ENDPOINTS = 3;
const INTERVAL_MS = 50;
/** On a busy machine the command line takes a while to start. */
const BUSY_MS = 120_000;

/** Captures that are killed at a moment of chance; what is left of them is compared with what was served. */
export async function killCaptures(cli: string, kills: number, random: () => number): Promise<KillResult> {
  const losses: number[] = [];
  const wrong: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const out = await mkdtemp(join(tmpdir(), "server-metrics-torture-"));
    const servers = await startServers(ENDPOINTS, 0, random);
    try {
      const urls = servers.flatMap(({ url }) => ["--url", url]);
      const { child, finished } = startCli(["capture", ...urls, "--interval", `${INTERVAL_MS}ms`, "--out", out], {
        cli,
      });
      await until("the first scrapes", () => servers.every(({ served }) => served.length > 2), BUSY_MS);
      await setTimeout(200 + random() * 3300);
      const killed = Date.now();
      child.kill("SIGKILL");
      await finished;
      const journal = (await readdir(out)).find((file) => file.includes("journal"));
      const run =
        journal === undefined
          ? undefined
          : await recoverJournal(join(out, journal)).then(
              (recovered) => recovered.run,
              (error: unknown) => {
                if (error instanceof UserError) return undefined;
                throw error;
              },
            );
      let loss = 0;
      for (const { url, served } of servers) {
        const recorded = (run === undefined ? undefined : recordedOf(run).get(url)) ?? { values: [] };
        const difference = differenceOf(recorded, served);
        if (difference !== undefined) wrong.push(`kill ${kill}, ${url}: ${difference}`);
        // Without any record the test of the endpoint took the first answer.
        const last = recorded.values.findLast((value) => !Number.isNaN(value)) ?? 1;
        const lost = served.find(({ value, time }) => value > last && time <= killed);
        if (lost !== undefined) loss = Math.max(loss, (killed - lost.time) / 1000);
      }
      losses.push(loss);
    } finally {
      for (const server of servers) server.close();
      await rm(out, { recursive: true, force: true });
    }
  }
  return { kills, losses, wrong };
}
