import {
  boundText,
  durationNs,
  epochNs,
  type Family,
  type MetricType,
  type SampleDef,
} from "../../src/core/model/index.js";
import { Run, Store } from "../../src/core/store/index.js";
import { seededRandom } from "./random.js";

/** A run by its size. */
export interface RunScale {
  readonly endpoints: number;
  /** Of each endpoint: half of them counters. */
  readonly scalars: number;
  readonly histograms: number;
  readonly bounds: number;
  readonly scrapes: number;
  /** As many families as there are in this list have vLLM's names: `VLLM`. */
  readonly named?: readonly (readonly [name: string, type: MetricType])[];
  /** Another run of the same size; 0 unless told. */
  readonly seed?: number;
}

/** The families of vLLM that a comparison's first table is made of, and some more. */
export const VLLM: readonly (readonly [name: string, type: MetricType])[] = [
  ["vllm:generation_tokens", "counter"],
  ["vllm:num_requests_running", "gauge"],
  ["vllm:prompt_tokens", "counter"],
  ["vllm:num_requests_waiting", "gauge"],
  ["vllm:request_success", "counter"],
  ["vllm:kv_cache_usage_perc", "gauge"],
  ["vllm:prefix_cache_hits", "counter"],
  ["vllm:prefix_cache_queries", "counter"],
  ["vllm:num_preemptions", "counter"],
  ["vllm:time_to_first_token_seconds", "histogram"],
  ["vllm:inter_token_latency_seconds", "histogram"],
  ["vllm:request_time_per_output_token_seconds", "histogram"],
  ["vllm:e2e_request_latency_seconds", "histogram"],
  ["vllm:request_queue_time_seconds", "histogram"],
  ["vllm:request_prefill_time_seconds", "histogram"],
  ["vllm:request_decode_time_seconds", "histogram"],
  ["vllm:request_inference_time_seconds", "histogram"],
  ["vllm:request_prompt_tokens", "histogram"],
  ["vllm:request_generation_tokens", "histogram"],
];

const ORIGIN = 1_765_000_000_000_000_000n;
const INTERVAL = 333_000_000;

/** Exposition lines of one endpoint. */
export function linesOf({ scalars, histograms, bounds }: RunScale): number {
  return scalars + histograms * (bounds + 2);
}

/**
 * What a capture of servers under load holds: each scrape a little off its time, counters that rise in three of four
 * scrapes, gauges that move in one of two, histograms that see a few requests a scrape. The same for the same scale.
 */
export function scaleRun(scale: RunScale): Run {
  const { endpoints, scrapes } = scale;
  const defs = defsOf(scale);
  const store = new Store(epochNs(ORIGIN));
  const ids = Int32Array.from(defs, (_, i) => i);
  const states = Array.from({ length: endpoints }, (_, e) => new State(scale, (scale.seed ?? 0) * endpoints + e));
  for (let i = 0; i < scrapes; i++) {
    states.forEach((state, e) => {
      const time = epochNs(ORIGIN + BigInt(i * INTERVAL + state.jitter() + e * 1000));
      store.append({
        endpointUrl: `http://node${e}:8000/metrics`,
        time,
        latency: durationNs(3_000_000),
        requestSent: time,
        outcome: { kind: "samples", batch: { defs, ids, values: state.next(), length: defs.length } },
      });
    });
  }
  const run = new Run(
    {
      benchmarkId: "00000000-0000-4000-8000-000000000003",
      endpointsConfigured: states.map((_, e) => `http://node${e}:8000/metrics`),
      sliceDurationSeconds: 5,
      inputConfig: {},
    },
    store,
  );
  run.setProfilingStart(epochNs(ORIGIN + 1n));
  run.setProfilingEnd(epochNs(ORIGIN + BigInt(scrapes * INTERVAL)));
  return run;
}

function defsOf({ scalars, histograms, bounds, named = [] }: RunScale): SampleDef[] {
  const defs: SampleDef[] = [];
  const names = (type: MetricType) => named.flatMap(([name, of]) => (of === type ? [name] : []));
  const known = { counter: names("counter"), gauge: names("gauge"), histogram: names("histogram") };
  const labels = [["model_name", "meta-llama/Llama-3.1-8B-Instruct"]] as const;
  for (let s = 0; s < scalars; s++) {
    const type = s % 2 === 0 ? "counter" : "gauge";
    const name = known[type][s >> 2] ?? `app:scalar_${s >> 2}_${type}`;
    const family: Family = { name, type, description: "A state of the scheduler." };
    defs.push({ family, labels: [["engine", String((s >> 1) % 2)], ...labels], part: { kind: "value" } });
  }
  for (let h = 0; h < histograms; h++) {
    const name = known.histogram[h] ?? `app:latency_${h}_seconds`;
    const family: Family = { name, type: "histogram", description: "A latency." };
    for (let b = 0; b < bounds; b++) {
      const upper = b === bounds - 1 ? Infinity : 2 ** b / 100;
      const bound = boundText(upper === Infinity ? "+Inf" : String(upper));
      defs.push({ family, labels, part: { kind: "bucket", bound, upper } });
    }
    defs.push({ family, labels, part: { kind: "sum" } }, { family, labels, part: { kind: "count" } });
  }
  return defs;
}

class State {
  private readonly values: Float64Array;
  private readonly random: () => number;

  constructor(
    private readonly scale: RunScale,
    seed: number,
  ) {
    this.values = new Float64Array(linesOf(scale));
    this.random = seededRandom(seed);
  }

  /** Nanoseconds. */
  jitter(): number {
    return Math.floor(this.random() * 4_000_000);
  }

  next(): Float64Array {
    const { values, random } = this;
    const { scalars, histograms, bounds } = this.scale;
    for (let s = 0; s < scalars; s++) {
      if (s % 2 === 0) values[s] = (values[s] ?? 0) + (s % 8 < 6 ? Math.floor(random() * 60) : 0);
      else if (random() < 0.5) values[s] = s % 3 === 0 ? random() : Math.floor(random() * 64);
    }
    for (let h = 0, at = scalars; h < histograms; h++, at += bounds + 2) {
      for (let seen = Math.floor(random() * 4); seen > 0; seen--) {
        const first = Math.floor(bounds * (0.3 + 0.5 * random() * random()));
        for (let b = first; b < bounds; b++) values[at + b] = (values[at + b] ?? 0) + 1;
        values[at + bounds] = (values[at + bounds] ?? 0) + 2 ** first / 130;
        values[at + bounds + 1] = (values[at + bounds + 1] ?? 0) + 1;
      }
    }
    return values;
  }
}
