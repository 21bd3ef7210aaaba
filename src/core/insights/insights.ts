import type { RunStatistics } from "../model/index.js";
import { compareText } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { capacityOf, type Capacity } from "./capacity.js";
import { attributionsOf, type Attribution } from "./attribution.js";
import { poolsOf } from "./rules/pools.js";
import { Observed, nameOf } from "./observed.js";
import { RULES, type Finding, type FindingId } from "./rules/index.js";
import { prefixHitRate } from "./rules/prefill.js";
import { insightStatistics, sliceStatistics, withFineSlices, type InsightOptions } from "./slices.js";
import { DEFAULT_THRESHOLDS, type Thresholds } from "./thresholds.js";
import type { RuleHit } from "./types.js";

/** What a rule looks for. */
export interface Checked {
  readonly id: FindingId;
  readonly title: string;
}

/** What an expert would say after looking at a run. */
export interface Insights {
  /** The weightiest first. */
  readonly findings: readonly Finding[];
  /** What was looked for. */
  readonly checked: readonly Checked[];
  /** What could not be judged: the run has no such metric, no replicas, or too little of them. */
  readonly unjudged: readonly Checked[];
  readonly attributions: readonly Attribution[];
  /** How far endpoints are from the first of their limits, where that can be estimated. */
  readonly capacities: readonly Capacity[];
  /** The share of prompt tokens (or blocks) that prefix caches found; absent where too little tells. */
  readonly prefixHitRate?: number;
}

/** Evidence of this many endpoints is kept for one finding. */
const SHOWN_ENDPOINTS = 3;

/** A run by its samples, or by the statistics of a file that has none. */
export type InsightSource =
  { readonly kind: "samples"; readonly run: Run } | { readonly kind: "statistics"; readonly statistics: RunStatistics };

/** What limits the server in a run, in steps: of samples, in the slices that show changes best. */
export function* runInsights(source: InsightSource, options: InsightOptions = {}): Generator<number | void, Insights> {
  const statistics =
    source.kind === "samples" ? yield* insightStatistics(source.run, options) : withFineSlices(source.statistics);
  return yield* insightSteps(statistics, options.thresholds);
}

/**
 * What limits the server by a run's statistics and timeslices, in steps. Slices of a sixtieth of the run or less show
 * changes best (`insightSlices`).
 */
export function* insightSteps(
  run: RunStatistics,
  thresholds: Partial<Thresholds> = {},
): Generator<number | void, Insights> {
  const observed = new Observed(run);
  const limits = { ...DEFAULT_THRESHOLDS, ...thresholds };
  yield;
  yield* sliceStatistics(observed);
  const findings: Finding[] = [];
  const checked: Checked[] = [];
  const unjudged: Checked[] = [];
  for (const [id, rule] of RULES) {
    const hits = rule.check(observed, limits);
    (hits === undefined ? unjudged : checked).push({ id, title: rule.title });
    findings.push(...findingOf({ id, ...rule }, hits ?? []));
    yield;
  }
  const capacities: Capacity[] = [];
  for (const endpointUrl of observed.servingEndpoints()) {
    const capacity = capacityOf(observed, endpointUrl, limits);
    if (capacity !== undefined) capacities.push(capacity);
    yield;
  }
  const hitRate = prefixHitRate(observed);
  return {
    ...(hitRate === undefined ? {} : { prefixHitRate: hitRate }),
    findings: findings.sort((a, b) => b.weight - a.weight),
    checked,
    unjudged,
    attributions: [...poolAttribution(observed), ...attributionsOf(observed)],
    capacities,
  };
}

function poolAttribution(observed: Observed): readonly Attribution[] {
  const pools = observed.isDisaggregated() ? poolsOf(observed) : undefined;
  if (pools === undefined) return [];
  const { latency, family, endpointUrl, seconds, parts } = pools;
  return [{ latency, family, endpointUrl, seconds, parts }];
}

/** One statement of what a rule found on several endpoints. */
function findingOf(
  { id, title, advice }: Pick<Finding, "id" | "title" | "advice">,
  hits: readonly RuleHit[],
): readonly Finding[] {
  // Each file has its endpoints in an order of its own.
  const sorted = [...hits].sort(
    (a, b) => b.weight - a.weight || compareText(a.endpointUrls[0] ?? "", b.endpointUrls[0] ?? ""),
  );
  const [worst] = sorted;
  if (worst === undefined) return [];
  const endpointUrls = [...new Set(sorted.flatMap((hit) => hit.endpointUrls))];
  const others = endpointUrls.filter((url) => !worst.endpointUrls.includes(url));
  return [
    {
      id,
      title,
      advice: worst.advice ?? advice,
      weight: Math.min(1, worst.weight),
      confidence: worst.confidence,
      text: worst.text + othersText(others),
      evidence: sorted.slice(0, SHOWN_ENDPOINTS).flatMap(({ evidence }) => evidence),
      endpointUrls,
    },
  ];
}

function othersText(urls: readonly string[]): string {
  if (urls.length === 0) return "";
  const named = urls.slice(0, SHOWN_ENDPOINTS).map(nameOf).join(", ");
  const more = urls.length - SHOWN_ENDPOINTS;
  return ` Also ${named}${more > 0 ? ` and ${more} more` : ""}.`;
}
