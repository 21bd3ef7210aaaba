import type { ServerId } from "../catalog/index.js";
import { nameOf, type Observed } from "./observed.js";
import type { HistogramSignal } from "./signals.js";
import type { Thresholds } from "./thresholds.js";
import type { RuleHit } from "./types.js";

/** One rule: what it looks for, what to try, and how it is found in the data. */
export interface Rule {
  /** The finding in a few words. */
  readonly title: string;
  /** What to try, unless a hit knows better. */
  readonly advice: string;
  /** Whether it reads a family of this canonical name that is no counter and about no concept. */
  uses?(canonical: string): boolean;
  /** Histograms whose percentiles it needs, where nothing else rules the finding out: estimating them takes long. */
  percentilesOf?(run: Observed, thresholds: Thresholds): readonly HistogramSignal[];
  /**
   * What it found, an entry for each endpoint or group of endpoints it speaks of. Undefined where the run has not what
   * it looks at, or not enough of it: without such a metric, without replicas, or in too short a run, nothing is ruled
   * out.
   */
  check(run: Observed, thresholds: Thresholds): readonly RuleHit[] | undefined;
}

/** What a rule found at one endpoint by itself. The text goes on after the endpoint's name. */
export type EndpointHit = Omit<RuleHit, "endpointUrls">;

/** Where a rule looks. */
export interface Place {
  readonly run: Observed;
  readonly endpointUrl: string;
  readonly limits: Thresholds;
}

interface EndpointRule<Seen> extends Pick<Rule, "title" | "uses" | "percentilesOf"> {
  /** What to try, also with the names that the endpoint's server has for its options. */
  readonly advice: string | ((server?: ServerId) => string);
  /** What an endpoint has of what the rule looks at, and enough of it. */
  readonly look: (run: Observed, endpointUrl: string) => Seen | readonly Seen[] | undefined;
  /** What is found of it. */
  readonly judge: (seen: Seen, place: Place) => EndpointHit | readonly EndpointHit[] | undefined;
}

/** A rule that judges each endpoint by itself. */
export function endpointRule<Seen extends object>({ advice, look, judge, ...rest }: EndpointRule<Seen>): Rule {
  const adviceFor = (server?: ServerId) => (typeof advice === "string" ? advice : advice(server));
  return {
    ...rest,
    advice: adviceFor(),
    check(run, limits) {
      const seenAt = (endpointUrl: string) => listOf(look(run, endpointUrl)).map((seen) => ({ endpointUrl, seen }));
      const all = run.endpoints().flatMap(seenAt);
      if (all.length === 0) return undefined;
      return all.flatMap(({ endpointUrl, seen }) =>
        listOf(judge(seen, { run, endpointUrl, limits })).map((hit) => ({
          advice: adviceFor(run.serverAt(endpointUrl)),
          ...hit,
          text: `${nameOf(endpointUrl)}: ${hit.text}`,
          endpointUrls: [endpointUrl],
        })),
      );
    },
  };
}

function listOf<T>(given: T | readonly T[] | undefined): readonly T[] {
  return [given].flatMap((one) => one ?? []);
}
