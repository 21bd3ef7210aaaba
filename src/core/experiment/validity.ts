import { canonicalName, formatValue } from "../catalog/index.js";
import { spanOf, type ClientResult } from "../client/index.js";
import type { Finding, FindingId } from "../insights/index.js";
import { NS_PER_SECOND } from "../model/index.js";
import type { Run } from "../store/index.js";
import { judgedName, type ServerConfiguration, type ExperimentDefinition } from "./definition.js";
import type { RecordedRun, MetricValues } from "./measure.js";

/** How a run went, beside what was measured of it. */
export interface FinishedRun {
  /** Of the load; undefined where a signal ended it. */
  readonly exitCode: number | undefined;
  readonly timedOut: boolean;
  /** What the load said at its end, as a sentence. */
  readonly lastLines: string;
  readonly run: RecordedRun;
  readonly captured: Run;
  readonly findings: readonly Finding[];
  readonly values: MetricValues;
}

/** Findings with which a run is not like the others. */
const DISTURBED: readonly FindingId[] = ["restart", "throttled", "frozen"];
/** Of the requests that a load was set to send. */
const REACHED = 0.9;

/** Why a run does not count; empty of a valid one. Each is a sentence. */
export function problemsOf(
  definition: ExperimentDefinition,
  configuration: ServerConfiguration,
  finished: FinishedRun,
): readonly string[] {
  const { exitCode, timedOut, lastLines, run, captured, findings, values } = finished;
  const primary = values[judgedName(definition.primary)];
  return [
    ...(timedOut ? ["The load took longer than its timeout."] : []),
    ...(exitCode === 0 || timedOut
      ? []
      : [`The load ended with ${exitCode === undefined ? "a signal" : `exit code ${exitCode}`}. ${lastLines}`]),
    ...requestProblems(run.clients, definition.errors, findings),
    ...findings.flatMap(({ id, title, text }) => (DISTURBED.includes(id) ? [`${title}: ${text}`] : [])),
    ...longGaps(captured, definition),
    ...unmetExpectations(configuration, run),
    ...(typeof primary === "string" ? [`The primary metric is not known: ${primary}.`] : []),
  ];
}

/** By the client, who knows each request; without its results by the servers. */
function requestProblems(
  clients: readonly ClientResult[],
  limit: number,
  findings: readonly Finding[],
): readonly string[] {
  const requests = clients.flatMap((client) => client.requests);
  if (requests.length === 0)
    return findings.flatMap(({ id, title, text }) => (id === "errors" ? [`${title}: ${text}`] : []));
  const failed = requests.filter(({ outcome }) => outcome === "failed").length;
  const share = failed / requests.length;
  return [
    ...(share > limit ? [`${failed} of ${requests.length} requests failed (${formatValue(share, "ratio")}).`] : []),
    ...clients.flatMap(notReached),
  ];
}

/** A client that sends fewer requests than it was set to: it was too slow, and the server was not asked as planned. */
function notReached({ requestRate, requests }: ClientResult): readonly string[] {
  const span = spanOf(requests.map(({ start }) => ({ start, end: start })));
  const seconds = span === undefined ? 0 : Number(span.end - span.start) / NS_PER_SECOND;
  if (requestRate === undefined || !Number.isFinite(requestRate) || seconds === 0) return [];
  const rate = (requests.length - 1) / seconds;
  // Arrivals at random vary by the root of their number.
  const tolerated = Math.min(REACHED, 1 - 3 / Math.sqrt(requests.length));
  return rate >= tolerated * requestRate
    ? []
    : [`The load was ${rate.toPrecision(3)} requests/s instead of ${requestRate}: the load generator is too slow.`];
}

/** Endpoints that did not answer for longer than a slice, or than two intervals, within the measured window. */
function longGaps(run: Run, { interval }: ExperimentDefinition): readonly string[] {
  const from: number = run.offset(run.profilingStart);
  const to: number = run.profilingEnd === undefined ? run.newest : run.offset(run.profilingEnd);
  return run.store.endpoints.flatMap((axis) => {
    const answered = axis.times.view().filter((time, row) => time > from && time < to && !axis.errors.has(row));
    const times = [from, ...answered.sort(), to];
    const longest = times.reduce((most, time, i) => Math.max(most, time - (times[i - 1] ?? time)), 0) / NS_PER_SECOND;
    // Scrapes that are rarer than slices are apart by more than a slice.
    const limit = Math.max(run.sliceSeconds, 2 * interval);
    if (longest <= limit) return [];
    const [gap, most] = [longest, limit].map((seconds) => formatValue(seconds, "seconds"));
    const what = limit === run.sliceSeconds ? "a slice" : "two scrape intervals";
    return [`${axis.url} was not scraped for ${gap}, longer than ${what} (${most}).`];
  });
}

function unmetExpectations({ expect = {} }: ServerConfiguration, { source }: RecordedRun): readonly string[] {
  return Object.entries(expect).flatMap(([metric, labels]) =>
    Object.entries(labels).flatMap(([label, wanted]) => {
      const found = source.facts.get(`${canonicalName(metric)} ${label}`);
      if (found === wanted) return [];
      return [
        `${metric} has ${label}="${found ?? ""}", and "${wanted}" was expected: the setting did not take effect.`,
      ];
    }),
  );
}
