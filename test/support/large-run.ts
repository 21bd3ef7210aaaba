import { boundText, durationNs, epochNs, type SampleDef } from "../../src/core/model/index.js";
import { Run, Store } from "../../src/core/store/index.js";
import { seeded } from "./histogram-simulation.js";

export interface LargeRun {
  readonly seconds: number;
  readonly seed: number;
  readonly endpoints: number;
  /** Of each endpoint. */
  readonly scalars: number;
  readonly histograms: number;
  /** Series of each family. */
  readonly engines: number;
}

const ORIGIN = 1_765_000_000_000_000_000n;
const BOUNDS = [...Array.from({ length: 19 }, (_, i) => 0.01 * 1.5 ** i), Infinity];
const WIDTH = BOUNDS.length + 2;
const SCRAPES_A_SECOND = 3;

/** The first families are vLLM's key metrics, the others have names of their own. */
const KEY_FAMILIES = {
  gauge: ["vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc"],
  counter: [
    "vllm:num_preemptions",
    "vllm:generation_tokens",
    "vllm:prompt_tokens",
    "vllm:request_success",
    "vllm:prefix_cache_hits",
    "vllm:prefix_cache_queries",
  ],
  histogram: [
    "vllm:time_to_first_token_seconds",
    "vllm:inter_token_latency_seconds",
    "vllm:e2e_request_latency_seconds",
  ],
} as const;

/** A run of a fleet, scraped three times a second, in which everything moves. */
export function largeRun({ seconds, seed, endpoints, scalars, histograms, engines }: LargeRun): Run {
  const random = seeded(seed);
  const defs: SampleDef[] = [];
  const family = (type: "gauge" | "counter" | "histogram", i: number) => ({
    name: KEY_FAMILIES[type][i] ?? `large:${type}${i}${type === "histogram" ? "_seconds" : ""}`,
    type,
    description: "",
  });
  const labels = (i: number) => [["engine", String(i % engines)]] as const;
  for (let i = 0; i < scalars; i++)
    defs.push({
      family: family(isGauge(i, engines) ? "gauge" : "counter", Math.floor(i / engines / 2)),
      labels: labels(i),
      part: { kind: "value" },
    });
  for (let i = 0; i < histograms; i++) {
    const own = { family: family("histogram", Math.floor(i / engines)), labels: labels(i) };
    for (const upper of BOUNDS)
      defs.push({
        ...own,
        part: { kind: "bucket", bound: boundText(upper === Infinity ? "+Inf" : String(upper)), upper },
      });
    defs.push({ ...own, part: { kind: "sum" } }, { ...own, part: { kind: "count" } });
  }
  const ids = Int32Array.from(defs.keys());
  const run = new Run(
    { benchmarkId: `large-${seed}`, endpointsConfigured: [], sliceDurationSeconds: 5, inputConfig: {} },
    new Store(epochNs(ORIGIN)),
  );
  const state = Array.from({ length: endpoints }, () => new Float64Array(defs.length));
  const add = (values: Float64Array, at: number, n: number) => (values[at] = (values[at] ?? 0) + n);
  for (let scrape = 0; scrape <= seconds * SCRAPES_A_SECOND; scrape++) {
    state.forEach((values, endpoint) => {
      for (let i = 0; i < scalars; i++)
        values[i] = isGauge(i, engines) ? 50 + 10 * random() : (values[i] ?? 0) + Math.floor(5 * random());
      for (let h = 0; h < histograms; h++) {
        const at = scalars + h * WIDTH;
        const bucket = Math.floor(random() * random() * (BOUNDS.length - 2));
        for (let b = bucket; b < BOUNDS.length; b++) add(values, at + b, 1);
        add(values, at + BOUNDS.length, 0.9 * (BOUNDS[bucket] ?? 0));
        add(values, at + BOUNDS.length + 1, 1);
      }
      const time = epochNs(ORIGIN + (BigInt(scrape) * 1_000_000_000n) / BigInt(SCRAPES_A_SECOND) + BigInt(endpoint));
      run.store.append({
        endpointUrl: `http://a:${8000 + endpoint}/metrics`,
        time,
        latency: durationNs(1e6),
        requestSent: time,
        outcome: { kind: "samples", batch: { defs, ids, values, length: defs.length } },
      });
    });
  }
  return run;
}

/** Families alternate: a gauge, a counter. */
function isGauge(i: number, engines: number): boolean {
  return Math.floor(i / engines) % 2 === 0;
}
