import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replayScrapeLog } from "../../src/files/index.js";
import { epochNs, type NamedPhase } from "../../src/core/model/index.js";
import type { Json } from "../../src/core/text/index.js";
import { parsePhaseList } from "../../src/core/window/index.js";
import type { Run } from "../../src/core/store/index.js";

/** A recorded scrape log with its window, and the artifacts that the reference computed from it. */
export interface ConformanceCase {
  readonly name: string;
  readonly log: string;
  readonly expected: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly sliceDurationSeconds: number;
  /** Of schema 1.1. */
  readonly warmup?: { readonly startNs: bigint; readonly endNs: bigint };
  readonly phases?: readonly NamedPhase[];
}

/** Every case in the conformance data's `runs` folder, which is of schema 1.0. */
export function conformanceCases(directory: string): readonly ConformanceCase[] {
  return casesOf(join(directory, "runs"), "expected");
}

/** Every case of schema 1.1 whose artifacts the reference computed over times, as we do. */
export function warmupCases(directory: string): readonly ConformanceCase[] {
  const cases = casesOf(join(directory, "runs-1.1"), "expected-untagged");
  return cases.filter(({ expected }) => existsSync(expected));
}

/** Every case of schema 1.1, with what the reference computed from the tags of scrapes. */
export function phaseCases(directory: string): readonly ConformanceCase[] {
  return casesOf(join(directory, "runs-1.1"), "expected");
}

function casesOf(directory: string, expected: string): readonly ConformanceCase[] {
  return readdirSync(directory)
    .sort()
    .map((name) => {
      const folder = join(directory, name);
      const window = JSON.parse(readFileSync(join(folder, "window.json"), "utf8")) as {
        start_ns: string;
        end_ns: string;
        warmup_start_ns?: string;
        warmup_end_ns?: string;
        slice_duration_s: number;
        phases?: Json;
      };
      const { warmup_start_ns: from, warmup_end_ns: to, phases } = window;
      return {
        name,
        log: join(folder, "scrapes.jsonl.gz"),
        expected: join(folder, expected),
        startNs: BigInt(window.start_ns),
        endNs: BigInt(window.end_ns),
        sliceDurationSeconds: window.slice_duration_s,
        ...(from === undefined || to === undefined ? {} : { warmup: { startNs: BigInt(from), endNs: BigInt(to) } }),
        ...(phases === undefined ? {} : { phases: parsePhaseList(phases) }),
      };
    });
}

/** Runs a case's scrape log through the parser and the store; its window is the recorded one. */
export async function replayCase(given: ConformanceCase): Promise<Run> {
  const { log, startNs, endNs, sliceDurationSeconds, warmup, phases } = given;
  const { run } = await replayScrapeLog(log, {
    sliceDurationSeconds,
    ...(phases === undefined ? { startNs: epochNs(startNs), endNs: epochNs(endNs) } : { phases }),
    ...(phases !== undefined || warmup === undefined
      ? {}
      : { warmup: { startNs: epochNs(warmup.startNs), endNs: epochNs(warmup.endNs) } }),
  });
  return run;
}

/** Runs the lines of a scrape log through the parser and the store; the window is the whole log. */
export async function replayLines(lines: readonly string[], sliceDurationSeconds = 1): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-replay-"));
  try {
    const log = join(folder, "scrapes.jsonl");
    await writeFile(log, lines.map((line) => `${line}\n`).join(""));
    return (await replayScrapeLog(log, { sliceDurationSeconds })).run;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
