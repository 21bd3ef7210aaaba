import { familyEntry, groupOf, inSentence, titleWithName, type FamilyGroup } from "../../catalog/index.js";
import { amountOf, statisticOf, type CounterResult, type FamilyResult, type Labels } from "../../model/index.js";
import { ramp } from "../signals.js";
import type { Observed } from "../observed.js";
import { endpointRule } from "../rule.js";
import { counted, percent } from "../words.js";

/** Counters restarted from zero: the process restarted in the middle of the run. */
export const restart = endpointRule({
  title: "A server restarted during the run",
  advice:
    "Look at the server's log around that time. Caches were cold afterwards: use a window before or after the restart to judge the server.",
  look: (run, endpointUrl) => {
    const families = run.find((_, { type }) => type === "counter" || type === "histogram", endpointUrl);
    return families.length === 0 ? undefined : { families };
  },
  judge: ({ families }, { run, endpointUrl }) => {
    const fell = families
      .map(({ name, series }) => ({
        family: name,
        resets: Math.max(0, ...series.map((each) => statisticOf(each, "resets"))),
        labels: series.length === 1 ? (series[0]?.labels ?? []) : [],
      }))
      .filter(({ resets }) => resets > 0)
      .sort((a, b) => b.resets - a.resets);
    const [first] = fell;
    // One family that falls is a bug of that family.
    if (first === undefined || fell.length < Math.min(2, families.length)) return undefined;
    const { family, labels, resets } = first;
    const signal = { family, unit: undefined, endpointUrl, labels };
    return {
      weight: 0.92,
      confidence: fell.length > families.length / 3 ? "high" : "medium",
      text:
        `${counted(fell.length, "metric")} of ${families.length} restarted from zero` +
        `${resets > 1 ? `, ${resets} times` : ""}.`,
      evidence: [run.evidence(signal, "resets", resets, { threshold: 0 })],
    };
  },
});

/** Families that count failures by their name. */
const REASON = /^(finished_reason|finish_reason|reason)$/;
const STATUS = /^(status|code|status_code|error_type)$/;
const ABORTS = /(_abort(ed|s)?|_cancellation)(_|$)/;
const FAILURES = /(_error|_errors|_failed|_failures?|_corrupted|corrupted_requests|_rejected|_timeouts?)(_|$)/;
/** How labels call a request that its client gave up. Dynamo's frontend has it beside `status="error"`. */
const GIVEN_UP = /abort|cancel|^499$/i;
/** A request that could not be served by any server, as Dynamo's frontend calls it beside `status="error"`. */
const WRONG = /^(validation|not_found)$/i;
const FAILED_REASON = /^(error|fail(ed|ure)?|timeout)$/i;
const FAILED_STATUS = /^(5(\d\d|xx)|error|failed|internal|timeout)$/i;
/** Not failures of requests. */
const HARMLESS = /^(process|python|go|node|promhttp|DCGM)_/;
/** What fails there, such as storing a block, need not fail a request. */
const NOT_OF_REQUESTS: ReadonlySet<FamilyGroup> = new Set(["KV cache", "Process and system", "GPU"]);
const MIN_FAILED = 3;

/** Requests fail. Aborts by the client count apart, from a higher share on. */
export const errors = endpointRule({
  title: "Requests fail",
  advice:
    "Look at the server's log for the first of them. Latency and throughput of failed requests are in the averages: a server that fails fast looks fast.",
  look: (run, endpointUrl) => {
    const counters = outcomeCounters(run, endpointUrl);
    return counters.length === 0 ? [] : [false, true].map((isAbort) => ({ counters, isAbort }));
  },
  judge: ({ isAbort, counters }, { run, endpointUrl, limits: { abortShare, errorShare } }) => {
    const found = failures(counters, isAbort);
    const total = Math.max(0, ...found.map(({ count }) => count));
    const worst = found.find(({ count }) => count === total);
    if (worst === undefined || total < MIN_FAILED) return undefined;
    const finished = run.counter(endpointUrl, "finished")?.total ?? NaN;
    const share = total / Math.max(total, finished);
    const corrupted = worst.family.name.includes("corrupted");
    const limit = isAbort ? abortShare : errorShare;
    if (finished > 0 && share < limit && !corrupted) return undefined;
    const { family, labels, points } = worst;
    const signal = { family: family.name, unit: family.unit, endpointUrl, labels };
    const base = isAbort ? 0.4 : 0.65;
    const what = corrupted ? "corrupted request" : isAbort ? "aborted request" : "failed request";
    return {
      weight: Number.isNaN(share) ? base : ramp(share, 0.01, 0.2, base, base + 0.25),
      confidence: "high",
      text: `${counted(total, what)}${finished > 0 ? `, ${percent(share)} of all` : ""}, counted in ${inSentence(titleWithName(family.name))}.`,
      evidence: [
        finished > 0 && !corrupted
          ? run.evidence(signal, "share of all requests", share, { threshold: limit, unit: "ratio" }, points)
          : run.evidence(signal, "total", total, { threshold: 0, unit: "" }, points),
      ],
    };
  },
});

function failures(counters: readonly CounterFamily[], isAbort: boolean) {
  return counters.flatMap((family) => {
    const series = family.series.filter((each) => isFailure(family, each, isAbort));
    const count = series.reduce((sum, each) => sum + amountOf(each), 0);
    const points = (series[0]?.slices ?? [])
      .filter(({ total }) => total > 0)
      .map(({ start_ns, end_ns, total }) => ({ startNs: start_ns, endNs: end_ns, value: total }));
    return count > 0 ? [{ family, count, labels: series.length === 1 ? (series[0]?.labels ?? []) : [], points }] : [];
  });
}

type CounterFamily = FamilyResult & { readonly type: "counter" };

/** Counters that say how requests ended, so that they would show failures. */
function outcomeCounters(run: Observed, endpointUrl: string): readonly CounterFamily[] {
  return run
    .find((canonical) => !HARMLESS.test(canonical) && isOfRequests(canonical), endpointUrl)
    .filter((family) => family.type === "counter")
    .filter(isOutcome);
}

function isOfRequests(canonical: string): boolean {
  return familyEntry(canonical)?.unit === "requests" || !NOT_OF_REQUESTS.has(groupOf(canonical));
}

function isOutcome(family: FamilyResult): boolean {
  return (
    FAILURES.test(family.name) ||
    ABORTS.test(family.name) ||
    family.series.some(({ labels }) => labels.some(([key]) => REASON.test(key) || STATUS.test(key)))
  );
}

/** What the client did outweighs what counts as an error: servers say both of one request. */
function isFailure({ name }: FamilyResult, { labels }: CounterResult, isAbort: boolean): boolean {
  const reasons = valuesOf(labels, REASON);
  const statuses = valuesOf(labels, STATUS);
  if ([...reasons, ...statuses].some((value) => GIVEN_UP.test(value))) return isAbort;
  if (isAbort) return ABORTS.test(name);
  if (statuses.some((status) => WRONG.test(status))) return false;
  return (
    reasons.some((reason) => FAILED_REASON.test(reason)) ||
    statuses.some((status) => FAILED_STATUS.test(status)) ||
    FAILURES.test(name)
  );
}

function valuesOf(labels: Labels, name: RegExp): readonly string[] {
  return labels.filter(([key]) => name.test(key)).map(([, value]) => value);
}
