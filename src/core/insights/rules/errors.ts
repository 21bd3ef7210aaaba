import { familyEntry, groupOf, inSentence, titleWithName, type Group } from "../../catalog/index.js";
import type { CounterResult, FamilyResult, Labels } from "../../model/index.js";
import { counted, percent } from "../words.js";
import { nameOf, type Observed } from "../observed.js";
import { ramp } from "../numbers.js";
import type { Rule } from "../rule.js";

/** Families that count failures by their name. */
const REASON = /^(finished_reason|finish_reason|reason)$/;
const STATUS = /^(status|code|status_code|error_type)$/;
const ABORTS = /_abort(ed|s)?(_|$)/;
const FAILURES = /(_error|_errors|_failed|_failures?|_corrupted|corrupted_requests|_rejected|_timeouts?)(_|$)/;
/** Not failures of requests. */
const HARMLESS = /^(process|python|go|node|promhttp|DCGM)_/;
/** What fails there, such as storing a block, need not fail a request. */
const NOT_OF_REQUESTS: ReadonlySet<Group> = new Set(["KV cache", "Process and system", "GPU"]);
const FEWEST = 3;

type Kind = "error" | "abort";

/** Requests fail. Aborts by the client count apart, from a higher share on. */
export const errors: Rule = {
  id: "errors",
  title: "Requests fail",
  advice:
    "Look at the server's log for the first of them. Latency and throughput of failed requests are in the averages: a server that fails fast looks fast.",
  tells: (run) => harmfulCounters(run).some(isOutcome),
  check: (run, { errorShare, abortShare }) =>
    run.endpoints().flatMap((endpointUrl) =>
      (["error", "abort"] as const).flatMap((kind) => {
        const found = failures(run, endpointUrl, kind);
        const total = Math.max(0, ...found.map(({ count }) => count));
        const worst = found.find(({ count }) => count === total);
        if (worst === undefined || total < FEWEST) return [];
        const finished = run.counter(endpointUrl, "finished")?.total ?? NaN;
        const share = total / Math.max(total, finished);
        const corrupted = worst.family.name.includes("corrupted");
        const limit = kind === "abort" ? abortShare : errorShare;
        if (finished > 0 && share < limit && !corrupted) return [];
        const base = kind === "abort" ? 0.4 : 0.65;
        const what = corrupted ? "corrupted request" : kind === "abort" ? "aborted request" : "failed request";
        return [
          {
            weight: Number.isNaN(share) ? base : ramp(share, 0.01, 0.2, base, base + 0.25),
            confidence: "high" as const,
            text: `${nameOf(endpointUrl)}: ${counted(total, what)}${finished > 0 ? `, ${percent(share)} of all` : ""}, counted in ${inSentence(titleWithName(worst.family.name))}.`,
            evidence: [
              run.evidence(
                { family: worst.family.name, unit: worst.family.unit, endpointUrl, labels: worst.labels },
                finished > 0 && !corrupted
                  ? { statistic: "share of all requests", value: share, threshold: limit, unit: "ratio" }
                  : { statistic: "total", value: total, threshold: 0, unit: "" },
                worst.points,
              ),
            ],
            endpointUrls: [endpointUrl],
          },
        ];
      }),
    ),
};

function failures(run: Observed, endpointUrl: string, kind: Kind) {
  return harmfulCounters(run, endpointUrl).flatMap((family) => {
    if (family.type !== "counter") return [];
    const series = family.series.filter((each) => isFailure(family, each, kind));
    const count = series.reduce((sum, { stats }) => sum + (stats.increase ?? stats.total), 0);
    const points = (series[0]?.slices ?? [])
      .filter(({ total }) => total > 0)
      .map(({ start_ns, end_ns, total }) => ({ startNs: start_ns, endNs: end_ns, value: total }));
    return count > 0 ? [{ family, count, labels: series.length === 1 ? (series[0]?.labels ?? []) : [], points }] : [];
  });
}

/** Counters that may count failures. @param endpointUrl whose series alone they get; absent: all */
function harmfulCounters(run: Observed, endpointUrl?: string): readonly FamilyResult[] {
  return run.find(
    (canonical, { type }) => type === "counter" && !HARMLESS.test(canonical) && isOfRequests(canonical),
    endpointUrl,
  );
}

function isOfRequests(canonical: string): boolean {
  return familyEntry(canonical)?.unit === "requests" || !NOT_OF_REQUESTS.has(groupOf(canonical));
}

/** Whether a counter says how requests ended, so that it would show failures. */
function isOutcome(family: FamilyResult): boolean {
  return (
    FAILURES.test(family.name) ||
    ABORTS.test(family.name) ||
    family.series.some(({ labels }) => valueOf(labels, REASON) !== undefined || valueOf(labels, STATUS) !== undefined)
  );
}

function isFailure(family: FamilyResult, { labels }: CounterResult, kind: Kind): boolean {
  const reason = valueOf(labels, REASON);
  if (reason !== undefined && /abort|cancel/i.test(reason)) return kind === "abort";
  if (kind === "abort") return ABORTS.test(family.name);
  if (reason !== undefined && /^(error|fail(ed|ure)?|timeout)$/i.test(reason)) return true;
  const status = valueOf(labels, STATUS);
  if (status !== undefined && (/^5(\d\d|xx)$/i.test(status) || /^(error|failed|internal|timeout)$/i.test(status)))
    return true;
  return FAILURES.test(family.name);
}

function valueOf(labels: Labels, name: RegExp): string | undefined {
  return labels.find(([key]) => name.test(key))?.[1];
}
