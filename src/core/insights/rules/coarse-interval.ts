import { endpointRule, type EndpointHit } from "../rule.js";
import { figure } from "../words.js";
import { scrapesOf, scrapingAt } from "./scrapes.js";

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
