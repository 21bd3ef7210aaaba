import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replayScrapeLog } from "../../src/files/index.js";
import { epochNs } from "../../src/core/model/index.js";
import type { Run } from "../../src/core/store/index.js";

/** A recorded scrape log with its window, and the artifacts that the reference computed from it. */
export interface ConformanceCase {
  readonly name: string;
  readonly log: string;
  readonly expected: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly sliceDurationSeconds: number;
}

/** Every case in the conformance data's `runs` folder. */
export function conformanceCases(directory: string): readonly ConformanceCase[] {
  return readdirSync(join(directory, "runs"))
    .sort()
    .map((name) => {
      const folder = join(directory, "runs", name);
      const window = JSON.parse(readFileSync(join(folder, "window.json"), "utf8")) as {
        start_ns: string;
        end_ns: string;
        slice_duration_s: number;
      };
      return {
        name,
        log: join(folder, "scrapes.jsonl.gz"),
        expected: join(folder, "expected"),
        startNs: BigInt(window.start_ns),
        endNs: BigInt(window.end_ns),
        sliceDurationSeconds: window.slice_duration_s,
      };
    });
}

/** Runs a case's scrape log through the parser and the store; its window is the recorded one. */
export async function replayCase({ log, startNs, endNs, sliceDurationSeconds }: ConformanceCase): Promise<Run> {
  const { run } = await replayScrapeLog(log, {
    startNs: epochNs(startNs),
    endNs: epochNs(endNs),
    sliceDurationSeconds,
  });
  return run;
}
