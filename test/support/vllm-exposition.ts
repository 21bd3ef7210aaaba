import { seededRandom } from "./random.js";

interface VllmOptions {
  /** Data-parallel engines behind one endpoint: each has its own series. */
  readonly engines: number;
  /** Share of the series that move between two scrapes. */
  readonly moving: number;
  readonly seed: number;
}

const HISTOGRAMS = [
  "time_to_first_token_seconds",
  "inter_token_latency_seconds",
  "request_time_per_output_token_seconds",
  "e2e_request_latency_seconds",
  "request_queue_time_seconds",
  "request_inference_time_seconds",
  "request_prefill_time_seconds",
  "request_decode_time_seconds",
  "request_prompt_tokens",
  "request_generation_tokens",
  "request_max_num_generation_tokens",
  "request_params_n",
  "request_params_max_tokens",
  "request_prefill_kv_computed_tokens",
  "iteration_tokens_total",
];
const COUNTERS = [
  "num_preemptions",
  "prefix_cache_queries",
  "prefix_cache_hits",
  "prompt_tokens",
  "generation_tokens",
  "request_success",
];
const GAUGES = ["num_requests_running", "num_requests_waiting", "kv_cache_usage_perc", "engine_sleep_state"];
const BOUNDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
];

/** What a vLLM server under load would answer, scrape after scrape, as its Python client writes it. */
export function* vllmExpositions({ engines, moving, seed }: VllmOptions): Generator<string, never> {
  const random = seededRandom(seed);
  const counters = new Map<string, number>();
  const labels = (engine: number) => `engine="${engine}",model_name="meta-llama/Llama-3.1-8B-Instruct"`;
  const grow = (key: string, step: number) => {
    const value = (counters.get(key) ?? 0) + (random() < moving ? step : 0);
    counters.set(key, value);
    return value;
  };
  for (;;) {
    const lines: string[] = [];
    const each = (name: string, help: string, type: string, write: (engine: number) => void) => {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (let engine = 0; engine < engines; engine++) write(engine);
    };
    for (const gauge of GAUGES) {
      each(`vllm:${gauge}`, "State of the scheduler.", "gauge", (engine) => {
        lines.push(
          `vllm:${gauge}{${labels(engine)}} ${python(gauge.endsWith("perc") ? random() : Math.floor(random() * 64))}`,
        );
      });
    }
    for (const counter of COUNTERS) {
      each(`vllm:${counter}_total`, `Number of ${counter} so far.`, "counter", (engine) => {
        lines.push(
          `vllm:${counter}_total{${labels(engine)}} ${python(grow(`${counter} ${engine}`, 1 + Math.floor(random() * 500)))}`,
        );
      });
    }
    for (const histogram of HISTOGRAMS) {
      each(`vllm:${histogram}`, `Histogram of ${histogram}.`, "histogram", (engine) => {
        let count = 0;
        for (const bound of [...BOUNDS, Infinity]) {
          count += grow(`${histogram} ${engine} ${bound}`, Math.floor(random() * 20) * (random() < moving / 2 ? 1 : 0));
          const le = bound === Infinity ? "+Inf" : python(bound);
          lines.push(`vllm:${histogram}_bucket{${labels(engine)},le="${le}"} ${python(count)}`);
        }
        lines.push(`vllm:${histogram}_count{${labels(engine)}} ${python(count)}`);
        lines.push(
          `vllm:${histogram}_sum{${labels(engine)}} ${python(grow(`${histogram} ${engine} sum`, random() * 10))}`,
        );
      });
    }
    yield `${lines.join("\n")}\n`;
  }
}

/** A float as Python's client prints it. */
function python(value: number): string {
  if (!Number.isInteger(value)) return String(value);
  return value < 1e6
    ? `${value}.0`
    : `${value / 10 ** Math.floor(Math.log10(value))}e+${String(Math.floor(Math.log10(value))).padStart(2, "0")}`;
}
