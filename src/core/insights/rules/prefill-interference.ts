import { MEAN_GAP } from "../../catalog/index.js";
import { boundValue } from "../../model/index.js";
import { optionOf } from "../advice.js";
import { correlation, ramp } from "../numbers.js";
import type { Observed } from "../observed.js";
import { endpointRule } from "../rule.js";
import { figure, percent } from "../words.js";
import { leastQuantile } from "./buckets.js";
import { isLength, outputLengths, promptLengths } from "./lengths.js";
import { prefixHits } from "./prefix-hits.js";

/** Tokens of prompts by tokens generated, from where on prompts are the greater part of the work. */
const PROMPT_HEAVY = 8;
const CORRELATED = 0.6;
const MIN_GAPS = 200;
/** Long prompts are a cause that is seen: less of a sign is enough then. */
const EASIER = 0.6;
/** A gap this many times the median is one in which something else was computed. */
const LONG_GAP = 2;

/**
 * Decoding stands still while prompts are computed. Two signs, each with a cause beside it: prompts are long for what
 * is generated and the gaps between tokens lie far above the level of undisturbed steps (the 10th percentile); or a
 * good part of the decode time is spent in gaps of twice the median and more, which come with the prompt tokens.
 */
export const prefillInterference = endpointRule({
  title: "Prefills slow decoding down",
  advice: (server) =>
    `Compute fewer prompt tokens in a step${optionOf(server, "stepTokens")}, limit concurrent prefills, or separate ` +
    "prefill and decode servers. Tokens then come more evenly, and the first one later.",
  uses: isLength,
  // Not where the shares would be too small with the least percentiles that the buckets allow.
  percentilesOf: (run, { interferenceShare: threshold }) =>
    run.servingEndpoints().flatMap((endpointUrl) => {
      const gaps = gapsOf(run, endpointUrl);
      if (gaps === undefined) return [];
      const mayBe =
        (promptsPerToken(run, endpointUrl) >= PROMPT_HEAVY &&
          timeAbove(gaps, leastQuantile(gaps, 0.1)) >= EASIER * threshold) ||
        (comeWithPrompts(run, gaps) > CORRELATED && timeInLongGaps(gaps, leastQuantile(gaps, 0.5)) >= threshold);
      return mayBe ? [gaps] : [];
    }),
  look: gapsOf,
  judge: (gaps, { run, limits: { interferenceShare: threshold } }) => {
    const found = byLongPrompts(run, gaps, EASIER * threshold) ?? byLongGaps(run, gaps, threshold);
    if (found === undefined) return undefined;
    const { share, limit, text, evidence, heavy } = found;
    return {
      weight: ramp(share, limit, 0.9, 0.5, 0.8) + (heavy ? 0.05 : 0),
      confidence: share > threshold ? "high" : "medium",
      text,
      evidence: [
        run.evidence(gaps, "share of the decode time lost", share, { threshold: limit, unit: "ratio" }),
        ...evidence,
      ],
    };
  },
});

type Gaps = NonNullable<ReturnType<Observed["histogram"]>>;

/** The gaps between tokens, where there are enough of them. */
function gapsOf(run: Observed, endpointUrl: string): Gaps | undefined {
  const gaps = run.histogram(endpointUrl, "inter-token-latency");
  return gaps === undefined || gaps.count < MIN_GAPS ? undefined : gaps;
}

/** Gaps are above the level of undisturbed steps while most of the work is prompts. */
function byLongPrompts(run: Observed, gaps: Gaps, limit: number) {
  const perToken = promptsPerToken(run, gaps.endpointUrl);
  const level = gaps.percentile(10);
  const share = timeAbove(gaps, level);
  if (!(perToken >= PROMPT_HEAVY) || !(share >= limit)) return undefined;
  const one = gaps.use?.member.of === MEAN_GAP ? "one request in ten had a mean gap" : "one gap in ten was";
  const prompts = run.counter(gaps.endpointUrl, "prompt-tokens");
  return {
    share,
    limit,
    heavy: perToken >= 2 * PROMPT_HEAVY,
    text:
      `the mean gap between tokens was ${figure(gaps.avg, gaps.unit)}, ${one} below ${figure(level, gaps.unit)}, ` +
      `and ${figure(perToken)} prompt tokens ${isKnownComputed(run, gaps.endpointUrl) ? "were computed" : "came"} for each one generated.`,
    evidence:
      prompts === undefined
        ? []
        : [run.evidence(prompts, "prompt tokens per generated token", perToken, { threshold: PROMPT_HEAVY, unit: "" })],
  };
}

/** Decoding stops for long at a time, and does so when prompts come. Means of requests do not show single gaps. */
function byLongGaps(run: Observed, gaps: Gaps, limit: number) {
  const prompts = run.counter(gaps.endpointUrl, "prompt-tokens");
  const moves = comeWithPrompts(run, gaps);
  if (prompts === undefined || !(moves > CORRELATED)) return undefined;
  const share = timeInLongGaps(gaps, gaps.percentile(50));
  if (!(share >= limit)) return undefined;
  return {
    share,
    limit,
    heavy: false,
    text:
      `${percent(share)} of the decode time lay in gaps of twice the median and more ` +
      `(mean ${figure(gaps.avg, gaps.unit)}), and they came with the prompts.`,
    evidence: [run.evidence(prompts, "correlation with the gaps", moves, { threshold: CORRELATED, unit: "" })],
  };
}

/** How gaps correlate with the prompts that come in; NaN where nothing tells. */
function comeWithPrompts(run: Observed, gaps: Gaps): number {
  const prompts = run.counter(gaps.endpointUrl, "prompt-tokens");
  return prompts === undefined || gaps.use?.member.of === MEAN_GAP ? NaN : correlation(prompts.rates, gaps.means);
}

/**
 * Prompt tokens that had to be computed by tokens generated: from the counters, else from the lengths of finished
 * requests; NaN where neither is there. What was in the prefix cache costs nothing.
 */
function promptsPerToken(run: Observed, endpointUrl: string): number {
  const computed = 1 - (prefixHits(run, endpointUrl)?.rate ?? 0);
  const prompts = run.counter(endpointUrl, "prompt-tokens")?.total;
  const generated = run.counter(endpointUrl, "generation-tokens")?.total;
  if (prompts !== undefined && generated !== undefined && generated > 0) return (computed * prompts) / generated;
  const length = promptLengths(run, endpointUrl)?.avg;
  const output = outputLengths(run, endpointUrl)?.avg;
  return length === undefined || output === undefined ? NaN : (computed * length) / output;
}

/** Whether `promptsPerToken` knows what was in the prefix cache. */
function isKnownComputed(run: Observed, endpointUrl: string): boolean {
  return prefixHits(run, endpointUrl) !== undefined;
}

/** Share of the mean gap that lies above the level of undisturbed steps. */
function timeAbove({ avg }: Gaps, level: number): number {
  return (avg - level) / avg;
}

/** Share of the summed gaps that lies in buckets wholly above twice the median. */
function timeInLongGaps(gaps: Gaps, median: number): number {
  const limit = LONG_GAP * median;
  let [time, below, lower] = [0, 0, 0];
  for (const [bound, cumulative] of gaps.main.buckets ?? []) {
    const upper = boundValue(bound);
    if (lower >= limit) time += (cumulative - below) * (Number.isFinite(upper) ? (lower + upper) / 2 : lower);
    [below, lower] = [cumulative, upper];
  }
  return Math.min(1, time / gaps.sum);
}
