import { nameOf, type Observed } from "./observed.js";
import type { HistogramSignal } from "./signals.js";
import type { Thresholds } from "./thresholds.js";
import type { FindingId, RuleHit } from "./types.js";

/** One rule: what it looks for, what to try, and how it is found in the data. */
export interface Rule {
  readonly id: FindingId;
  /** The finding in a few words. */
  readonly title: string;
  /** What to try, unless a hit knows better. */
  readonly advice: string;
  /** Histograms whose percentiles it needs, where nothing else rules the finding out: estimating them takes long. */
  percentilesOf?(run: Observed, thresholds: Thresholds): readonly HistogramSignal[];
  /**
   * Whether the run has what it looks at, and enough of it: without such a metric, without replicas, or in too short a
   * run, nothing is ruled out.
   */
  tells(run: Observed): boolean;
  /** What it found, an entry for each endpoint or group of endpoints it speaks of. */
  check(run: Observed, thresholds: Thresholds): readonly RuleHit[];
}

/** What a rule found at one endpoint by itself. The text goes on after the endpoint's name. */
export type EndpointHit = Omit<RuleHit, "endpointUrls">;
/** None, one or several hits at an endpoint. */
export type EndpointHits = EndpointHit | readonly EndpointHit[] | undefined;

/** What is found at each of some endpoints. */
export function hitsAt(
  endpointUrls: readonly string[],
  find: (endpointUrl: string) => EndpointHits,
): readonly RuleHit[] {
  return endpointUrls.flatMap((endpointUrl) =>
    [find(endpointUrl) ?? []].flat().map((hit) => ({
      ...hit,
      text: `${nameOf(endpointUrl)}: ${hit.text}`,
      endpointUrls: [endpointUrl],
    })),
  );
}
