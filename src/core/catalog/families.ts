import {
  labelValue,
  statisticsOf,
  type Family,
  type Labels,
  type SeriesId,
  type SeriesKey,
  type SeriesResult,
} from "../model/index.js";
import { aliasesOf, canonicalName } from "./aliases.js";
import type {
  FamilyEntry,
  LabelFilter,
  ServerComputed,
  FamilyGroup,
  GroupRule,
  KeyMetric,
  WatchRule,
} from "./definition.js";
import { displayNameOf } from "./display.js";
import { entryOfCanonical, serverOf } from "./recognise.js";
import { SERVERS } from "./servers/index.js";
import { isStaticFamily } from "./static-facts.js";
import { familyUnit, isPercentByName, isShareName, isTimestampName, sizeUnitOf, unitOfRange } from "./unit.js";
import { familiesOf } from "./define.js";

/** What the catalogue knows of a family, by any of its names. */
export function familyEntry(name: string): FamilyEntry | undefined {
  return entryOfCanonical(canonicalName(name));
}

export interface TitledName {
  /** For a person: "Requests running"; of a family that the catalogue does not list, its name in words. */
  readonly title: string;
  /** As exposed: "vllm:num_requests_running". It stands below or beside the title, so that both can be searched for. */
  readonly name: string;
}

/** What a family is called wherever it is shown. */
export function titledName(name: string): TitledName {
  return { title: familyEntry(name)?.title ?? displayNameOf(name), name };
}

/** Title and name in a line of text: "Requests running (vllm:num_requests_running)". */
export function titleWithName(name: string): string {
  return `${titledName(name).title} (${name})`;
}

/**
 * Unit for views: what the catalogue knows of the family, else that of the artifacts, whose rules go by name and
 * description alone (of `sglang:token_usage` they know nothing, of `vllm:kv_cache_usage_perc` without its help text the
 * wrong thing; both are ratios). Unlike those rules it keeps MiB apart from MB, and times of day apart from durations.
 */
export function shownUnit(
  family: Pick<Family, "name" | "description" | "declaredUnit" | "rangeUnit">,
): string | undefined {
  // A file that says so is right: names of shares often end in "percent".
  const known =
    familyEntry(family.name)?.unit ?? (family.declaredUnit === "ratio" ? "ratio" : sizeUnitOf(family.description));
  if (known !== undefined) return known;
  if (family.rangeUnit !== undefined) return family.rangeUnit;
  return isTimestampName(family.name) ? "timestamp" : isShareName(family) ? "ratio" : familyUnit(family);
}

/** The server computes the family over time of its own; undefined for a plain reading. */
export function computedOf(name: string): ServerComputed | undefined {
  return familyEntry(name)?.computed;
}

/**
 * Does a server call an average since its start a counter, as older llama.cpp does? It falls without a restart, and its
 * rate and total mean nothing.
 */
export function isCountedAverage({ name, type }: Pick<Family, "name" | "type">): boolean {
  return type === "counter" && computedOf(name)?.over === "lifetime";
}

/** A run, as far as it tells how its families are shown. */
export interface RunWithFamily {
  /**
   * Facts of a Parquet file, which holds how a counter rose and not what it was: there an average stays a counter, and
   * nothing can be shown of it.
   */
  readonly fileStatistics: object | undefined;
  readonly store: ShownStore;
}

interface ShownStore {
  readonly scrapes: number;
  readonly endpoints: readonly { readonly rows: number }[];
  seriesKeys(): Iterable<SeriesKey>;
  valuesFrom(id: SeriesId, row: number): Iterable<number>;
}

/**
 * A family as views and comparisons read it: an average is a gauge, though its server calls it a counter, and the range
 * of a percentage is known. Artifacts keep the server's own type and AIPerf's unit.
 */
export function shownFamily(family: Family, { fileStatistics, store }: RunWithFamily): Family {
  if (fileStatistics === undefined && isCountedAverage(family)) return { ...family, type: "gauge" };
  if (!hasRange(family)) return family;
  const unit = rangeUnitIn(store, family.name);
  return unit === undefined ? family : { ...family, rangeUnit: unit };
}

/** As `shownFamily`, of a file's statistics. */
export function familyOfResult({ name, type, description, unit, series }: ResultOfFamily): Family {
  const family = { name, type, description, ...(unit === undefined ? {} : { declaredUnit: unit }) };
  if (!hasRange(family)) return family;
  const values = series.flatMap((result) =>
    result.kind === "gauge"
      ? Object.entries(statisticsOf(result)).flatMap(([key, value]) => (COUNTED.has(key) ? [] : [value ?? NaN]))
      : [],
  );
  const range = unitOfRange(values);
  return range === undefined ? family : { ...family, rangeUnit: range };
}

/** Statistics of a gauge that are none of its values; earlier layouts have more of them. */
const COUNTED: ReadonlySet<string> = new Set(["gaps", "count", "sum", "total"]);

interface ResultOfFamily extends Pick<Family, "name" | "type" | "description"> {
  readonly unit?: string;
  readonly series: readonly SeriesResult[];
}

function hasRange(family: Family): boolean {
  const isGauge = family.type === "gauge" || family.type === "unknown";
  return isGauge && isPercentByName(family) && familyEntry(family.name)?.unit === undefined;
}

/** What the rows of a store so far tell of a family. */
interface KnownRange {
  readonly scrapes: number;
  readonly unit: Family["rangeUnit"];
  /** Of each endpoint that was looked at. */
  readonly rows: readonly number[];
}
const ranges = new WeakMap<ShownStore, Map<string, KnownRange>>();

function rangeUnitIn(store: ShownStore, name: string): Family["rangeUnit"] {
  const all = ranges.get(store) ?? new Map<string, KnownRange>();
  ranges.set(store, all);
  const known = all.get(name);
  // Beyond 1 once is beyond 1 for good.
  if (known !== undefined && (known.unit === "percent" || known.scrapes === store.scrapes)) return known.unit;
  const unit = unitOfRange(newValues(store, name, known?.rows ?? [])) ?? known?.unit;
  all.set(name, { scrapes: store.scrapes, unit, rows: store.endpoints.map(({ rows }) => rows) });
  return unit;
}

/** @param rows of each endpoint that are known */
function* newValues(store: ShownStore, name: string, rows: readonly number[]): Generator<number, void> {
  for (const { id, endpoint, family } of store.seriesKeys())
    if (family.name === name) yield* store.valuesFrom(id, rows[endpoint] ?? 0);
}

/** The series of a run, with their families as they are shown. */
export function* shownKeys(run: RunWithFamily): Generator<SeriesKey, void> {
  for (const key of run.store.seriesKeys()) {
    const family = shownFamily(key.family, run);
    yield family === key.family ? key : { ...key, family };
  }
}

/** Why nothing is shown of an average where only its rises are known. */
export const COUNTED_AVERAGE_NOTE =
  "an average since the server started, which the file holds as a counter: its values are not in it";

/** How the server computes a family, in words; undefined for a plain reading. */
export function computedNote(name: string): string | undefined {
  switch (computedOf(name)?.over) {
    case "lifetime":
      return "average since the server started, not of this window";
    case "recent":
      return "computed by the server over a stretch of its own, not of this window";
    case undefined:
      return undefined;
  }
}

const TOTAL = "_total";

/**
 * The names under which endpoints hold one family: today's, else an older one. An endpoint may expose both side by
 * side, and then means the same by them. Of `x` and `x_total` beside each other the counter is `x_total`: Ray exposes
 * each counter as a gauge, too.
 * @param family canonical name
 * @param names what a run holds
 */
export function presentNames(family: string, names: { has(name: string): boolean }): readonly string[] {
  const present = new Set([family, ...aliasesOf(family)].filter((name) => names.has(name)));
  return [...present].flatMap((name) => {
    if (name.endsWith(TOTAL) && present.has(name.slice(0, -TOTAL.length))) return [];
    return present.has(name + TOTAL) ? [name + TOTAL, name] : [name];
  });
}

/**
 * Is a family the gauge that Ray exposes beside a counter, with the same number?
 * @param names of the families of its run
 */
export function repeatsCounter({ name, type }: Pick<Family, "name" | "type">, names: ReadonlySet<string>): boolean {
  return type === "gauge" && names.has(name + TOTAL) && familyEntry(name)?.type === "counter";
}

/** Does a filter let a series with these labels through? */
export function admits({ label, values, keep }: LabelFilter, labels: Labels): boolean {
  const own = labelValue(labels, label) ?? "";
  return values.includes(own) === (keep === "these");
}

/**
 * The order in which families are listed where key metrics come first: those in the order of the tiles, then all others
 * as given, and last what hardly ever changes.
 */
export function byImportance(names: Iterable<string>): string[] {
  const rank = (name: string) => TILES.get(canonicalName(name)) ?? (isStaticFamily(name) ? Infinity : TILES.size);
  return [...new Set(names)]
    .map((name) => ({ name, rank: rank(name) }))
    .sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
    .map(({ name }) => name);
}

/** Position of a family's tile, by canonical name. */
const TILES: ReadonlyMap<string, number> = new Map(
  [...new Set(SERVERS.flatMap(({ keyMetrics }) => keyMetrics.map(({ family }) => family)))].map(
    (family, position) => [family, position] as const,
  ),
);

/** For families that no rule of their server claims. */
const RULES: readonly GroupRule[] = [
  { group: "HTTP server", pattern: /^http_|^promhttp_/ },
  { group: "Process and system", pattern: /^(process|python|memory|cpu|network|nodejs|node|go)_/ },
  { group: "Model configuration", pattern: /_info$/ },
  { group: "Speculative decoding", pattern: /spec_decode|spec_accept|speculat/ },
  { group: "Latency", pattern: /latency|duration|time_to_first|time_per_|_time_seconds|_time_ms/ },
  { group: "KV cache", pattern: /kv_|cache_|_cached|kvstats|preempt/ },
  { group: "Throughput", pattern: /completed|success|throughput/ },
  {
    group: "Queue and batch",
    pattern: /num_requests_|running|waiting|queue|inflight|pending|batch|iteration|active_requests/,
  },
  { group: "Throughput", pattern: /tokens|requests|_bytes|errors?$/ },
  { group: "GPU", pattern: /gpu/i },
];

/** Where tree and tables put a family. */
export function groupOf(name: string): FamilyGroup {
  const canonical = canonicalName(name);
  const own = entryOfCanonical(canonical)?.group;
  if (own !== undefined) return own;
  const rules = [...(serverOf(canonical)?.groups ?? []), ...RULES];
  return rules.find(({ pattern }) => pattern.test(canonical))?.group ?? "Other";
}

/** The key metric shown of a family, by any of its names; of a family that only serves a derived one, that one. */
export function keyMetricOf(familyName: string): KeyMetric | undefined {
  const canonical = canonicalName(familyName);
  const metrics = serverOf(canonical)?.keyMetrics ?? [];
  return (
    metrics.find(({ family, derived }) => derived === undefined && family === canonical) ??
    metrics.find(({ derived }) => derived !== undefined && familiesOf(derived).includes(canonical))
  );
}

export interface Watched {
  readonly level: "none" | "warning" | "critical";
  readonly reason?: string;
}

/**
 * The worst watch rule that applies.
 * @param value the tile's statistic; NaN applies to nothing
 * @param growing does the series rise over the time looked at?
 */
export function watchLevel(rules: readonly WatchRule[] | undefined, value: number, growing: boolean): Watched {
  let worst: Watched = { level: "none" };
  for (const rule of rules ?? []) {
    const applies = rule.kind === "above" ? value > rule.threshold : growing && value > 0;
    if (applies && worst.level !== "critical") worst = { level: rule.level, reason: rule.reason };
  }
  return worst;
}

/** Families whose label is an index: their series are one vector, in numeric order. */
const VECTOR_LABELS: readonly { readonly family: RegExp; readonly label: string }[] = [
  { family: /_per_pos(ition)?$/, label: "position" },
];

/** The label that is an index in a family, if it has one. */
export function vectorLabelOf(familyName: string): string | undefined {
  const canonical = canonicalName(familyName);
  return VECTOR_LABELS.find(({ family }) => family.test(canonical))?.label;
}

/** Histograms of how many tokens the prompts of requests have. */
export const PROMPT_LENGTHS: readonly string[] = [
  "vllm:request_prompt_tokens",
  "trtllm:request_prompt_tokens",
  "sglang:prompt_tokens_histogram",
  "dynamo_frontend_input_sequence_tokens",
];

/** Histograms of how many tokens are generated for requests. */
export const OUTPUT_LENGTHS: readonly string[] = [
  "vllm:request_generation_tokens",
  "trtllm:request_generation_tokens",
  "sglang:generation_tokens_histogram",
  "dynamo_frontend_output_sequence_tokens",
];
