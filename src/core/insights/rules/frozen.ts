import type { ConceptId } from "../../catalog/index.js";
import { NS_PER_SECOND, type EpochNs } from "../../model/index.js";
import type { Observed } from "../observed.js";
import { endpointRule } from "../rule.js";
import type { GaugeSignal, SignalPoint } from "../signals.js";
import { counted, figure, percent } from "../words.js";
import { scrapesOf, scrapingAt } from "./scrapes.js";

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
