/** Histograms of how many tokens the prompts of requests have. */
export const PROMPT_LENGTHS: readonly string[] = [
  "vllm:request_prompt_tokens",
  "trtllm:request_prompt_tokens",
  "sglang:prompt_tokens_histogram",
  "dynamo_frontend_input_sequence_tokens",
];

/** Histograms of how many tokens are generated for requests. */
export const OUTPUT_LENGTHS: readonly string[] = [
  "vllm:request_generation_tokens",
  "trtllm:request_generation_tokens",
  "sglang:generation_tokens_histogram",
  "dynamo_frontend_output_sequence_tokens",
];
