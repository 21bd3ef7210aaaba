import { isFields, isList, UserError, type Fields } from "../../core/text/index.js";
import {
  ParserNotes,
  SampleRoles,
  placeSample,
  TYPE_WORDS,
  type DeclaredType,
  type Statement,
} from "../../core/exposition/index.js";
import { type Parameters, type PrometheusApi, eachAtOnce } from "./api.js";
import { seconds, type MsRange } from "./time.js";
import { scrapeIntervalMs, totalsStep } from "./totals-step.js";
import { knownType } from "../../core/catalog/index.js";
import { getOrInsert } from "../../core/math/index.js";

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

/**
 * Names of labels that a store knows, or the values of one, sorted.
 * @param match selector that narrows them
 * @throws UserError; the signal's reason
 */
export async function storedNames(
  api: PrometheusApi,
  { label, match }: { readonly label?: string | undefined; readonly match?: string | undefined },
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const data = await api.ask(
    label === undefined ? "/labels" : `/label/${encodeURIComponent(label)}/values`,
    match === undefined ? [] : [["match[]", match]],
    { signal },
  );
  if (!isList(data)) throw new UserError(`${api.url} answered a query for labels with something unexpected.`);
  return data.filter((name) => typeof name === "string").sort();
}

/**
 * Whether a store may have anything of the selector in each of these stretches of time. It is asked for names, of
 * which indexes tell without a sample being read: Prometheus by blocks of some hours or days, VictoriaMetrics by days.
 * @throws UserError; the signal's reason
 */
export async function storedDays(
  api: PrometheusApi,
  { selector, days }: { readonly selector: string; readonly days: readonly MsRange[] },
  signal?: AbortSignal,
): Promise<readonly boolean[]> {
  const result = days.map(() => false);
  await eachAtOnce([...days.entries()], async ([i, { startMs, endMs }]) => {
    const data = await api.ask(
      "/label/__name__/values",
      [
        ["match[]", selector],
        ["start", seconds(startMs)],
        ["end", seconds(endMs)],
        ["limit", "1"],
      ],
      { signal },
    );
    result[i] = isList(data) && data.length > 0;
  });
  return result;
}

/** What a store says of a family; by the name that the server exposed. */
export type Metadata = ReadonlyMap<
  string,
  { readonly type?: DeclaredType; readonly help: string; readonly unit: string }
>;

/** Types, help and units; empty where the store keeps none. @throws UserError when it cannot be reached */
async function readMetadata(api: PrometheusApi, signal?: AbortSignal): Promise<Metadata> {
  const data = await api.ask("/metadata", [], { signal }).catch((error: unknown) => {
    // Older versions of Thanos and VictoriaMetrics do not know the question.
    if (error instanceof UserError && error.code !== "nothing-reachable") return {};
    throw error;
  });
  const found = new Map<string, { type?: DeclaredType; help: string; unit: string }>();
  for (const [name, entries] of Object.entries(isFields(data) ? data : {})) {
    // Several, where targets disagree: the first one that says something counts.
    for (const entry of isList(entries) ? entries : []) {
      if (!isFields(entry)) continue;
      const { type, help, unit } = entry;
      const declared = typeof type === "string" ? TYPE_WORDS.get(type) : undefined;
      found.set(name, {
        ...(declared === undefined ? {} : { type: declared }),
        help: typeof help === "string" ? help : "",
        unit: typeof unit === "string" ? unit : "",
      });
      if (declared !== undefined && declared !== "unknown") break;
    }
  }
  return found;
}

/**
 * What the samples of each metric name are, by the store's metadata, else by the catalogue and by how names are made.
 * @param names with whether any series of that name has an `le` label
 */
export function rolesOf(names: ReadonlyMap<string, boolean>, metadata: Metadata, notes: ParserNotes): SampleRoles {
  const roles = new SampleRoles(() => true, notes);
  const { declarations } = roles;
  const types = new Map<string, DeclaredType>();
  for (const [name, { type }] of metadata) if (type !== undefined) types.set(name, type);
  const undeclared = (name: string) =>
    !types.has(name) && placeSample(name, (family) => types.get(family)).family === name;
  for (const [name, hasBound] of names)
    if (hasBound && name.endsWith("_bucket") && undeclared(name))
      types.set(name.slice(0, -"_bucket".length), "histogram");
  for (const name of names.keys()) {
    if (!undeclared(name)) continue;
    const type = knownType(name) ?? (name.endsWith("_total") ? "counter" : undefined);
    if (type !== undefined && type !== "histogram") types.set(name, type);
  }
  const statements: Statement[] = [...types].map(([name, value]) => ({
    kind: "type",
    of: declarations.of(name),
    value,
  }));
  for (const [name, { help, unit }] of metadata) {
    if (help !== "") statements.push({ kind: "help", of: declarations.of(name), value: help });
    if (unit !== "") statements.push({ kind: "unit", of: declarations.of(name), value: unit });
  }
  declarations.replace(statements);
  return roles;
}

/** Names that are asked for until each instance is counted; what remains is taken for average. */
const NAMES_ASKED = 4;

/**
 * How many samples series hold: of each instance the scrapes, by one of its families, times its series.
 * @param series labels of each
 * @returns undefined where the store would not count them at once
 * @throws UserError; the signal's reason
 */
async function expectedSamples(
  api: PrometheusApi,
  series: readonly Fields[],
  { startMs, endMs }: MsRange,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const seriesOf = new Map<string, number>();
  const instancesOf = new Map<string, Set<string>>();
  for (const { __name__: name, instance } of series) {
    const key = typeof instance === "string" ? instance : "";
    seriesOf.set(key, (seriesOf.get(key) ?? 0) + 1);
    if (typeof name !== "string") continue;
    getOrInsert(instancesOf, name, () => new Set()).add(key);
  }
  const scrapes = new Map<string, number>();
  const names = [...instancesOf].sort(([, a], [, b]) => b.size - a.size);
  for (let asked = 0; asked < NAMES_ASKED && scrapes.size < seriesOf.size; asked++) {
    const [name] = names.find(([, instances]) => [...instances].some((instance) => !scrapes.has(instance))) ?? [];
    if (name === undefined) break;
    const parameters: Parameters = [
      ["query", `max by (instance) (count_over_time({__name__=${JSON.stringify(name)}}[${endMs - startMs + 1}ms]))`],
      ["time", seconds(endMs)],
    ];
    try {
      const data = await api.ask("/query", parameters, { signal });
      const counts = new Map(isFields(data) && isList(data["result"]) ? data["result"].flatMap(countOf) : []);
      for (const instance of instancesOf.get(name) ?? []) {
        const count = Math.max(scrapes.get(instance) ?? 0, counts.get(instance) ?? 0);
        scrapes.set(instance, count);
      }
    } catch (error) {
      if (error instanceof UserError && error.code === "too-much") return undefined;
      throw error;
    }
  }
  const average = [...scrapes.values()].reduce((sum, count) => sum + count, 0) / Math.max(1, scrapes.size);
  let samples = 0;
  for (const [instance, count] of seriesOf) samples += count * (scrapes.get(instance) ?? average);
  return Math.round(samples);
}

function countOf(item: unknown): readonly (readonly [string, number])[] {
  if (!isFields(item) || !isFields(item["metric"]) || !isList(item["value"])) return [];
  const { instance } = item["metric"];
  const count = Number(item["value"][1]);
  return Number.isFinite(count) ? [[typeof instance === "string" ? instance : "", count]] : [];
}
