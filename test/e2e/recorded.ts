import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { epochNs } from "../../src/core/model/index.js";
import { recordDemo, type DemoProfile } from "../../src/demo/index.js";
import { runCli } from "../support/cli.js";

const SECONDS = 240;
const START = 1_765_000_000_000_000_000n;
const HOUR = 3_600_000_000_000n;

/** A run of a simulated server, of 240 s, in the folder `runs` of a workspace. */
export async function recordRun(
  folder: string,
  name: string,
  format: string,
  options: {
    readonly profile?: DemoProfile;
    readonly kvBlocks?: number;
    readonly hours?: number;
    /** What the families of the profile are renamed to, so that nobody knows them. */
    readonly unknownAs?: string;
  },
): Promise<void> {
  const lines: string[] = [];
  const { hours = 0, unknownAs, ...simulation } = options;
  await recordDemo(
    { durationSeconds: SECONDS, seed: 3, startNs: epochNs(START + BigInt(hours) * HOUR), ...simulation },
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
  ]);
  await rm(log);
  expect(replayed.code, replayed.stderr).toBe(0);
}
