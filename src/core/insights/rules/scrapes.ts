import type { ConceptId } from "../../catalog/index.js";
import { NS_PER_SECOND, loadWindowOf, missedHere, type EpochNs } from "../../model/index.js";
import { ramp, type GaugeSignal, type SignalBase, type SignalPoint } from "../signals.js";
import type { Observed } from "../observed.js";
import { endpointRule, type EndpointHit } from "../rule.js";
import { counted, figure, percent } from "../words.js";

/** How an endpoint was scraped, in seconds. */
interface Scraping {
  /** Between scrapes that succeeded, without the time in which none did. */
  readonly interval: number;
  /** Between scrapes with other values than the one before; undefined for fewer than two of them. */
  readonly refresh: number | undefined;
  /** Whether values change at even times, as those of an exporter that collects by a clock of its own. */
  readonly isRegular: boolean;
}

/** Refreshes by a clock: their mean lies this close to their median. Those of chance events are 1.44 times as long. */
const EVEN = 1.2;
const MIN_REFRESHES = 4;

/** How a run's endpoint was scraped; undefined for fewer than two times of scrapes, and where the run does not say. */
function scrapingAt(run: Observed, endpointUrl: string): Scraping | undefined {
  const info = run.info(endpointUrl);
  if (info === undefined || info.total_fetches < 2) return undefined;
  const mean = Number(info.last_fetch_ns - info.first_fetch_ns) / 1e9 / (info.total_fetches - 1);
  const median = info.median_update_interval_ms;
  const refresh = median === undefined || !(median > 0) ? undefined : median / 1000;
  const meanRefresh = (info.avg_update_interval_ms ?? NaN) / 1000;
  // Missing scrapes make the mean longer than the interval, values that rarely change the median of updates, and files
  // without scrapes of the same values what is usual between those that they have.
  const usual = (info.median_fetch_interval_ms ?? Infinity) / 1000;
  const interval = Math.min(mean, refresh ?? Infinity, usual);
  // Scrapes that all bear one time.
  if (!(interval > 0)) return undefined;
  const isRegular =
    refresh !== undefined &&
    info.unique_updates >= MIN_REFRESHES &&
    meanRefresh < EVEN * refresh &&
    refresh < EVEN * meanRefresh;
  return { interval, refresh, isRegular };
}

/** What evidence of how an endpoint was scraped is of. */
export function scrapesOf(endpointUrl: string): SignalBase {
  return { family: "up", labels: [], endpointUrl, unit: undefined };
}

/** Time between scrapes, or between refreshes of the values, is long for what happens in between. */
export const coarseInterval = endpointRule({
  title: "Values are far apart in time",
  advice: "Short queues and peaks fall between the scrapes. Capture with a shorter interval (333 ms by default).",
  look: scrapingAt,
  judge: (scraping, { run, endpointUrl, limits: { coarseInterval: threshold } }) => {
    const { refresh, isRegular } = scraping;
    // A timer is late by a millisecond, never early.
    const interval = Math.round(100 * scraping.interval) / 100;
    const rarely = interval < threshold && isRegular && refresh !== undefined && refresh >= threshold;
    if (interval < threshold && !rarely) return undefined;
    const value = rarely ? refresh : interval;
    const hit = (text: string, statistic: string): EndpointHit => ({
      weight: 0.25,
      confidence: "high",
      text,
      evidence: [run.evidence(scrapesOf(endpointUrl), statistic, value, { unit: "seconds", threshold })],
    });
    const every = `every ${figure(value, "seconds")}`;
    if (!rarely) return hit(`one scrape ${every}; anything shorter was missed.`, "time between scrapes");
    const scraped = `scraped every ${figure(interval, "seconds")}`;
    return {
      ...hit(
        `${scraped}, but values changed only ${every}; anything shorter was missed.`,
        "median time between changed values",
      ),
      advice:
        "Short queues and peaks fall between two refreshes, and scraping more often does not show them. Let the exporter collect more often (dcgm-exporter: --collect-interval).",
    };
  },
});

const MIN_SCRAPES = 3;
/** AIPerf scrapes once, gets ready for 2 to 4 s, and scrapes on from the start of its first phase. */
const BASELINE_SECONDS = 10;

/** Scrapes are missing: the endpoint did not answer for a while, only sometimes, or not up to the end. */
export const gap = endpointRule({
  title: "Scrapes are missing",
  advice:
    "Look at the errors of the endpoint that the capture has reported. A server that is too busy to serve its metrics is a finding in itself. Where the machine that captured was too busy, capture from another one, or limit the load to fewer of its processors.",
  look: scrapingAt,
  judge: ({ interval }, { run, endpointUrl, limits: { gapShare: threshold } }) => {
    const info = run.info(endpointUrl);
    if (info === undefined || info.total_fetches < MIN_SCRAPES) return undefined;
    const { startNs, endNs } = expectedRange(run, info.first_fetch_ns, info.last_fetch_ns);
    const inTime = Math.round(Number(endNs - startNs) / 1e9 / interval) + 1;
    const failed = info.failed_fetches ?? 0;
    const notDue = Math.min(
      Math.max(0, inTime - info.total_fetches - failed),
      Math.round(secondsBeforePhases(run, info.first_fetch_ns) / interval),
    );
    const { due, missing, notMade, words } = scrapesMissing(info.total_fetches, failed, inTime - notDue);
    const share = missing / due;
    if (missing < MIN_SCRAPES || share < threshold) return undefined;
    const lost = Number(endNs - info.last_fetch_ns) / 1e9 > MIN_SCRAPES * interval;
    return {
      weight: ramp(share, threshold, 0.3, 0.5, 0.85),
      confidence: "high",
      text:
        `${counted(missing, "scrape")} of ${figure(due)} (${percent(share)}) ${words}, ` +
        `about ${figure(missing * interval, "seconds")} in all` +
        `${whose(run, endpointUrl, missing, notMade)}${lost ? "; the endpoint did not answer up to the end" : ""}.`,
      evidence: [
        run.evidence(scrapesOf(endpointUrl), "share of scrapes that are missing", share, { unit: "ratio", threshold }, [
          { startNs, endNs },
        ]),
      ],
    };
  },
});

/** Whose fault it was, where the capture has kept it. @param notMade of the missing; the others failed */
function whose({ run }: Observed, endpointUrl: string, missing: number, notMade: number): string {
  const here = Math.min(missedHere(run.inputConfig, endpointUrl) ?? 0, notMade);
  if (here === 0) return "";
  const machine = "the machine that captured was too busy to scrape";
  return here >= missing ? `: ${machine}, not the server` : `: ${figure(here)} of them because ${machine}`;
}

/**
 * Scrapes that were due and are not there: those that failed, and those that were never made. Times tell how many were
 * due only to a scrape or two, so where hardly more are missing than failed, those that failed are all.
 * @param inTime how many the time has room for
 */
function scrapesMissing(answered: number, failed: number, inTime: number) {
  const notMade = inTime - answered - failed;
  if (failed > 0 && notMade < MIN_SCRAPES)
    return { due: answered + failed, missing: failed, notMade: 0, words: "failed" };
  const missing = inTime - answered;
  const apart = failed > 0 ? `: ${figure(failed)} failed, ${figure(notMade)} were not made` : "";
  return { due: inTime, missing, notMade, words: `${missing === 1 ? "was" : "were"} missing${apart}` };
}

/** From a first scrape to the first phase, where that is AIPerf's baseline. Our own captures scrape there. */
function secondsBeforePhases({ run }: Observed, first: EpochNs): number {
  if (loadWindowOf(run.inputConfig) !== undefined) return 0;
  const seconds = Number((run.warmup?.start ?? run.startNs) - first) / 1e9;
  return seconds > 0 && seconds <= BASELINE_SECONDS ? seconds : 0;
}

/** The run, and what was scraped before and after it: what begins late or ends early has a gap there. */
function expectedRange({ run }: Observed, first: EpochNs, last: EpochNs) {
  return {
    startNs: run.startNs < first ? run.startNs : first,
    endNs: run.endNs > last ? run.endNs : last,
  };
}

const MIN_FETCHES = 20;
/** Share of the time in which nothing has changed, up to the end. */
const STILL = 0.25;
/** And so many times what is usual between two changes. */
const UNUSUAL = 5;
const MIN_SLICES = 5;

/** What a working engine raises: tokens, requests and what is observed of them. */
const COUNTED: readonly ConceptId[] = ["generation-tokens", "prompt-tokens", "finished"];
const OBSERVED: readonly ConceptId[] = ["ttft", "inter-token-latency", "e2e-latency"];

/** The endpoint answers, but its values do not change any more; or only those of its process do. */
export const frozen = endpointRule({
  title: "Metrics are frozen",
  advice:
    "The endpoint answers with the same values again and again: it may be a cache, a stopped engine behind a live frontend, or the wrong port. The run says nothing about that time.",
  look: (run, endpointUrl) => {
    const fetches = run.info(endpointUrl)?.total_fetches ?? 0;
    const slices = run.gauge(endpointUrl, "running")?.means.length ?? 0;
    return fetches >= MIN_FETCHES || slices >= 2 * MIN_SLICES ? { endpointUrl } : undefined;
  },
  judge: ({ endpointUrl }, { run }) => {
    const same = sameText(run, endpointUrl) ?? engineStandsStill(run, endpointUrl);
    if (same === undefined) return undefined;
    const { share, text, since, until } = same;
    return {
      weight: 0.7,
      confidence: share > 0.5 ? "high" : "medium",
      text,
      evidence: [
        run.evidence(
          scrapesOf(endpointUrl),
          "share of the time without a change",
          share,
          { unit: "ratio", threshold: STILL },
          [{ startNs: since, endNs: until }],
        ),
      ],
    };
  },
});

interface Still {
  readonly share: number;
  readonly text: string;
  readonly since: EpochNs;
  readonly until: EpochNs;
}

/** The endpoint gives the same text. A server without requests does so, too, and is not frozen. */
function sameText(run: Observed, endpointUrl: string): Still | undefined {
  const info = run.info(endpointUrl);
  if (info === undefined || info.total_fetches < MIN_FETCHES) return undefined;
  const { last_update_ns: since, last_fetch_ns: until, total_fetches: scrapes, unique_updates: different } = info;
  const still = Number(until - since);
  const share = still / Number(until - info.first_fetch_ns);
  const usual = (scrapingAt(run, endpointUrl)?.refresh ?? 0) * NS_PER_SECOND;
  if (!(share >= STILL) || still < UNUSUAL * usual || isIdle(run, endpointUrl)) return undefined;
  const text =
    different === 1
      ? `all ${figure(scrapes)} scrapes were the same.`
      : `${figure(different)} of ${figure(scrapes)} scrapes brought other values, and none in the last ${percent(share)} of the time.`;
  return { share, text, since, until };
}

function isIdle(run: Observed, endpointUrl: string): boolean {
  const running = run.gauge(endpointUrl, "running");
  const waiting = run.gauge(endpointUrl, "waiting");
  return running?.means.at(-1)?.value === 0 && (waiting?.means.at(-1)?.value ?? 0) === 0;
}

/** Requests run, but nothing comes of them any more, as it did before. */
function engineStandsStill(run: Observed, endpointUrl: string): Still | undefined {
  const running = run.gauge(endpointUrl, "running");
  if (running === undefined) return undefined;
  const moving = progress(run, endpointUrl);
  const last = running.means.findLastIndex(({ startNs }) => moving.has(startNs));
  const before = running.means.slice(0, last + 1);
  const after = running.means.slice(last + 1);
  const [first, end] = [after[0], after.at(-1)];
  if (first === undefined || end === undefined || before.length < MIN_SLICES || after.length < MIN_SLICES)
    return undefined;
  const share = after.length / running.means.length;
  if (share < STILL || after.length < UNUSUAL * longestPause(before, moving) || !isConstant(after)) return undefined;
  return {
    share,
    text: `${counted(first.value, "request")} ran, but no token and no request was counted in the last ${percent(share)} of the time.`,
    since: first.startNs,
    until: end.endNs,
  };
}

/** Starts of the slices in which anything was counted. */
function progress(run: Observed, endpointUrl: string): ReadonlySet<EpochNs> {
  const rates = [
    ...COUNTED.map((concept) => run.counter(endpointUrl, concept)?.rates ?? []),
    ...OBSERVED.map((concept) => run.histogram(endpointUrl, concept)?.rates ?? []),
  ];
  return new Set(rates.flat().flatMap(({ startNs, value }) => (value > 0 ? [startNs] : [])));
}

function isConstant(points: GaugeSignal["means"]): boolean {
  const value = points[0]?.value ?? 0;
  return value > 0 && points.every((point) => point.value === value);
}

/** Longest stretch without progress, in slices. */
function longestPause(points: readonly SignalPoint[], moving: ReadonlySet<EpochNs>): number {
  let [longest, current] = [0, 0];
  for (const { startNs } of points) {
    current = moving.has(startNs) ? 0 : current + 1;
    longest = Math.max(longest, current);
  }
  return longest;
}
