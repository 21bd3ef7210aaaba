import type { Observed } from "../observed.js";
import type { SignalBase } from "../signals.js";

/** How an endpoint was scraped, in seconds. */
export interface Scraping {
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
export function scrapingAt(run: Observed, endpointUrl: string): Scraping | undefined {
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
