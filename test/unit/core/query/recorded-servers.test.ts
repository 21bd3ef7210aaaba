import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { familyEntry } from "../../../../src/core/catalog/index.js";
import { unlistedFamilies } from "../../../support/catalog-diff.js";
import {
  keyTiles,
  panelPlans,
  panelSteps,
  metricReader,
  StoredRun,
  type Tile,
} from "../../../../src/core/query/index.js";
import { complete, currentWindow, runStatistics } from "../../../../src/core/stats/index.js";
import type { Run } from "../../../../src/core/store/index.js";
import { recordedRun } from "../../../support/recordings.js";

/*
 * Recordings of servers' own metric classes, 10 s and 200 steps long: see the README beside them. What is expected
 * follows from what each step was given.
 */

const FOLDER = path.join(import.meta.dirname, "../../../fixtures/recordings");
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith(".txt.gz"));
const text = (file: string) => gunzipSync(readFileSync(path.join(FOLDER, file))).toString();
const runOf = (file: string) => recordedRun(text(file), 10).run;

/** Value, or the bounds of an estimate. */
type Expected = number | readonly [number, number];

const TILES: Readonly<Record<string, Readonly<Record<string, Expected>>>> = {
  vllm: {
    "vllm.running": 16,
    "vllm.kv-usage": 0.6,
    "vllm.preemptions": 5,
    "vllm.ttft": [0.2, 0.5],
    "vllm.itl": [0.025, 0.05],
    "vllm.decode": 320,
    "vllm.prefill": 5000,
    "vllm.success": 5,
    "vllm.prefix-hit-rate": 0.4,
    "vllm.kv-block-lifetime": 20,
    "vllm.kv-block-idle": 4,
    "vllm.kv-block-reuse": 2,
    "vllm.corrupted": 1,
  },
  "vllm-offload": { "vllm.offload-loads": 160e6, "vllm.offload-stores": 240e6 },
  sglang: {
    "sglang.running": 24,
    "sglang.token-usage": 0.02,
    "sglang.hit-rate": 0.4,
    "sglang.prefix-hit-rate": 0.4,
    // 300 of the device, 60 of the host and 40 of storage, of those and 900 more.
    "sglang.effective-hit-rate": 400 / 1300,
    "sglang.throughput": 1600,
    "sglang.kv-used": 8000,
    "sglang.kv-evictable": 280_000,
    "sglang.kv-available": 112_000,
    "sglang.fwd-occupancy": 81,
    "sglang.prefill-bootstrap": [3, 6],
    "sglang.prefill-transfer": [3, 6],
    "sglang.decode-prealloc": [3, 6],
    "sglang.decode-transfer": [3, 6],
    "sglang.transfer-failed": 4,
    "sglang.bootstrap-failed": 4,
    "sglang.hicache-usage": 0.25,
    "sglang.lora-pool": 0.375,
    "sglang.grammar-time": [0.03, 0.06],
  },
  lmcache: {
    "lmcache.retrieve-hit-rate": 1,
    "lmcache.retrieve-hit-rate-reported": 0.5,
    "lmcache.lookup-hit-rate": 1,
    "lmcache.lookup-hit-rate-reported": 0.5,
    "lmcache.retrieve-time": [0.04, 0.2],
    "lmcache.store-time": [0.04, 0.2],
    "lmcache.remote-get-time": [0.01, 1],
    "lmcache.local-usage": 4,
  },
  "trtllm-dynamo": {
    "trtllm.kv-transfer-success": 20,
    "trtllm.kv-transfer-latency": [0.01, 0.03],
    "trtllm.kv-transfer-bytes": 80e6,
    "trtllm.kv-transfer-speed": 4,
    "trtllm.aborted": 4,
  },
};

const PANELS: readonly (readonly [file: string, server: string, panel: string, row: string, value: number])[] = [
  ["vllm", "vLLM", "finish-reasons", "stop", 2.5],
  ["vllm", "vLLM", "cache-sources", "External cache hit rate", 25 / 150],
  ["vllm", "vLLM", "speculation", "Draft acceptance rate", 7 / 12],
  ["vllm", "vLLM", "speculation", "Accepted tokens per draft", 7 / 4],
  ["vllm", "vLLM", "speculation", "2", 20],
  ["vllm-offload", "vLLM", "kv-offload", "KV offload load speed", 20e9],
  ["vllm-offload", "vLLM", "kv-offload", "KV offload stores skipped", 1],
  ["vllm-nixl", "vLLM", "disaggregation", "NIXL transfers failed", 0.2],
  ["vllm-nixl", "vLLM", "disaggregation", "NIXL KV expired", 0.4],
  ["sglang", "SGLang", "kv-tokens", "KV cache tokens evictable", 280_000],
  ["sglang", "SGLang", "aborted", "Requests aborted", 0.2],
  ["sglang", "SGLang", "hicache", "HiCache tokens loaded back", 640],
  ["trtllm-dynamo", "TensorRT-LLM", "disaggregation", "KV transfers", 20],
];

function check(tiles: readonly Tile[], expected: Readonly<Record<string, Expected>>): void {
  const values = new Map(tiles.map(({ id, value }) => [id, value]));
  for (const [id, value] of Object.entries(expected)) {
    const [low, high] = typeof value === "number" ? [value, value] : value;
    const shown = values.get(id);
    expect(shown, id).toBeGreaterThanOrEqual(low * (1 - 1e-9));
    expect(shown, id).toBeLessThanOrEqual(high * (1 + 1e-9));
  }
}

const stored = (run: Run) => new StoredRun(complete(runStatistics(run, { unitOf: () => undefined })));

describe.each(FILES)("%s", (file) => {
  it("has no family that the catalogue lacks, and each has the type that the catalogue tells", () => {
    const families = runOf(file).store.families();
    expect(families.length).toBeGreaterThan(3);
    expect(unlistedFamilies(families.map(({ name }) => name))).toEqual([]);
    for (const { name, type } of families) expect(`${name} ${familyEntry(name)?.type}`).toBe(`${name} ${type}`);
  });
});

describe("tiles of recordings", () => {
  it.each(Object.entries(TILES))("%s: are filled, from samples and from statistics", (file, expected) => {
    const run = runOf(`${file}.txt.gz`);
    check(keyTiles(run), expected);
    check(keyTiles(stored(run)), expected);
  });
});

describe("panels of recordings", () => {
  it.each(PANELS)("%s: %s, %s: %s", (file, server, panel, title, value) => {
    const run = runOf(`${file}.txt.gz`);
    const plan = panelPlans(run.store.families(), server).find(({ id }) => id === panel);
    if (plan === undefined) throw new Error(`no panel ${panel}`);
    const { rows } = complete(panelSteps(metricReader(run, currentWindow(run)), plan));
    const figure = rows.find((row) => row.title === title)?.figures[0]?.value ?? NaN;
    expect(figure / value).toBeCloseTo(1, 9);
  });
});

describe("vLLM under Ray", () => {
  /** As Ray exposes them: with its prefix and labels, and each counter without _total as a gauge, too. */
  function underRay(exposition: string): string {
    const lines = exposition
      .replaceAll(/\bvllm:/g, "ray_vllm_")
      .replaceAll("{engine=", '{ReplicaId="r",WorkerId="w",engine=')
      .split("\n");
    const block: string[] = [];
    const gauges: string[] = [];
    for (const line of lines) {
      block.push(line);
      if (/^(# TYPE )?ray_\w+_total\b(?! histogram)/.test(line) && !/iteration_tokens_total/.test(line))
        gauges.push(line.replace("_total", "").replace(/ counter$/, " gauge"));
      if (!line.startsWith("# scrape")) continue;
      block.splice(-1, 0, ...gauges.splice(0));
    }
    return [...block, ...gauges].join("\n");
  }

  it("fills its tiles once, from samples and from statistics", () => {
    const { run } = recordedRun(underRay(text("vllm.txt.gz")), 10);
    const types = new Map(run.store.families().map(({ name, type }) => [name, type]));
    expect(types.get("ray_vllm_generation_tokens")).toBe("gauge");
    expect(types.get("ray_vllm_generation_tokens_total")).toBe("counter");
    expect(unlistedFamilies(types.keys())).toEqual([]);
    check(keyTiles(run), TILES["vllm"] ?? {});
    check(keyTiles(stored(run)), TILES["vllm"] ?? {});
    expect(keyTiles(run).find(({ id }) => id === "vllm.decode")?.family).toBe("ray_vllm_generation_tokens_total");
  });
});
