import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { recordDemos, scenarioServers } from "../../demo/index.js";

/** What "Open Demo Run" shows: a server whose KV cache is too small, for three minutes, a scrape a second. */
const DEMO_RUN = { scenario: "kv-pressure", seed: 7, durationSeconds: 180, intervalMs: 1000 } as const;

/**
 * Records the demo run on a simulated clock as a scrape log; the same bytes every time.
 * @throws the file system's errors
 */
export async function recordDemoRun(file: string): Promise<void> {
  const lines: string[] = [];
  await recordDemos(scenarioServers(DEMO_RUN.scenario, DEMO_RUN.seed), DEMO_RUN, (line) => void lines.push(line));
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${lines.join("\n")}\n`);
}
