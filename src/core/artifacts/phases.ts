import {
  displayName,
  epochNs,
  familyResult,
  type EpochNs,
  type FamilyResult,
  type NamedPhase,
  type RunStatistics,
  type SeriesResult,
} from "../model/index.js";
import { groupBy } from "../math/index.js";
import { isArray, jsonText, membersOf, type Writable } from "./json/text.js";
import { seriesOf } from "./series-fields.js";
import { fieldsOf, textsOf, type Fields } from "../text/index.js";
import { endpointInfoOf, FamilyReader, parseNs } from "./json/families.js";
import { timeOf } from "./json/exact.js";
import { asObject, asString } from "./jsonl/read-line.js";

/** Lies beside the run's artifacts and names the files of each phase. */
export const PHASE_MANIFEST = "phase_manifest.json";

/** A phase's place among the others: which one it is, and of profiling which. */
export interface PhasePlace extends PhaseHeader {
  readonly index: number;
  /** Absent for a warm-up. */
  readonly profilingIndex?: number;
}

/** Numbers phases in the order given. */
export function phasePlaces(phases: readonly PhaseHeader[]): readonly PhasePlace[] {
  let profiling = 0;
  return phases.map(({ name, kind, start, end }, index) => ({
    name,
    kind,
    start,
    end,
    index,
    ...(kind === "profiling" ? { profilingIndex: profiling++ } : {}),
  }));
}

/** A phase's statistics relative to the run's folder, with forward slashes on every system. */
export function phaseFile(name: string): string {
  return `phases/${name}/server_metrics.json`;
}

/** The manifest, in the reference's form. What it counts of requests is 0: a scraper sees none. */
export function phaseManifestText(places: readonly PhasePlace[]): string {
  return sortedText({
    schema_version: 1,
    phases: places.map((place) => ({
      ...boundsOf(place),
      error_request_count: 0,
      error_summary: [],
      server_metrics_json: phaseFile(place.name),
      successful_request_count: 0,
      total_request_count: 0,
    })),
  });
}

/** One phase's statistics, in the reference's form: by endpoint, without units. */
export function phaseStatisticsText(place: PhasePlace, statistics: RunStatistics): string {
  const { benchmarkId, endpointsConfigured, endpointsSuccessful, endpointInfo, families } = statistics;
  const fetches = endpointInfo.flatMap(([, info]) => [info.first_fetch_ns, info.last_fetch_ns]);
  const times = BigInt64Array.from(fetches).sort();
  const infos = new Map(endpointInfo);
  const byEndpoint = metricsByEndpoint(families);
  return sortedText({
    schema_version: 1,
    phase: boundsOf(place),
    warnings: [],
    data: {
      benchmark_id: benchmarkId,
      phase: place.kind,
      phase_index: place.index,
      phase_kind: place.kind,
      phase_name: place.name,
      profiling_index: place.profilingIndex,
      start_ns: times[0] ?? place.start,
      end_ns: times.at(-1) ?? place.end,
      endpoints_configured: endpointsConfigured,
      endpoints_successful: endpointsSuccessful,
      error_summary: [],
      endpoint_summaries: new Map(
        endpointsSuccessful.map((url) => [
          displayName(url),
          {
            endpoint_url: url,
            info: { ...(infos.get(url) ?? {}) },
            metrics: new Map(byEndpoint.get(url) ?? []),
          },
        ]),
      ),
    },
  });
}

function boundsOf({ name, kind, index, profilingIndex, start, end }: PhasePlace) {
  return {
    phase_name: name,
    phase_kind: kind,
    phase_index: index,
    profiling_index: profilingIndex ?? null,
    start_ns: start,
    end_ns: end,
    was_cancelled: false,
  };
}

/** The reference fills in unit and URL of a series in the run's own file only. */
function metricsByEndpoint(families: readonly FamilyResult[]) {
  const entries = families.flatMap(({ name, type, description, series }) =>
    [...groupBy<string, SeriesResult>(series, ({ endpointUrl }) => endpointUrl)].map(([url, own]) => {
      const results = own.map((result) => ({ ...seriesOf(result), endpoint_url: undefined }));
      return { url, entry: [name, { type, description, series: results }] as const };
    }),
  );
  const byEndpoint = groupBy(entries, ({ url }) => url);
  return new Map([...byEndpoint].map(([url, own]) => [url, own.map(({ entry }) => entry)]));
}

/** Keys in the order of their letters, two spaces, a line end at the end. */
function sortedText(value: Writable): string {
  return `${jsonText(sorted(value))}\n`;
}

function sorted(value: Writable): Writable {
  if (value === null || typeof value !== "object") return value;
  if (isArray(value)) return value.map(sorted);
  const members = [...membersOf(value)].flatMap(([key, item]) => (item === undefined ? [] : [[key, item] as const]));
  members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return new Map(members.map(([key, item]) => [key, sorted(item)]));
}

/** A phase as a manifest or a phase's file tells it. */
export type PhaseHeader = Required<Pick<NamedPhase, "name" | "kind" | "start" | "end">>;

export interface ManifestEntry extends PhaseHeader {
  /** Of its statistics, relative to the manifest; as it stands there. */
  readonly statisticsFile?: string;
  /** As the load generator counted them; absent when it did not. */
  readonly requests?: number;
  /** Those that succeeded; absent when it did not count them. */
  readonly succeeded?: number;
}

export interface PhaseStatistics {
  readonly phase: PhaseHeader;
  /** Absent when the phase has no data. */
  readonly statistics?: RunStatistics;
  /** The first and the last scrape that belong to the phase. */
  readonly scrapes?: { readonly first: EpochNs; readonly last: EpochNs };
  readonly warnings: readonly string[];
}

const VERSION = 1;

/** Whether the beginning of a file is that of a phase manifest. */
export function isPhaseManifest(head: string): boolean {
  return /^\s*\{\s*"phases"\s*:\s*\[/.test(head) && (head.includes('"phase_name"') || /\[\s*\]/.test(head));
}

/** Whether the beginning of a file is that of one phase's statistics. */
export function isPhaseStatistics(head: string): boolean {
  return (
    /^\s*\{\s*"data"\s*:\s*null\s*,\s*"phase"\s*:/.test(head) ||
    (/^\s*\{\s*"data"\s*:\s*\{/.test(head) && head.includes('"endpoint_summaries"'))
  );
}

/** @throws Error when the text is not a manifest, or one of a later version */
export function readPhaseManifest(text: string): readonly ManifestEntry[] {
  const manifest = asObject(parseNs(text), "the manifest");
  requireVersion(manifest);
  const { phases } = manifest;
  if (!Array.isArray(phases)) throw new Error("it has no list of phases");
  return phases.map((item, i) => {
    const entry = asObject(item, `phase ${i + 1}`);
    const file = entry["server_metrics_json"];
    const requests = entry["total_request_count"];
    const succeeded = entry["successful_request_count"];
    return {
      ...headerOf(entry),
      ...(typeof file === "string" ? { statisticsFile: file } : {}),
      ...(typeof requests === "number" && requests > 0 ? { requests } : {}),
      ...(typeof succeeded === "number" ? { succeeded } : {}),
    };
  });
}

/** @throws Error when the text is not one phase's statistics, or of a later version */
export function readPhaseStatistics(text: string): PhaseStatistics {
  const file = asObject(parseNs(text), "the file");
  requireVersion(file);
  const phase = headerOf(asObject(file["phase"], "phase"));
  const warnings = textsOf(file["warnings"]);
  if (typeof file["data"] !== "object" || file["data"] === null) return { phase, warnings };
  const data = asObject(file["data"], "data");
  const summaries = Object.values(fieldsOf(data["endpoint_summaries"])).map((item) => asObject(item, "an endpoint"));
  const families = summaries.flatMap(familiesOf);
  const urls = summaries.map((summary) => asString(summary["endpoint_url"], "endpoint_url"));
  const first = timeOf(data["start_ns"]);
  const last = timeOf(data["end_ns"]);
  return {
    phase,
    warnings,
    scrapes: { first, last },
    statistics: {
      benchmarkId: typeof data["benchmark_id"] === "string" ? data["benchmark_id"] : "",
      startNs: first,
      endNs: last,
      endpointsConfigured: textsOf(data["endpoints_configured"]),
      endpointsSuccessful: textsOf(data["endpoints_successful"]),
      endpointInfo: summaries.map((summary, i) => [urls[i] ?? "", endpointInfoOf(fieldsOf(summary["info"]))] as const),
      inputConfig: {},
      phase: phase.kind,
      families: joined(families),
    },
  };
}

function familiesOf(summary: Fields): FamilyResult[] {
  const url = asString(summary["endpoint_url"], "endpoint_url");
  // What is not known of an inner result is not reported: it has no version of its own.
  const reader = new FamilyReader(new Set());
  return Object.entries(fieldsOf(summary["metrics"])).map(([name, metric]) =>
    reader.family(name, asObject(metric, `metrics › ${name}`), url),
  );
}

/** One family over all endpoints, sorted by name; of two types under one name there are two. */
function joined(families: readonly FamilyResult[]): FamilyResult[] {
  const byKey = new Map<string, FamilyResult>();
  for (const family of families) {
    const key = `${family.name} ${family.type}`;
    const before = byKey.get(key);
    // Both have the type in their key; the reader has put series of its kind only into each.
    byKey.set(
      key,
      before === undefined ? family : familyResult(before, before.unit, [...before.series, ...family.series]),
    );
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, family]) => family);
}

function headerOf(entry: Fields): PhaseHeader {
  const start = timeOf(entry["start_ns"]);
  const end = timeOf(entry["end_ns"]);
  return {
    name: asString(entry["phase_name"], "phase_name"),
    kind: entry["phase_kind"] === "warmup" ? "warmup" : "profiling",
    start,
    end: end > start ? end : epochNs(start),
  };
}

function requireVersion(document: Fields): void {
  const version = document["schema_version"];
  if (typeof version === "number" && version > VERSION)
    throw new Error(`its schema version is ${version}: this program reads ${VERSION}`);
}
