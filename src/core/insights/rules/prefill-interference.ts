import { figure, percent } from "../words.js";
import { boundValue } from "../../model/index.js";
import { nameOf, type HistogramSignal, type Observed } from "../observed.js";
import { correlation, ramp } from "../numbers.js";
import type { Rule } from "../rule.js";

const PROMPT_LENGTHS = ["vllm:request_prompt_tokens", "trtllm:request_prompt_tokens", "sglang:prompt_tokens_histogram"];
const OUTPUT_LENGTHS = [
  "vllm:request_generation_tokens",
  "trtllm:request_generation_tokens",
  "sglang:generation_tokens_histogram",
];

/** Tokens of prompts by tokens generated, from where on prompts are the greater part of the work. */
const PROMPT_HEAVY = 8;
const CORRELATED = 0.6;
const FEWEST_GAPS = 200;
/** Long prompts are a cause that is seen: less of a sign is enough then. */
const EASIER = 0.6;
/** A gap this many times the median is one in which something else was computed. */
const LONG_GAP = 2;

/**
 * Decoding stands still while prompts are computed. Two signs, each with a cause beside it: prompts are long for what
 * is generated and the gaps between tokens lie far above the level of undisturbed steps (the 10th percentile); or a
 * good part of the decode time is spent in gaps of twice the median and more, which come with the prompt tokens.
 */
export const prefillInterference: Rule = {
  id: "prefill-interference",
  title: "Prefills slow decoding down",
  advice:
    "Use chunked prefill with fewer tokens a step (max_num_batched_tokens), limit concurrent prefills, or separate prefill and decode servers.",
  check: (run, { interferenceShare: threshold }) =>
    run.servingEndpoints().flatMap((endpointUrl) => {
      const gaps = run.histogram(endpointUrl, "inter-token-latency");
      if (gaps === undefined || gaps.count < FEWEST_GAPS) return [];
      const level = gaps.percentile(10);
      const slowed = (gaps.avg - level) / gaps.avg;
      const prompts = run.counter(endpointUrl, "prompt-tokens");
      const moves = prompts === undefined ? NaN : correlation(prompts.rates, gaps.means);
      const perToken = promptsPerToken(run, endpointUrl);
      const stalled = timeInLongGaps(gaps);
      const heavy =
        perToken >= PROMPT_HEAVY && (slowed > EASIER * threshold || gaps.percentile(50) > 2 * gaps.percentile(1));
      if (!heavy && !(moves > CORRELATED && stalled > threshold)) return [];
      const share = Math.max(slowed, stalled);
      return [
        {
          weight: ramp(share, threshold, 0.9, 0.5, 0.8) + (perToken >= 2 * PROMPT_HEAVY ? 0.05 : 0),
          confidence: heavy && share > threshold ? "high" : "medium",
          text:
            `${nameOf(endpointUrl)}: the mean gap between tokens is ${figure(gaps.avg, gaps.unit)}` +
            (heavy
              ? `, while ${figure(perToken)} prompt tokens are computed for each generated one; one gap in ten is below ${figure(level, gaps.unit)}.`
              : `; ${percent(stalled)} of the decode time lies in gaps of twice the median and more, and they come with the prompts.`),
          evidence: [
            run.evidence(gaps, { statistic: "share of the decode time lost", value: share, threshold, unit: "ratio" }),
            ...(prompts === undefined || Number.isNaN(moves)
              ? []
              : [run.evidence(prompts, { statistic: "correlation with the gaps", value: moves, unit: "" })]),
          ],
          endpointUrls: [endpointUrl],
        },
      ];
    }),
};

/** From the counters, else from the lengths of finished requests; NaN where neither is there. */
function promptsPerToken(run: Observed, endpointUrl: string): number {
  const prompts = run.counter(endpointUrl, "prompt-tokens")?.total;
  const generated = run.counter(endpointUrl, "generation-tokens")?.total;
  if (prompts !== undefined && generated !== undefined && generated > 0) return prompts / generated;
  const length = run.histogram(endpointUrl, PROMPT_LENGTHS)?.avg;
  const output = run.histogram(endpointUrl, OUTPUT_LENGTHS)?.avg;
  return length === undefined || output === undefined ? NaN : length / output;
}

/** Share of the summed gaps that lies in buckets wholly above twice the median. */
function timeInLongGaps(gaps: HistogramSignal): number {
  const limit = LONG_GAP * gaps.percentile(50);
  let [time, below, lower] = [0, 0, 0];
  for (const [bound, cumulative] of gaps.results[0]?.buckets ?? []) {
    const upper = boundValue(bound);
    if (lower >= limit) time += (cumulative - below) * (Number.isFinite(upper) ? (lower + upper) / 2 : lower);
    [below, lower] = [cumulative, upper];
  }
  return Math.min(1, time / gaps.sum);
}
