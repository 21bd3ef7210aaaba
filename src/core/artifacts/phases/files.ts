import {
  displayName,
  type EpochNs,
  type FamilyResult,
  type NamedPhase,
  type RunStatistics,
  type SeriesResult,
} from "../../model/index.js";
import { groupBy } from "../../math/index.js";
import { isArray, jsonText, membersOf, type Writable } from "../json/text.js";
import { seriesOf } from "../series-fields.js";

/** Lies beside the run's artifacts and names the files of each phase. */
export const PHASE_MANIFEST = "phase_manifest.json";

/** A phase's place among the others: which one it is, and of profiling which. */
export interface PhasePlace extends Required<Pick<NamedPhase, "name" | "kind" | "start" | "end">> {
  readonly index: number;
  /** Absent for a warm-up. */
  readonly profilingIndex?: number;
}

/** Numbers phases in the order given. */
export function phasePlaces(
  phases: readonly Required<Pick<NamedPhase, "name" | "kind" | "start" | "end">>[],
): readonly PhasePlace[] {
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
  const [first, last] = [
    leastOf(endpointInfo.map(([, info]) => info.first_fetch_ns)) ?? place.start,
    greatestOf(endpointInfo.map(([, info]) => info.last_fetch_ns)) ?? place.end,
  ];
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
      start_ns: first,
      end_ns: last,
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

function leastOf(times: readonly EpochNs[]): EpochNs | undefined {
  return times.reduce<EpochNs | undefined>(
    (least, time) => (least === undefined || time < least ? time : least),
    undefined,
  );
}

function greatestOf(times: readonly EpochNs[]): EpochNs | undefined {
  return times.reduce<EpochNs | undefined>(
    (most, time) => (most === undefined || time > most ? time : most),
    undefined,
  );
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
