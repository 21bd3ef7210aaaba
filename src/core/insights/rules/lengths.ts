import type { Observed } from "../observed.js";
import type { HistogramSignal } from "../signals.js";

const PROMPTS = [
  "vllm:request_prompt_tokens",
  "trtllm:request_prompt_tokens",
  "sglang:prompt_tokens_histogram",
  "dynamo_frontend_input_sequence_tokens",
];
const OUTPUTS = [
  "vllm:request_generation_tokens",
  "trtllm:request_generation_tokens",
  "sglang:generation_tokens_histogram",
  "dynamo_frontend_output_sequence_tokens",
];

/** Whether a family is of lengths, by its canonical name. */
export function isLength(family: string): boolean {
  return PROMPTS.includes(family) || OUTPUTS.includes(family);
}

/** Lengths of the prompts of an endpoint's requests, in tokens. */
export function promptLengths(run: Observed, endpointUrl: string): HistogramSignal | undefined {
  return run.histogram(endpointUrl, PROMPTS);
}

/** Lengths of what an endpoint generated for its requests, in tokens. */
export function outputLengths(run: Observed, endpointUrl: string): HistogramSignal | undefined {
  return run.histogram(endpointUrl, OUTPUTS);
}
