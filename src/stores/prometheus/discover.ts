import { isFields, isList, UserError } from "../../core/text/index.js";
import { ParserNotes, type SampleRoles } from "../../core/exposition/index.js";
import type { Parameters, PrometheusApi } from "./api.js";
import { expectedSamples } from "./expected.js";
import { readMetadata, rolesOf } from "./metadata.js";
import { seconds, type MsRange } from "./time.js";
import { scrapeIntervalMs, totalsStep } from "./totals-step.js";

/** What a store holds of a selection, before any sample is read. */
export interface StoreContents {
  readonly series: number;
  /** Values of `instance`, sorted. */
  readonly instances: readonly string[];
  /** Names of families as they will be called, sorted. */
  readonly families: readonly string[];
  /** About as many; undefined where the store would not count them. */
  readonly samples: number | undefined;
  /** How far scrapes are apart. */
  readonly scrapeMs: number;
  /** The step of totals over the instances. */
  readonly totalsStepMs: number;
  readonly roles: SampleRoles;
  readonly notes: ParserNotes;
  /** What the store says may be missing. */
  readonly warnings: ReadonlySet<string>;
}

/** What Prometheus adds to each scrape: it becomes the scrape's outcome and latency, not a family of the run. */
export const SCRAPE_SERIES: ReadonlySet<string> = new Set([
  "up",
  "scrape_duration_seconds",
  "scrape_samples_scraped",
  "scrape_samples_post_metric_relabeling",
  "scrape_series_added",
  "scrape_timeout_seconds",
  "scrape_sample_limit",
  "scrape_body_size_bytes",
]);

/**
 * Looks at what the selectors select in that time.
 * @throws UserError; the signal's reason
 */
export async function discover(
  api: PrometheusApi,
  selectors: readonly string[],
  range: MsRange,
  signal?: AbortSignal,
): Promise<StoreContents> {
  const warnings = new Set<string>();
  const options = { signal, onWarning: (text: string) => void warnings.add(text) };
  const parameters: Parameters = [
    ...selectors.map((selector) => ["match[]", selector] as const),
    ["start", seconds(range.startMs)],
    ["end", seconds(range.endMs)],
  ];
  const [data, metadata] = await Promise.all([api.ask("/series", parameters, options), readMetadata(api, signal)]);
  if (!isList(data)) throw new UserError(`${api.url} answered a query for series with something unexpected.`);
  const series = data.filter(isFields);
  const names = new Map<string, boolean>();
  const instances = new Set<string>();
  for (const labels of series) {
    const { __name__: name, instance } = labels;
    if (typeof instance === "string") instances.add(instance);
    if (typeof name === "string" && !SCRAPE_SERIES.has(name))
      names.set(name, names.get(name) === true || "le" in labels);
  }
  const notes = new ParserNotes();
  const roles = rolesOf(names, metadata, notes);
  const families = new Set<string>();
  for (const name of names.keys()) {
    const role = roles.roleOf(roles.nameOf(name));
    if (role.kind === "sample") families.add(role.family.name);
  }
  const samples = await expectedSamples(api, series, range, signal);
  const scrapeMs = await scrapeIntervalMs(api, series, samples, range, signal);
  return {
    series: series.length,
    instances: [...instances].sort(),
    families: [...families].sort(),
    samples,
    scrapeMs,
    totalsStepMs: totalsStep(range.endMs - range.startMs, scrapeMs),
    roles,
    notes,
    warnings,
  };
}
