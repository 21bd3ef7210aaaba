import { UserError } from "../../core/text/errors.js";
import type { Fields } from "../../core/text/index.js";
import type { PrometheusApi } from "./api.js";
import { readSamples } from "./samples.js";
import type { MsRange } from "./time.js";

/** As many as a day has at 15 s. More would cost the store, and charts show fewer points. */
const MAX_STEPS = 6000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STEPS_MS = [
  ...[100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * HOUR_MS),
];
/** Times of scrapes jitter: 15.01 s apart is every 15 s. */
const JITTER = 0.02;
/** Where the store does not tell how far its scrapes are apart. */
const USUAL_SCRAPE_MS = 15_000;
const INSTANCES_ASKED = 3;
const SAMPLES_ASKED = 500;

/**
 * How far the steps of totals are apart: as close as the scrapes, since between two of them nothing changes, and no
 * closer than a range of that length needs.
 */
export function totalsStep(lengthMs: number, scrapeMs: number): number {
  const least = Math.max(scrapeMs * (1 - JITTER), lengthMs / MAX_STEPS);
  const step = STEPS_MS.find((one) => one >= least);
  return step ?? Math.ceil(least / HOUR_MS) * HOUR_MS;
}

/**
 * How far scrapes of these series are apart: the median over some samples of a few instances, at the end of the range.
 * @param series labels of each
 * @param expected samples of all of them in the range
 * @throws UserError; the signal's reason
 */
export async function scrapeIntervalMs(
  api: PrometheusApi,
  series: readonly Fields[],
  expected: number | undefined,
  range: MsRange,
  signal?: AbortSignal,
): Promise<number> {
  const lengthMs = range.endMs - range.startMs;
  const each = expected === undefined ? lengthMs / 1000 : expected / Math.max(1, series.length);
  const window = Math.min(1, SAMPLES_ASKED / Math.max(1, each)) * lengthMs;
  try {
    const { series: read } = await readSamples(
      api,
      {
        selectors: ofFewInstances(series),
        range: { startMs: Math.floor(range.endMs - window), endMs: range.endMs },
        expected: SAMPLES_ASKED,
      },
      { signal },
    );
    const apart = read.flatMap(({ times }) => Array.from(times.subarray(1), (time, i) => time - (times[i] ?? time)));
    apart.sort((a, b) => a - b);
    return apart[Math.floor(apart.length / 2)] ?? (expected === undefined ? USUAL_SCRAPE_MS : lengthMs / each);
  } catch (error) {
    if (error instanceof UserError && error.code !== "nothing-reachable") return USUAL_SCRAPE_MS;
    throw error;
  }
}

/** Selectors of one series each: `up` where there is one, since it has every scrape. */
function ofFewInstances(series: readonly Fields[]): readonly string[] {
  const chosen = new Map<unknown, Fields>();
  for (const labels of series) {
    const known = chosen.get(labels["instance"]);
    if (known === undefined ? chosen.size < INSTANCES_ASKED : labels["__name__"] === "up")
      chosen.set(labels["instance"], labels);
  }
  return [...chosen.values()].map((labels) => {
    const matchers = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(String(value))}`);
    return `{${matchers.join(",")}}`;
  });
}
