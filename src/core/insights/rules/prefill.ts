import { MEAN_GAP, conceptById } from "../../catalog/index.js";
import { boundValue, labelValue } from "../../model/index.js";
import { isEngine, optionOf } from "../engine-options.js";
import { correlation, ramp, type CounterSignal } from "../signals.js";
import type { Observed } from "../observed.js";
import { endpointRule, type EndpointHit, type Place } from "../rule.js";
import { figure, percent } from "../words.js";
import { backlogOf, isLength, loadOf, outputLengths, promptLengths } from "./load.js";
import { leastQuantile } from "./percentiles.js";

interface PrefixHits {
  readonly hits: CounterSignal;
  readonly lookups: number;
  /** Hits per lookup. */
  readonly rate: number;
}

/** Counters of tokens (or blocks) found in an engine's prefix cache, each with those that make up the lookups. */
const PAIRS = conceptById("prefix-hit-rate").members.flatMap(({ server, derived }) => {
  const how = isEngine(server) ? derived?.derivation : undefined;
  return how?.kind === "rate-ratio" && how.numeratorOf === undefined ? [how] : [];
});

/** Tokens or blocks looked up, below which the rate says little. */
const ENOUGH_LOOKUPS = 10_000;

/** The share of all endpoints' lookups that their prefix caches found; undefined where nothing or too little tells. */
export function prefixHitRate(run: Observed): number | undefined {
  const all = run.endpoints().flatMap((url) => prefixHits(run, url) ?? []);
  const lookups = all.reduce((sum, one) => sum + one.lookups, 0);
  return lookups < ENOUGH_LOOKUPS ? undefined : all.reduce((sum, { hits }) => sum + hits.total, 0) / lookups;
}

/** What an endpoint's prefix cache found of what was looked up; undefined where nothing was, or nothing tells. */
function prefixHits(run: Observed, endpointUrl: string): PrefixHits | undefined {
  for (const { numerator, denominator } of PAIRS) {
    const hits = run.counter(endpointUrl, [numerator]);
    const parts = denominator.map((name) => run.counter(endpointUrl, [name]));
    const lookups = parts.reduce((sum, one) => sum + (one?.total ?? NaN), 0);
    if (hits !== undefined && lookups > 0) return { hits, lookups, rate: hits.total / lookups };
  }
  return undefined;
}

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

/** Share of the threshold from where on some hits come: below it prompts share no beginning, as random ones do. */
const SOME = 0.1;

/**
 * Prompts share a beginning, and hardly any of it is in the cache; or the cache is off where prompts are the limit. No
 * hit at all means prompts without a shared beginning, such as those of load generators.
 */
export const lowPrefixHits = endpointRule({
  title: "The prefix cache has few hits",
  advice: (server) =>
    "Check that the shared prefix comes first and is byte-identical, and that the router sends the same " +
    `prefixes to the same server. A cache that is too small forgets them${optionOf(server, "kvMemory")}.`,
  look: (run, endpointUrl) => {
    const found = prefixHits(run, endpointUrl);
    const off = isOff(run, endpointUrl);
    return found === undefined && !off ? undefined : { found, off };
  },
  judge: ({ found, off }, place) => [
    ...(found === undefined ? [] : fewHits(found, place)),
    ...(off ? cacheOff(place) : []),
  ],
});

function fewHits({ hits, lookups, rate }: PrefixHits, { run, limits }: Place): readonly EndpointHit[] {
  const { prefixHitRate: threshold } = limits;
  if (lookups < ENOUGH_LOOKUPS || rate < SOME * threshold || rate >= threshold) return [];
  const what = hits.family.includes("block") ? "KV blocks" : "prompt tokens";
  return [
    {
      weight: ramp(rate, 0, threshold, 0.4, 0.3),
      confidence: "low",
      text: `${percent(rate)} of ${figure(lookups)} ${what} were found in the prefix cache.`,
      evidence: [run.evidence(hits, "hits per lookup", rate, { threshold, unit: "ratio" })],
    },
  ];
}

/** Prompts are the limit where they keep others waiting, or slow down the tokens of others. */
function cacheOff({ run, endpointUrl, limits }: Place): readonly EndpointHit[] {
  const load = loadOf(run, endpointUrl);
  const waits = load.waitingShare >= limits.waitingShare && backlogOf(load, limits.kvUsage)?.limit === "prefill";
  const slows =
    prefillInterference.check(run, limits)?.some(({ endpointUrls }) => endpointUrls.includes(endpointUrl)) === true;
  const signal = run.counter(endpointUrl, "prompt-tokens");
  if ((!waits && !slows) || signal === undefined) return [];
  return [
    {
      weight: 0.4,
      confidence: "medium",
      text: `${waits ? "requests waited for prefill" : "prefill slowed tokens down"}, and the prefix cache was off.`,
      evidence: [run.evidence(signal, "rate", signal.rate, { unit: "tokens/s" })],
      advice: `Turn it on${optionOf(run.serverAt(endpointUrl), "prefixCaching")}: a prefix that prompts share is then computed once.`,
    },
  ];
}

function isOff(run: Observed, endpointUrl: string): boolean {
  return run
    .find((name) => name === "vllm:cache_config_info", endpointUrl)
    .some(({ series }) =>
      series.some(({ labels }) => /^false$/i.test(labelValue(labels, "enable_prefix_caching") ?? "")),
    );
}
