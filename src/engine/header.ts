import type { EndpointReport } from "../collect/index.js";
import {
  configuredLabel,
  displayName,
  marksOf,
  NS_PER_MS,
  NS_PER_SECOND,
  storedTotals,
  toEpoch,
  toOffset,
  type EpochNs,
  type Problem,
  type RunStatistics,
} from "../core/model/index.js";
import { groupBy } from "../core/math/index.js";
import { fieldsOf, isFields, isList, type JsonObject } from "../core/text/index.js";
import { ROLES, shownRoles, type Role, type RoleSeries } from "../core/catalog/index.js";
import { isClientEndpoint } from "../core/client/index.js";
import { idleParts, runPhases } from "../core/window/index.js";
import { ARTIFACT_FORMATS } from "../core/artifacts/index.js";
import { endpointOverview, roleSeriesOf, staticFacts, type StaticFact, type StoredRun } from "../core/query/index.js";
import { endpointInfo } from "../core/stats/index.js";
import type { EndpointAxis, Run } from "../core/store/index.js";
import type { EndpointStatus, OpenedFile, PhaseStatus, RunHeader } from "../protocol/index.js";
import type { Capture } from "./capture/capture.js";
import { eventGroups } from "./event-groups.js";
import { atEnd, fileStatus, unanswered } from "./subjects/file-status.js";
import type { LargeRun } from "./subjects/large-run.js";
import { liveLoad, loadStatus, storedLoad } from "./load-status.js";

/** The header of a capture, running or stopped. */
export function captureHeader(capture: Capture, problems: readonly Problem[]): RunHeader {
  const { run } = capture;
  const over = capture.state === "stopped";
  return {
    ...runHeader(run, problems),
    ...liveLoad(capture),
    adjustable: over,
    exportable: ARTIFACT_FORMATS,
    state: capture.state,
    phase: capture.phase,
    elapsedSeconds: over ? lengthSeconds(run) : capture.elapsedSeconds,
    endpoints: withRoles(
      roleSeriesOf(run),
      capture.endpoints().map((report) => reportedStatus(run, report, over)),
    ),
  };
}

/** Of a run that is not being captured: all that is known lies in its samples. */
export function savedHeader(
  run: Run,
  problems: readonly Problem[],
  file?: OpenedFile,
  state: "opened" | "opening" | "following" = "opened",
): RunHeader {
  return {
    ...runHeader(run, problems),
    // One scrape has no slices, and is no run to be written.
    adjustable: state === "opened" && file?.format !== "snapshot",
    exportable: state === "opening" || file?.format === "snapshot" ? [] : ARTIFACT_FORMATS,
    ...(file === undefined ? {} : { file }),
    state,
    phase: "profiling",
    elapsedSeconds: state === "opened" ? lengthSeconds(run) : run.newest / NS_PER_SECOND,
    endpoints: savedStatuses(run),
  };
}

/** The endpoints of a run that is not being captured, as its samples tell of them. */
function savedStatuses(run: Run): readonly EndpointStatus[] {
  const statuses = asConfigured(run).map((axis) => savedStatus(run, axis));
  return withRoles(roleSeriesOf(run), [...statuses, ...unanswered(run.metadata.endpointsConfigured, statuses)]);
}

/** Of a run that grows while its file is read. */
export function readingHeader(run: Run, file: OpenedFile, readShare: number): RunHeader {
  const header = savedHeader(run, [], file, "opening");
  // How an endpoint ends is not known before the end of the file.
  const endpoints = header.endpoints.map(({ answeredUntil: _, ...one }) => ({ ...one, state: "recorded" as const }));
  return { ...header, endpoints, readShare };
}

/** As they were captured: the files of some formats have their series in another order. */
function asConfigured({ store, metadata }: Run): readonly EndpointAxis[] {
  const place = new Map(metadata.endpointsConfigured.map((url, i) => [url, i]));
  const placeOf = ({ url }: EndpointAxis) => place.get(url) ?? place.size;
  return [...store.endpoints].sort((a, b) => placeOf(a) - placeOf(b));
}

/** Of a run whose samples lie on disk. */
export function largeHeader(run: LargeRun, problems: readonly Problem[], file: OpenedFile): RunHeader {
  const clients = savedStatuses(run.frame).filter(({ url }) => isClientEndpoint(url));
  const own = run.endpoints();
  const silent = unanswered(run.frame.metadata.endpointsConfigured, own);
  const endpoints = [...withRoles(run.roleSeries(), own), ...silent, ...clients];
  const { gaps: _, scrapes: __, ...frame } = runHeader(run.frame, problems);
  return {
    ...frame,
    adjustable: true,
    exportable: ARTIFACT_FORMATS,
    file,
    state: "opened",
    phase: "profiling",
    now: run.newest,
    elapsedSeconds: lengthSeconds(run.frame, run.newest),
    ...(endpoints.some(({ scrapes }) => scrapes > 0)
      ? scrapesAndGaps(
          endpoints.map(({ url, scrapes, failures }) => [url, scrapes, failures]),
          false,
        )
      : {}),
    facts: run.facts,
    endpoints,
  };
}

/**
 * Without those of the benchmark clients beside the servers, whose records are requests.
 * @param counts of each endpoint: scrapes that were answered, and that failed
 * @param failuresKnown 0 of them are none
 */
function scrapesAndGaps(
  counts: readonly (readonly [url: string, answered: number, failed: number])[],
  failuresKnown: boolean,
): Pick<RunHeader, "scrapes" | "gaps"> {
  const own = counts.filter(([url]) => !isClientEndpoint(url));
  const gaps = own.reduce((sum, [, , failed]) => sum + failed, 0);
  const scrapes = own.reduce((sum, [, answered]) => sum + answered, gaps);
  return { scrapes, ...(failuresKnown || gaps > 0 ? { gaps } : {}) };
}

function runHeader(
  run: Run,
  problems: readonly Problem[],
): Omit<RunHeader, "state" | "phase" | "elapsedSeconds" | "endpoints" | "adjustable" | "exportable"> {
  const { store, metadata } = run;
  const end = run.profilingEnd;
  const chosen = run.chosenWindow;
  const phases = phasesOf(run);
  return {
    ...(metadata.label === undefined ? {} : { label: metadata.label }),
    benchmarkId: metadata.benchmarkId,
    originMs: Number(run.origin) / NS_PER_MS,
    originNs: run.origin.toString(),
    now: run.newest,
    profilingStart: run.offset(run.measuredFrom),
    ...(run.recordedStart === undefined ? {} : { recordedProfilingStart: run.offset(run.recordedStart) }),
    ...(end === undefined ? {} : { profilingEnd: run.offset(end) }),
    sliceDurationSeconds: run.sliceSeconds,
    ...(chosen === undefined ? {} : { window: { start: run.offset(chosen.start), end: run.offset(chosen.end) } }),
    ...loadStatus(run),
    ...(phases.length === 0 ? {} : { phases }),
    ...scrapesAndGaps(
      store.endpoints.map(({ url, rows, failures }) => {
        const info = run.fileStatistics?.endpointInfo.get(url);
        return [url, info?.total_fetches ?? rows - failures, info?.failed_fetches ?? failures];
      }),
      // AIPerf's Parquet does not tell of scrapes that failed.
      run.fileStatistics?.assumedReference === undefined,
    ),
    ...totalsOf(metadata.inputConfig),
    facts: staticFacts(run),
    marks: run.marks.map(({ time, label }) => ({ time: run.offset(time), label })),
    ...(run.serverEvents.length === 0 ? {} : { events: eventGroups(run) }),
    problems: withSourceNotes(problems, metadata.inputConfig),
  };
}

/**
 * Of profiling as it was recorded: the one length that every format holds.
 * @param newest sample, where the run's own store does not tell
 */
function lengthSeconds(run: Run, newest = run.newest): number {
  const start = run.offset(run.recordedStart ?? run.profilingStart);
  return ((run.profilingEnd === undefined ? newest : run.offset(run.profilingEnd)) - start) / NS_PER_SECOND;
}

/** Profiling without a name is the recorded window itself, and an empty phase has no statistics. */
function phasesOf(run: Run): readonly PhaseStatus[] {
  const named = runPhases(run).flatMap(({ name, kind, window: { start, end, kind: of } }) =>
    of !== "exact" || end <= start ? [] : [{ name, kind, start: run.offset(start), end: run.offset(end) }],
  );
  const idle = idleParts(run).map(({ name, start, end }) => ({
    name,
    kind: "idle" as const,
    start: run.offset(start),
    end: run.offset(end),
  }));
  return [...named, ...idle].sort((a, b) => a.start - b.start);
}

/** Endpoints of a disaggregated deployment by role, in the order in which a request meets them. */
function withRoles(
  series: ReadonlyMap<string, Iterable<RoleSeries>>,
  endpoints: readonly EndpointStatus[],
): readonly EndpointStatus[] {
  const roles = shownRoles(series);
  if (roles.size === 0) return endpoints;
  const place = (role: Role | undefined) => (role === undefined ? ROLES.length : ROLES.indexOf(role));
  return endpoints
    .map((one) => {
      const role = roles.get(one.url);
      return role === undefined ? one : { ...one, role };
    })
    .sort((a, b) => place(a.role) - place(b.role));
}

/** @param over nothing can be done about what has failed: it is shown without a remedy */
function reportedStatus(run: Run, report: EndpointReport, over: boolean): EndpointStatus {
  const axis = run.store.endpoint(report.url);
  const overview = axis === undefined ? undefined : endpointOverview(run, axis.id);
  const { configuredUrl: _, ...shown } = report;
  return {
    ...shown,
    ...(over && axis !== undefined ? savedState(run, axis) : {}),
    servers: overview?.servers ?? [],
    families: overview?.families ?? 0,
    series: overview?.series ?? 0,
    problems: [
      ...(over ? report.problems.map(({ severity, reason }) => ({ severity, reason })) : report.problems),
      ...(report.state === "up" ? (overview?.hints ?? []) : []),
    ],
  };
}

function savedStatus(run: Run, axis: EndpointAxis): EndpointStatus {
  const { servers, families, series, hints } = endpointOverview(run, axis.id);
  // A Parquet file has the answers of the window alone, and tells of the others.
  const info = run.fileStatistics?.endpointInfo.get(axis.url);
  const latency = axis.rows > 0 ? axis.latencies.at(axis.rows - 1) : 0;
  return {
    url: axis.url,
    displayName: displayName(axis.url),
    ...savedState(run, axis),
    ...(latency > 0 ? { latencyMs: latency / NS_PER_MS } : {}),
    scrapes: info?.total_fetches ?? axis.rows - axis.failures,
    failures: info?.failed_fetches ?? axis.failures,
    missedTicks: 0,
    servers,
    families,
    series,
    problems: hints,
  };
}

/** As the run's last scrapes left it. */
function savedState(run: Run, axis: EndpointAxis): Pick<EndpointStatus, "state" | "answeredUntil"> {
  const { origin } = run.store;
  if (isClientEndpoint(axis.url)) return { state: "recorded" };
  // AIPerf's Parquet has samples alone.
  const answers = run.fileStatistics?.endpointInfo.get(axis.url) ?? endpointInfo(axis, origin);
  return answers === undefined
    ? { state: "failing" }
    : atEnd(answers, run.profilingEnd ?? toEpoch(run.newest, origin), origin);
}

/** Of a file that holds statistics only. */
export function storedHeader(stored: StoredRun, problems: readonly Problem[], file: OpenedFile): RunHeader {
  const { statistics, origin } = stored;
  const offset = (time: EpochNs) => toOffset(time, origin);
  const end = offset(statistics.endNs);
  const first = stored.series.flatMap(({ result }) => result.slices?.[0] ?? [])[0];
  const label = configuredLabel(statistics.inputConfig);
  return {
    state: "opened",
    phase: "profiling",
    adjustable: false,
    exportable: file.format === "json" ? ["csv", "json"] : [],
    file,
    ...(label === undefined ? {} : { label }),
    benchmarkId: statistics.benchmarkId,
    originMs: Number(origin) / NS_PER_MS,
    originNs: origin.toString(),
    now: end,
    profilingStart: offset(statistics.startNs),
    profilingEnd: end,
    ...(statistics.endNs > statistics.startNs
      ? { elapsedSeconds: Number(statistics.endNs - statistics.startNs) / NS_PER_SECOND }
      : {}),
    sliceDurationSeconds: first === undefined ? 0 : Number(first.end_ns - first.start_ns) / NS_PER_SECOND,
    ...(statistics.endpointInfo.length > 0
      ? scrapesAndGaps(
          statistics.endpointInfo.map(([url, { total_fetches, failed_fetches = 0 }]) => [
            url,
            total_fetches,
            failed_fetches,
          ]),
          false,
        )
      : {}),
    endpoints: storedStatuses(stored),
    ...totalsOf(statistics.inputConfig),
    facts: modelFacts(statistics),
    ...storedLoad(statistics),
    marks: marksOf(statistics.inputConfig).map(({ time, label }) => ({ time: offset(time), label })),
    problems: withSourceNotes(problems, statistics.inputConfig),
  };
}

/** What a run's file says of how it was read from a store, unless it was read just now and says so itself. */
function withSourceNotes(problems: readonly Problem[], { source }: JsonObject): readonly Problem[] {
  const { kind, notes } = fieldsOf(source);
  if (kind !== "prometheus" || !isList(notes)) return problems;
  const said = new Set(problems.map(({ reason }) => reason));
  return [
    ...problems,
    ...notes.filter(isFields).flatMap(({ severity, reason, remedy }): Problem[] => {
      if (typeof reason !== "string" || said.has(reason)) return [];
      const known = { severity: severity === "info" ? ("info" as const) : ("warning" as const), reason };
      return [typeof remedy === "string" ? { ...known, remedy } : known];
    }),
  ];
}

function totalsOf(config: JsonObject): Pick<RunHeader, "totals"> {
  const totals = storedTotals(config);
  return totals === undefined ? {} : { totals };
}

/** The model that the configuration names, of every endpoint. */
function modelFacts({ inputConfig, endpointsSuccessful }: RunStatistics): StaticFact[] {
  const { model } = inputConfig;
  if (typeof model !== "string") return [];
  return endpointsSuccessful.map((endpointUrl) => ({ name: "model", value: model, endpointUrl }));
}

/** A CSV names its endpoints, but says nothing of their scrapes. */
function storedStatuses(run: StoredRun): readonly EndpointStatus[] {
  const {
    series,
    statistics: { endpointInfo, endNs, endpointsConfigured },
  } = run;
  const infos = new Map(endpointInfo);
  const byEndpoint = groupBy(series, ({ key }) => key.endpointUrl);
  const statuses = [...new Set([...infos.keys(), ...byEndpoint.keys()])].map((url) => {
    const own = byEndpoint.get(url) ?? [];
    const families = [...new Set(own.map(({ key }) => key.family.name))];
    return { ...fileStatus(url, infos.get(url), families, endNs, run.origin), series: own.length };
  });
  return withRoles(roleSeriesOf(run), [...statuses, ...unanswered(endpointsConfigured, statuses)]);
}
