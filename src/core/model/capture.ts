import { toMilliseconds } from "../text/duration.js";
import { DEFAULT_LIMITS, type ScrapeLimits, OPTION_RANGES } from "./limits.js";
import type { Problem } from "./problem.js";

/** Certificates of https, each PEM text. */
export interface TlsOptions {
  /** Authorities trusted besides those of the system. */
  readonly ca?: string;
  /** The client's certificate and its key, for servers that ask for one. */
  readonly cert?: string;
  readonly key?: string;
}

/**
 * What an endpoint answers: an exposition, or the JSON of TensorRT-LLM's iteration statistics, which a reading takes
 * away from all other readers.
 */
export const ENDPOINT_SOURCES = ["prometheus", "iteration-statistics"] as const;
export type EndpointSource = (typeof ENDPOINT_SOURCES)[number];

/** An endpoint as a user configures it. */
export interface EndpointOptions {
  /** As written; may carry credentials, which stay in memory. */
  readonly url: string;
  readonly label?: string;
  readonly enabled: boolean;
  /** Absent: "prometheus". Iteration statistics are read only where they are asked for. */
  readonly source?: EndpointSource;
  readonly headers?: { readonly [name: string]: string };
  readonly tls?: TlsOptions;
  /** Names of query parameters whose values stay in memory; absent: `SECRET_PARAMETERS`. */
  readonly secretParameters?: readonly string[];
  /**
   * The URL of its `/metrics` that is known to be JSON whose reading takes it away (TensorRT-LLM's iteration
   * statistics): `/prometheus/metrics` is asked first, and `/metrics` only when that one fails.
   */
  readonly jsonAt?: string;
  /** Link-local addresses and those of metadata of clouds are not contacted, not by another name either. */
  readonly avoidsReserved?: true;
}

/** How a set of endpoints is scraped. */
export interface CollectOptions {
  readonly intervalMs: number;
  /** Of one scrape in all: connecting, waiting and reading. */
  readonly scrapeTimeoutMs: number;
  /** How long the end of a capture waits for the final scrapes, and its beginning for a slow baseline scrape. */
  readonly flushPeriodMs: number;
  readonly limits: ScrapeLimits;
  /** Glob patterns on family names; an empty include list takes all. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

const { interval, scrapeTimeout, reachabilityTimeout, flushPeriod, sliceDuration } = OPTION_RANGES;

/** How a capture goes where nobody chooses otherwise. */
export const USUAL_CAPTURE: CollectOptions & {
  readonly reachabilityTimeoutMs: number;
  readonly sliceDurationSeconds: number;
} = {
  intervalMs: toMilliseconds(interval.byDefault),
  scrapeTimeoutMs: toMilliseconds(scrapeTimeout.byDefault),
  reachabilityTimeoutMs: toMilliseconds(reachabilityTimeout.byDefault),
  flushPeriodMs: toMilliseconds(flushPeriod.byDefault),
  limits: DEFAULT_LIMITS,
  include: [],
  exclude: [],
  sliceDurationSeconds: sliceDuration.byDefault,
};

/** A warm-up of so many seconds. */
export function warmupOf(
  seconds = 0,
): { readonly kind: "none" } | { readonly kind: "duration"; readonly seconds: number } {
  return seconds === 0 ? { kind: "none" } : { kind: "duration", seconds };
}

/** Characters that the label of a run has at the most, wherever it is given. */
export const LONGEST_LABEL = 100;

/** What the reachability test found at an endpoint. */
export interface Reachability {
  readonly url: string;
  readonly displayName: string;
  readonly reachable: boolean;
  /** Servers recognised in the answer. */
  readonly servers: readonly string[];
  readonly families: number;
  readonly latencyMs?: number;
  readonly problem?: Problem;
  /** Of an endpoint that answers without metrics: what it answers instead, such as "answers JSON, no metrics". */
  readonly answersInstead?: string;
  /** Where JSON was found instead of metrics, or no longer is; "alone": there are no metrics elsewhere. */
  readonly json?: { readonly url: string; readonly state: "found" | "known" | "gone" | "alone" };
}

/** Whether an endpoint answered a test with metrics. */
export function hasMetrics({ reachable, answersInstead }: Reachability): boolean {
  return reachable && answersInstead === undefined;
}

/** How many endpoints answered a test: "2/3 endpoints reachable", and with how many metrics came where not with all. */
export function reachableCount(tested: readonly Reachability[]): string {
  const reachable = tested.filter((one) => one.reachable);
  const head = `${reachable.length}/${tested.length} endpoints reachable`;
  const withMetrics = reachable.filter(hasMetrics).length;
  if (withMetrics === reachable.length) return head;
  return `${head}, ${withMetrics === 0 ? "none" : `${withMetrics} of them`} with metrics`;
}

/** What a capture knows of an endpoint, as far as it is asked why nothing comes of it. */
interface Captured {
  readonly displayName: string;
  readonly state: string;
  readonly problems: readonly Problem[];
}

/** So many endpoints of a capture without metrics are named with their reasons. */
const MAX_REASONS = 3;

/** Whether every endpoint has been left out: nothing more comes, unless another joins or one is tried again. */
export function allLeftOut(endpoints: readonly Captured[]): boolean {
  return endpoints.length > 0 && endpoints.every(({ state }) => state === "disabled");
}

/** Why nothing comes of the endpoints, that of the first few. */
export function silenceReasons(endpoints: readonly Captured[]): string {
  const reasons = endpoints.flatMap(({ displayName, problems: [problem] }) =>
    problem === undefined
      ? []
      : [problem.reason.includes(displayName) ? problem.reason : `${displayName}: ${problem.reason}`],
  );
  return reasons.slice(0, MAX_REASONS).join(" ");
}

/** What scraping an endpoint costs, as seen from outside. */
export interface ScrapeCost {
  /** Of the newest body, decoded. */
  readonly bytes: number;
  /** From request to last byte, without the time in which this process was at work on something else. */
  readonly meanMs: number;
  /** That time as a share of the interval. */
  readonly share: number;
}
