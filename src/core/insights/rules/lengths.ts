import { boundValue } from "../../model/index.js";
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

/** How much longer the longest 1 % are than the median, by linear interpolation in the buckets; 1 where unknown. */
export function lengthRatio(lengths: HistogramSignal | undefined): number {
  const ratio = quantile(lengths, 0.99) / quantile(lengths, 0.5);
  return Number.isFinite(ratio) ? ratio : 1;
}

function quantile(lengths: HistogramSignal | undefined, q: number): number {
  const buckets = lengths?.results[0]?.buckets ?? [];
  const rank = q * (buckets.at(-1)?.[1] ?? 0);
  let [below, lower] = [0, 0];
  for (const [bound, cumulative] of buckets) {
    const upper = boundValue(bound);
    if (cumulative >= rank && cumulative > below)
      return Number.isFinite(upper) ? lower + ((upper - lower) * (rank - below)) / (cumulative - below) : lower;
    [below, lower] = [cumulative, upper];
  }
  return NaN;
}
