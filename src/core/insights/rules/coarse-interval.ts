import { hitsAt, type Rule } from "../rule.js";
import { figure } from "../words.js";
import { isScraped, scrapesOf, scrapingAt } from "./scrapes.js";

const ADVICE = "Short queues and peaks fall between the scrapes. Capture with a shorter interval (333 ms by default).";
const ADVICE_REFRESH =
  "Short queues and peaks fall between two refreshes, and scraping more often does not show them. Let the exporter collect more often (dcgm-exporter: --collect-interval).";

/** Time between scrapes, or between refreshes of the values, is long for what happens in between. */
export const coarseInterval: Rule = {
  id: "coarse-interval",
  title: "Values are far apart in time",
  advice: ADVICE,
  tells: isScraped,
  check: (run, { coarseInterval: threshold }) =>
    hitsAt(run.endpoints(), (endpointUrl) => {
      const scraping = scrapingAt(run, endpointUrl);
      if (scraping === undefined) return [];
      const { refresh, isRegular } = scraping;
      // A timer is late by a millisecond, never early.
      const interval = Math.round(100 * scraping.interval) / 100;
      const rarely = interval < threshold && isRegular && refresh !== undefined && refresh >= threshold;
      if (interval < threshold && !rarely) return [];
      const value = rarely ? refresh : interval;
      return {
        weight: 0.25,
        confidence: "high",
        text: rarely
          ? `scraped every ${figure(interval, "seconds")}, but values changed only every ${figure(value, "seconds")}; anything shorter was missed.`
          : `one scrape every ${figure(value, "seconds")}; anything shorter was missed.`,
        evidence: [
          run.evidence(
            scrapesOf(endpointUrl),
            rarely ? "median time between changed values" : "time between scrapes",
            value,
            { unit: "seconds", threshold },
          ),
        ],
        advice: rarely ? ADVICE_REFRESH : ADVICE,
      };
    }),
};
