import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach } from "vitest";
import { recordDemo } from "../../src/demo/index.js";
import { ComparisonEngine, type ComparisonEngineOptions } from "../../src/engine/comparison/comparison.js";
import type { ComparisonClient } from "../../src/engine/client.js";
import { exportArtifacts, replayScrapeLog } from "../../src/files/index.js";
import type {
  ComparedSource,
  ComparisonEngineRequests,
  ComparisonEvents,
  ComparisonSettings,
  ComparisonState,
} from "../../src/protocol/comparison.js";
import { ChannelClient } from "../../src/protocol/index.js";
import { pipe } from "../support/pipe.js";

const SETTINGS: ComparisonSettings = { threshold: 0.03, labelRules: [], directions: {}, objectives: [] };

/** A view of a comparison engine in this thread. */
class View {
  readonly client: ComparisonClient;
  readonly states: ComparisonState[] = [];
  private waiting: {
    readonly until: (state: ComparisonState) => boolean;
    readonly resolve: (state: ComparisonState) => void;
  }[] = [];

  constructor(options: ComparisonEngineOptions) {
    const [view, own] = pipe();
    new ComparisonEngine(own, options);
    this.client = new ChannelClient<ComparisonEngineRequests, ComparisonEvents>(view);
    this.client.on("state", (state) => {
      this.states.push(state);
      for (const one of this.waiting.filter(({ until }) => until(state))) {
        this.waiting = this.waiting.filter((other) => other !== one);
        one.resolve(state);
      }
    });
  }

  /** The next state, from now on, of which this holds. */
  next(until: (state: ComparisonState) => boolean): Promise<ComparisonState> {
    return new Promise((resolve) => this.waiting.push({ until, resolve }));
  }

  async compare(sources: readonly (string | ComparedSource)[], settings = SETTINGS): Promise<ComparisonState> {
    const settled = this.next(isSettled);
    await this.client.call("compare", {
      sources: sources.map((source) => (typeof source === "string" ? { path: source } : source)),
      settings,
    });
    return settled;
  }
}

/** Everything has been read, and there is a result of it or a reason why there is none. */
export function isSettled({ runs, comparing, revision, problem }: ComparisonState): boolean {
  return (
    runs.every(({ state }) => state.kind !== "reading") &&
    comparing === undefined &&
    (revision > 0 || problem !== undefined)
  );
}

/** Views of comparison engines, which end with the test that made them. */
export function comparisonViews(): (options?: ComparisonEngineOptions) => View {
  const views: View[] = [];
  afterEach(() => views.splice(0).forEach(({ client }) => client.dispose()));
  return (options = {}) => {
    const made = new View(options);
    views.push(made);
    return made;
  };
}

async function record(
  folder: string,
  options: { readonly kvBlocks?: number; readonly seed: number; readonly profile?: "vllm" | "sglang" | "trtllm" },
  renamed: (line: string) => string = (line) => line,
): Promise<string[]> {
  const lines: string[] = [];
  await recordDemo({ durationSeconds: 240, ...options }, (line) => void lines.push(renamed(line)));
  await mkdir(folder, { recursive: true });
  const log = path.join(folder, "scrapes.jsonl");
  await writeFile(log, `${lines.join("\n")}\n`);
  const { run } = await replayScrapeLog(log, { sliceDurationSeconds: 5 });
  await exportArtifacts(run, { directory: folder, formats: ["json", "csv", "jsonl", "parquet"], verify: false });
  return lines;
}

/**
 * Runs in folders "small", "large" and "other" of one folder: two of a vLLM whose KV caches differ in size, and one of
 * another server.
 * @returns paths, and the lines of the small run's scrape log
 */
export async function recordComparedRuns() {
  const dir = await mkdtemp(path.join(tmpdir(), "server-metrics-comparison-"));
  const logLines = await record(path.join(dir, "small"), { kvBlocks: 1500, seed: 3 });
  await record(path.join(dir, "large"), { kvBlocks: 6000, seed: 3 });
  // Of no server that the catalogue knows, so that no concept joins it to the others.
  await record(path.join(dir, "other"), { seed: 3, profile: "trtllm" }, (line) => line.replaceAll("trtllm:", "acme_"));
  return {
    dir,
    small: path.join(dir, "small", "server_metrics_export.parquet"),
    large: path.join(dir, "large", "server_metrics_export.jsonl"),
    logLines,
  };
}
