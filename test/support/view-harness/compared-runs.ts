import {
  boundText,
  durationNs,
  epochNs,
  makeLabels,
  type Labels,
  type SampleDef,
} from "../../../src/core/model/index.js";
import type { JsonObject } from "../../../src/core/text/index.js";
import { Run, Store } from "../../../src/core/store/index.js";
import { normal, poisson, seeded, type Random } from "../histogram-simulation.js";

/*
 * Runs of a made-up vLLM server, to be compared in the browser by the project's own core: two engines, a warm-up of ten
 * seconds, two minutes of profiling at two scrapes a second. What is faster or slower about a run is said by its
 * recipe, so that verdicts can be foreseen.
 */

export interface Recipe {
  readonly label: string;
  readonly seed: number;
  /** Factor on all latencies. Default: 1. */
  readonly latency?: number;
  /** Factor on tokens and requests per second. Default: 1. */
  readonly throughput?: number;
  readonly version?: string;
  readonly model?: string;
  readonly port?: number;
  readonly engines?: readonly string[];
  /** Begins so many seconds after the first. */
  readonly later?: number;
  /** Profiling, seconds. Default: 120. */
  readonly seconds?: number;
  /** Gauges of devices, for a long table. */
  readonly devices?: number;
  readonly config?: JsonObject;
  /** It is still being captured. */
  readonly live?: true;
  /** A family that others have not. */
  readonly extra?: string;
  /** Its families are these of another engine; the others are left out. */
  readonly families?: ReadonlyMap<string, string>;
}

const SCRAPES_PER_SECOND = 2;
const WARMUP_SECONDS = 10;
/** Before the first request. */
const QUIET_SECONDS = 3;
const ORIGIN = Date.UTC(2025, 10, 21, 13, 4, 11);
const BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
export const MODEL = "meta-llama/Llama-3.1-70B-Instruct";

/** Adds what happened in an interval to the cells of one series, beginning at `at`. */
type Step = (values: Float64Array, at: number, load: number) => void;

interface Part {
  readonly defs: readonly SampleDef[];
  readonly step: Step;
}

function scalar(
  name: string,
  type: "gauge" | "counter",
  labels: Labels,
  step: (before: number, load: number) => number,
): Part {
  return {
    defs: [{ family: { name, type, description: `Made-up ${name}.` }, labels, part: { kind: "value" } }],
    step: (values, at, load) => {
      values[at] = step(values[at] ?? 0, load);
    },
  };
}

function histogram(random: Random, name: string, labels: Labels, median: number, perSecond: number): Part {
  const family = { name, type: "histogram", description: `Made-up ${name}.` } as const;
  const buckets = [...BOUNDS, Infinity].map((upper): SampleDef => ({
    family,
    labels,
    part: { kind: "bucket", bound: boundText(upper === Infinity ? "+Inf" : String(upper)), upper },
  }));
  return {
    defs: [...buckets, { family, labels, part: { kind: "sum" } }, { family, labels, part: { kind: "count" } }],
    step: (values, at, load) => {
      const add = (i: number, by: number) => (values[at + i] = (values[at + i] ?? 0) + by);
      for (let k = load === 0 ? 0 : poisson(random, perSecond / SCRAPES_PER_SECOND); k > 0; k--) {
        const value = median * load * Math.exp(0.5 * normal(random));
        for (let b = BOUNDS.length; b >= 0 && value <= (BOUNDS[b] ?? Infinity); b--) add(b, 1);
        add(BOUNDS.length + 1, value);
        add(BOUNDS.length + 2, 1);
      }
    },
  };
}

function partsOf(recipe: Recipe, random: Random): Part[] {
  const {
    latency = 1,
    throughput = 1,
    model = MODEL,
    engines = ["0", "1"],
    version = "0.11.0",
    devices = 0,
    extra,
  } = recipe;
  const parts: Part[] = [];
  for (const engine of engines) {
    const labels = (...more: readonly (readonly [string, string])[]) =>
      makeLabels([["engine", engine], ["model_name", model], ...more]);
    const gauge = (name: string, level: number, noise = 0.08) =>
      parts.push(
        scalar(name, "gauge", labels(), (_before, load) => Math.max(0, level * load * (1 + noise * normal(random)))),
      );
    const counter = (name: string, perSecond: number, ...more: readonly (readonly [string, string])[]) =>
      parts.push(
        scalar(
          name,
          "counter",
          labels(...more),
          (before, load) => before + poisson(random, (perSecond * load) / SCRAPES_PER_SECOND),
        ),
      );
    gauge("vllm:num_requests_running", 48);
    gauge("vllm:num_requests_waiting", 6 * latency ** 3, 0.3);
    gauge("vllm:kv_cache_usage_perc", 0.62, 0.03);
    counter("vllm:prompt_tokens", 5200 * throughput);
    counter("vllm:generation_tokens", 1900 * throughput);
    counter("vllm:prefix_cache_queries", 5200 * throughput);
    counter("vllm:prefix_cache_hits", 2100 * throughput * (latency > 1 ? 0.7 : 1));
    counter("vllm:num_preemptions", latency > 1.1 ? 0.6 : 0);
    for (const [reason, share] of [
      ["stop", 0.9],
      ["length", 0.1],
    ] as const)
      counter("vllm:request_success", 20 * throughput * share, ["finished_reason", reason]);
    parts.push(histogram(random, "vllm:time_to_first_token_seconds", labels(), 0.18 * latency, 20 * throughput));
    parts.push(
      histogram(random, "vllm:inter_token_latency_seconds", labels(), 0.021 * (latency < 1 ? latency : 1), 60),
    );
    parts.push(histogram(random, "vllm:e2e_request_latency_seconds", labels(), 2.4 * latency, 20 * throughput));
    parts.push(
      scalar(
        "vllm:cache_config_info",
        "gauge",
        labels(
          ["block_size", "16"],
          ["gpu_memory_utilization", latency < 1 ? "0.95" : "0.92"],
          ["num_gpu_blocks", String(31_482 + recipe.seed)],
        ),
        () => 1,
      ),
    );
  }
  parts.push(scalar("vllm:version_info", "gauge", makeLabels([["version", version]]), () => 1));
  parts.push(scalar("process_resident_memory_bytes", "gauge", [], () => 21.4e9 * (1 + 0.001 * normal(random))));
  parts.push(
    scalar("process_cpu_seconds", "counter", [], (before, load) => before + 0.55 * load * (1 + 0.05 * normal(random))),
  );
  if (extra !== undefined) parts.push(scalar(extra, "gauge", [], () => 1 + random()));
  for (let i = 0; i < devices; i++) {
    const level = 20 + (i % 60);
    parts.push(
      scalar(
        "device_temperature_celsius",
        "gauge",
        makeLabels([
          ["device", `cuda:${i}`],
          ["numa", String(i % 8)],
        ]),
        () => level * (1 + (recipe.latency !== undefined && i % 7 === 0 ? 0.08 : 0)) + normal(random),
      ),
    );
  }
  return parts;
}

/** The part under another engine's name of its family; none where that engine has no such family. */
function renamed(part: Part, families: Recipe["families"]): readonly Part[] {
  if (families === undefined) return [part];
  const name = families.get(part.defs[0]?.family.name ?? "");
  if (name === undefined) return [];
  const defs = part.defs.map((def) => ({ ...def, family: { ...def.family, name } }));
  return [{ ...part, defs }];
}

const SGLANG: ReadonlyMap<string, string> = new Map([
  ["vllm:num_requests_running", "sglang:num_running_reqs"],
  ["vllm:num_requests_waiting", "sglang:num_queue_reqs"],
  ["vllm:kv_cache_usage_perc", "sglang:token_usage"],
  ["vllm:prompt_tokens", "sglang:prompt_tokens"],
  ["vllm:generation_tokens", "sglang:generation_tokens"],
  ["vllm:time_to_first_token_seconds", "sglang:time_to_first_token_seconds"],
  ["vllm:e2e_request_latency_seconds", "sglang:e2e_request_latency_seconds"],
  // A gauge of the last batch, which is no share of the window.
  ["process_resident_memory_bytes", "sglang:cache_hit_rate"],
]);

/** A whole run, from its first scrape to the last. */
export function makeRun(recipe: Recipe): Run {
  const { label, seed, port = 8000, later = 0, seconds = 120, config = {} } = recipe;
  const random = seeded(seed * 7919 + 17);
  const url = `http://10.0.0.11:${port}/metrics`;
  const origin = epochNs(BigInt(ORIGIN + later * 1000) * 1_000_000n);
  const run = new Run(
    { benchmarkId: `run-${seed}`, label, endpointsConfigured: [url], sliceDurationSeconds: 5, inputConfig: config },
    new Store(origin),
  );
  const parts = partsOf(recipe, random).flatMap((part) => renamed(part, recipe.families));
  const defs = parts.flatMap((part) => part.defs);
  const values = new Float64Array(defs.length);
  const ids = Int32Array.from(defs.keys());
  const step = 1e9 / SCRAPES_PER_SECOND;
  const end = (WARMUP_SECONDS + seconds) * SCRAPES_PER_SECOND;
  let drift = 0;
  for (let scrape = 0; scrape <= end; scrape++) {
    drift = 0.9 * drift + 0.03 * normal(random);
    const quiet = scrape < QUIET_SECONDS * SCRAPES_PER_SECOND;
    const load = quiet
      ? 0
      : Math.max(
          0.3,
          1 + drift + 0.12 * Math.sin(scrape / 22) - (scrape < WARMUP_SECONDS * SCRAPES_PER_SECOND ? 0.4 : 0),
        );
    let at = 0;
    for (const part of parts) {
      if (scrape > 0 || part.defs[0]?.family.type === "gauge") part.step(values, at, load);
      at += part.defs.length;
    }
    const time = epochNs(origin + BigInt(scrape * step));
    run.store.append({
      endpointUrl: url,
      time,
      latency: durationNs(3e6),
      requestSent: time,
      outcome: { kind: "samples", batch: { defs, ids, values, length: defs.length } },
    });
  }
  run.setProfilingStart(epochNs(origin + BigInt(WARMUP_SECONDS * 1e9)));
  run.setProfilingEnd(epochNs(origin + BigInt((WARMUP_SECONDS + seconds) * 1e9)));
  run.addMark({ time: epochNs(origin + 70_000_000_000n), label: "concurrency 64" });
  return run;
}

const CONFIG = (concurrency: number): JsonObject => ({
  endpoint: { model: MODEL, streaming: true },
  loadgen: { concurrency, request_count: 2400 },
});

/** Runs of a minute, of a sweep over four settings. */
const SWEEP: readonly Recipe[] = Array.from({ length: 24 }, (_, i) => ({
  label: `llama-70b-tp${[2, 4, 8][i % 3] ?? 1}-seqs-${32 << (Math.floor(i / 3) % 4)}${i < 12 ? "" : "-fp8"}`,
  seed: 20 + i,
  latency: 1 + 0.05 * ((7 * i) % 24) - (i === 0 ? 0 : 0.2),
  throughput: 1 + 0.01 * ((5 * i) % 24),
  later: 300 * i,
  seconds: 60,
  config: CONFIG(32 << (Math.floor(i / 3) % 4)),
}));

/** What the page's `?scenario=` compares. */
export const SCENARIOS: { readonly [name: string]: readonly Recipe[] } = {
  sweep6: SWEEP.slice(0, 6),
  sweep12: SWEEP.slice(0, 12),
  sweep24: SWEEP,
  two: [
    { label: "main", seed: 1, config: CONFIG(64) },
    {
      label: "chunked prefill",
      seed: 2,
      latency: 1.28,
      throughput: 0.93,
      version: "0.11.1",
      port: 8001,
      later: 1800,
      config: CONFIG(96),
      extra: "vllm:spec_decode_num_drafts_active",
    },
  ],
  five: [
    { label: "main", seed: 1, config: CONFIG(64) },
    { label: "chunked prefill", seed: 2, latency: 1.28, throughput: 0.93, later: 1800, config: CONFIG(64) },
    { label: "fp8 KV cache", seed: 3, latency: 0.8, throughput: 1.12, later: 3600, config: CONFIG(64) },
    { label: "main again", seed: 4, later: 5400, config: CONFIG(64) },
    {
      label: "tensor-parallel-8-on-two-nodes-2025-11-21",
      seed: 5,
      latency: 0.93,
      engines: ["0"],
      later: 7200,
      seconds: 80,
      config: CONFIG(128),
    },
  ],
  early: [
    { label: "main", seed: 1, config: CONFIG(64) },
    { label: "now", seed: 2, latency: 1.28, later: 1800, seconds: 45, config: CONFIG(64), live: true },
  ],
  engines: [
    { label: "vLLM", seed: 1, config: CONFIG(64) },
    { label: "SGLang", seed: 2, latency: 1.28, port: 30000, later: 1800, config: CONFIG(64), families: SGLANG },
  ],
  same: [
    { label: "main", seed: 1, config: CONFIG(64) },
    { label: "main again", seed: 6, later: 1800, config: CONFIG(64) },
  ],
  alike: [
    { label: "1500-baseline-h100", seed: 1, config: CONFIG(64) },
    { label: "1500-chunked-h100", seed: 2, latency: 1.28, later: 1800, config: CONFIG(64) },
  ],
  large: [
    { label: "main", seed: 1, devices: 5000, seconds: 40, config: CONFIG(64) },
    { label: "chunked prefill", seed: 2, latency: 1.28, devices: 5000, seconds: 40, later: 1800, config: CONFIG(64) },
  ],
};
