import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { epochNs } from "../../src/core/model/index.js";
import { recordDemo, type DemoProfile } from "../../src/demo/index.js";
import { runCli } from "../support/cli.js";

const START = 1_765_000_000_000_000_000n;
const SECOND = 1_000_000_000n;
const HOUR = 3600n * SECOND;

/** A run of a simulated server in the folder `runs` of a workspace. */
export async function recordRun(
  folder: string,
  name: string,
  format: string,
  options: {
    readonly profile?: DemoProfile;
    readonly kvBlocks?: number;
    /** Since the first run of the workspace. */
    readonly hours?: number;
    /** Its length; absent: 240 s. */
    readonly seconds?: number;
    /** Left out of its statistics. */
    readonly warmupSeconds?: number;
    /** What the families of the profile are renamed to, so that nobody knows them. */
    readonly unknownAs?: string;
  },
): Promise<void> {
  const lines: string[] = [];
  const { hours = 0, seconds = 240, warmupSeconds, unknownAs, ...simulation } = options;
  const start = START + BigInt(hours) * HOUR;
  await recordDemo(
    { durationSeconds: seconds, seed: 3, startNs: epochNs(start), ...simulation },
    (line) => void lines.push(unknownAs === undefined ? line : line.replaceAll("trtllm", unknownAs)),
  );
  const log = path.join(folder, "..", `${path.basename(folder)}-${name}.jsonl`);
  await writeFile(log, `${lines.join("\n")}\n`);
  const replayed = await runCli([
    "replay",
    log,
    "--out",
    path.join(folder, "runs"),
    "--formats",
    format,
    "--prefix",
    name,
    ...(warmupSeconds === undefined ? [] : ["--start-ns", String(start + BigInt(warmupSeconds) * SECOND)]),
  ]);
  await rm(log);
  expect(replayed.code, replayed.stderr).toBe(0);
}
