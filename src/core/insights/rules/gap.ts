import { ramp } from "../numbers.js";
import type { Observed } from "../observed.js";
import { endpointRule } from "../rule.js";
import { loadWindowOf, missedHere, type EpochNs } from "../../model/index.js";
import { counted, figure, percent } from "../words.js";
import { scrapesOf, scrapingAt } from "./scrapes.js";

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
