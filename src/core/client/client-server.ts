import {
  CONCEPTS,
  canonicalName,
  familyUnit,
  isClientFamily,
  MEAN_GAP,
  serverById,
  type Concept,
  type ConceptMember,
} from "../catalog/index.js";
import {
  amountOf,
  observedTogether,
  statisticOf,
  labelValue,
  epochNs,
  NS_PER_MS,
  toEpoch,
  type EpochNs,
  type Family,
  type FamilyResult,
  type RunStatistics,
} from "../model/index.js";
import { currentWindow, endpointInfo, runStatistics, type RunWindow } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { isClientEndpoint, CLIENT, inBaseUnit } from "./metrics.js";
import { STATISTIC_LABEL } from "./series.js";

/** How much of what the client saw lies outside of the server. */
export type ShareClass = "< 2 %" | "2-10 %" | "10-25 %" | "25-50 %" | "> 50 %" | "negative";

/** One latency as the client and one kind of server measured it, in seconds. */
export interface ClientServer {
  readonly metric: "ttft" | "inter-token-latency" | "e2e-latency";
  readonly title: string;
  readonly clientFamily: string;
  readonly clientUrl: string;
  readonly clientAverage: number;
  readonly server: string;
  readonly serverFamily: string;
  readonly serverUrls: readonly string[];
  readonly serverAverage: number;
  readonly serverCount: number;
  /** Client minus server: network, gateway, tokenizer. */
  readonly difference: number;
  /** Difference by the client's average. */
  readonly share: number;
  readonly shareClass: ShareClass;
  /** What to know of it: negative, or values of different things. */
  readonly note?: string;
  readonly window: { readonly startNs: EpochNs; readonly endNs: EpochNs };
}

const METRICS = [
  ["ttft", CLIENT.timeToFirstToken],
  ["inter-token-latency", CLIENT.interTokenLatency],
  ["e2e-latency", CLIENT.latency],
] as const;

/** Below it counts differ by an end token only. */
const MIN_DIFFERENT_COUNTS = 0.05;

const NEGATIVE =
  "The client's average is below the server's, which is impossible for a single request: the two count different requests, define the metric differently, or a clock or window is off.";

const PER_REQUEST = "The client averages per request, the server per single gap.";

/** Class of a share of the client's average. */
export function shareClass(share: number): ShareClass {
  if (share < 0) return "negative";
  return share < 0.02
    ? "< 2 %"
    : share < 0.1
      ? "2-10 %"
      : share < 0.25
        ? "10-25 %"
        : share <= 0.5
          ? "25-50 %"
          : "> 50 %";
}

/**
 * What lies between a client and its servers, latency by latency: averages over the window of the statistics, of all
 * endpoints of a kind of server together. Empty without a client or without a server that measures the same.
 */
export function clientServer(run: RunStatistics): readonly ClientServer[] {
  const families = new Map(run.families.map((family) => [family.name, family]));
  return METRICS.flatMap(([metric, clientFamily]) => {
    const concept = CONCEPTS.find(({ id }) => id === metric);
    if (concept === undefined) return [];
    return clientUrlsOf(families.get(clientFamily)).flatMap((clientUrl) =>
      serverAverages(concept, run.families).flatMap((server): ClientServer[] => {
        const perToken = metric === "inter-token-latency" && server.member.of !== MEAN_GAP;
        const weighted = perToken ? decodeAverage(families, clientUrl) : undefined;
        const clientAverage = weighted ?? averageOf(families.get(clientFamily), clientUrl);
        if (clientAverage === undefined || !(clientAverage > 0)) return [];
        const difference = clientAverage - server.average;
        const share = difference / clientAverage;
        const ratio = server.average / clientAverage;
        const tokens = metric === "inter-token-latency" ? tokenizerNote(families, clientUrl, ratio) : undefined;
        const other = share < 0 ? NEGATIVE : perToken && weighted === undefined ? PER_REQUEST : undefined;
        const note = tokens ?? other;
        return [
          {
            metric,
            title: concept.title,
            clientFamily,
            clientUrl,
            clientAverage,
            server: serverById(server.member.server).name,
            serverFamily: server.family,
            serverUrls: server.urls,
            serverAverage: server.average,
            serverCount: server.count,
            difference,
            share,
            shareClass: shareClass(share),
            ...(note === undefined ? {} : { note }),
            window: { startNs: run.startNs, endNs: run.endNs },
          },
        ];
      }),
    );
  });
}

/**
 * AIPerf and inference-perf count tokens with a tokenizer of their own, and tell what the server says. Where the two
 * differ as much as the latencies per token, and to the same side, that is the reason.
 * @param ratio the server's average by the client's
 */
function tokenizerNote(
  families: ReadonlyMap<string, FamilyResult>,
  clientUrl: string,
  ratio: number,
): string | undefined {
  const own = averageOf(families.get(CLIENT.outputLength), clientUrl);
  const servers = averageOf(families.get(CLIENT.usageTokens), clientUrl);
  if (own === undefined || servers === undefined || servers <= 1 || own <= 1) return undefined;
  const counts = (own - 1) / (servers - 1);
  if (Math.abs(counts - 1) < MIN_DIFFERENT_COUNTS) return undefined;
  const explained = Math.log(counts) / Math.log(ratio);
  if (!(explained > 0.5 && explained < 2)) return undefined;
  const percent = Math.round(100 * Math.abs(counts - 1));
  return `The client's tokenizer counts ${percent} % ${counts > 1 ? "more" : "fewer"} tokens than the server, so its latency per token is ${counts > 1 ? "lower" : "higher"}: the tokens are other ones. Give the load generator the server's tokenizer.`;
}

/** As `clientServer`, of a run: over the part of its window, or of another, in which the client had requests. */
export function* clientServerSteps(
  run: Run | RunStatistics,
  within?: RunWindow,
): Generator<number, readonly ClientServer[]> {
  if (!("store" in run)) return clientServer(run);
  const window = commonWindow(run, within ?? currentWindow(run));
  if (window === undefined) return [];
  return clientServer(yield* runStatistics(run, { unitOf: familyUnit, window, only: isComparedWithClient }));
}

const SERVER_FAMILIES: ReadonlySet<string> = new Set(
  CONCEPTS.filter(({ id }) => METRICS.some(([metric]) => metric === id)).flatMap(({ members }) =>
    members.flatMap(({ family }) => family ?? []),
  ),
);

/** Families that a client has whose requests are at hand. */
const COUNTED: ReadonlySet<string> = new Set([CLIENT.requests, CLIENT.failed, CLIENT.cancelled]);

/** Whether client and server are compared by a family. */
export function isComparedWithClient({ name }: Pick<Family, "name">): boolean {
  return isClientFamily(name) || SERVER_FAMILIES.has(canonicalName(name));
}

/**
 * From the client's first request to two scrapes after its last: then the servers have counted all. Of a client whose
 * requests are not at hand the run's window.
 */
function commonWindow(run: Run, window: RunWindow): RunWindow | undefined {
  const { origin, endpoints } = run.store;
  const urls = new Set(
    [...run.store.seriesKeys()].flatMap((key) => (COUNTED.has(key.family.name) ? key.endpointUrl : [])),
  );
  const clients = endpoints.filter(({ url }) => urls.has(url)).flatMap((axis) => endpointInfo(axis, origin) ?? []);
  if (clients.length === 0) return endpoints.some(({ url }) => isClientEndpoint(url)) ? window : undefined;
  const intervals = endpoints
    .filter(({ url }) => !isClientEndpoint(url))
    .map((axis) => endpointInfo(axis, origin)?.median_update_interval_ms ?? 0);
  const settled = BigInt(Math.round(2 * Math.max(0, ...intervals) * NS_PER_MS));
  const first = least(clients.map((info) => info.first_update_ns));
  const last = clients.map((info) => info.last_update_ns).reduce(later);
  // The final scrape comes after profiling and belongs to it.
  const end = window.kind === "recorded" ? later(window.end, toEpoch(run.newest, origin)) : window.end;
  const common: RunWindow = {
    start: later(first, window.start),
    end: least([epochNs(last + settled), end]),
    kind: "exact",
  };
  return common.end > common.start ? common : undefined;
}

function least(times: readonly EpochNs[]): EpochNs {
  return times.reduce((a, b) => (b < a ? b : a));
}

function later(a: EpochNs, b: EpochNs): EpochNs {
  return a > b ? a : b;
}

function clientUrlsOf(family: FamilyResult | undefined): readonly string[] {
  return [...new Set((family?.series ?? []).map(({ endpointUrl }) => endpointUrl))].filter(isClientEndpoint);
}

/** Of the requests, else the average that the client wrote. */
function averageOf(family: FamilyResult | undefined, url: string): number | undefined {
  if (family?.type !== "gauge") return undefined;
  const own = family.series.filter(({ endpointUrl }) => endpointUrl === url);
  const of = (test: (statistic: string | undefined) => boolean) => {
    const found = own.find(({ labels }) => test(labelValue(labels, STATISTIC_LABEL)));
    return found && statisticOf(found, "avg");
  };
  return of((statistic) => statistic === undefined) ?? of((statistic) => statistic === "avg");
}

/** Mean gap between two tokens over all tokens, as servers count that observe each gap. */
function decodeAverage(families: ReadonlyMap<string, FamilyResult>, url: string): number | undefined {
  const total = (name: string) => {
    const family = families.get(name);
    return family?.type === "counter" ? amountOf(family.series.find(({ endpointUrl }) => endpointUrl === url)) : NaN;
  };
  const [seconds, tokens] = [total(CLIENT.decodeSeconds), total(CLIENT.decodeTokens)];
  return seconds >= 0 && tokens > 0 ? seconds / tokens : undefined;
}

interface ServerAverage {
  readonly member: ConceptMember;
  readonly family: string;
  readonly urls: readonly string[];
  readonly average: number;
  readonly count: number;
}

/** Of each server the first of its families that has observations. */
function serverAverages(concept: Concept, families: readonly FamilyResult[]): readonly ServerAverage[] {
  const found = new Map<string, ServerAverage>();
  for (const member of concept.members) {
    if (found.has(member.server)) continue;
    const family = families.find(({ name }) => canonicalName(name) === member.family);
    if (family?.type !== "histogram") continue;
    const observed = observedTogether(family.series);
    if (observed === undefined || !Number.isFinite(observed.sum)) continue;
    found.set(member.server, {
      member,
      family: family.name,
      urls: [...new Set(observed.series.map(({ endpointUrl }) => endpointUrl))].sort(),
      average: inBaseUnit(observed.avg, family.unit),
      count: observed.count,
    });
  }
  return [...found.values()];
}
