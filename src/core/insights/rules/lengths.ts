import { OUTPUT_LENGTHS, PROMPT_LENGTHS } from "../../catalog/index.js";
import type { Observed } from "../observed.js";
import type { HistogramSignal } from "../signals.js";

/** Whether a family is of lengths, by its canonical name. */
export function isLength(family: string): boolean {
  return PROMPT_LENGTHS.includes(family) || OUTPUT_LENGTHS.includes(family);
}

/** Lengths of the prompts of an endpoint's requests, in tokens. */
export function promptLengths(run: Observed, endpointUrl: string): HistogramSignal | undefined {
  return run.histogram(endpointUrl, PROMPT_LENGTHS);
}

/** Lengths of what an endpoint generated for its requests, in tokens. */
export function outputLengths(run: Observed, endpointUrl: string): HistogramSignal | undefined {
  return run.histogram(endpointUrl, OUTPUT_LENGTHS);
}
