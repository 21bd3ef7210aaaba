import { conceptById } from "../../catalog/index.js";
import { isEngine } from "../advice.js";
import type { Observed } from "../observed.js";
import type { CounterSignal } from "../signals.js";

export interface PrefixHits {
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
export const ENOUGH_LOOKUPS = 10_000;

/** The share of all endpoints' lookups that their prefix caches found; undefined where nothing or too little tells. */
export function prefixHitRate(run: Observed): number | undefined {
  const all = run.endpoints().flatMap((url) => prefixHits(run, url) ?? []);
  const lookups = all.reduce((sum, one) => sum + one.lookups, 0);
  return lookups < ENOUGH_LOOKUPS ? undefined : all.reduce((sum, { hits }) => sum + hits.total, 0) / lookups;
}

/** What an endpoint's prefix cache found of what was looked up; undefined where nothing was, or nothing tells. */
export function prefixHits(run: Observed, endpointUrl: string): PrefixHits | undefined {
  for (const { numerator, denominator } of PAIRS) {
    const hits = run.counter(endpointUrl, [numerator]);
    const parts = denominator.map((name) => run.counter(endpointUrl, [name]));
    const lookups = parts.reduce((sum, one) => sum + (one?.total ?? NaN), 0);
    if (hits !== undefined && lookups > 0) return { hits, lookups, rate: hits.total / lookups };
  }
  return undefined;
}
