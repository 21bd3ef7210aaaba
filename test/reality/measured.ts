import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { familyUnit, rolesOf } from "../../src/core/catalog/index.js";
import { spanOf, type ClientResult } from "../../src/core/client/index.js";
import { runInsights, type FindingId } from "../../src/core/insights/index.js";
import { loadWindowOf, type RunStatistics } from "../../src/core/model/index.js";
import { mean } from "../../src/core/math/index.js";
import { complete, runStatistics } from "../../src/core/stats/index.js";
import type { Run } from "../../src/core/store/index.js";
import { measureBy, statisticsByPhase } from "../../src/core/window/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import type { Finished } from "./servers.js";

/** What was found to hold, or not to. */
export interface Outcome {
  readonly check: string;
  readonly result: string;
  readonly holds: boolean;
}

/** A run as its file tells it, and what its client measured. */
export async function statisticsOf(path: string, client?: string) {
  const opened = await openArtifact(path, client === undefined ? {} : { client: [client] });
  if (opened.kind === "snapshot") throw new Error(`${path} is no run`);
  const statistics =
    opened.kind === "statistics" ? opened.statistics : complete(statisticsByPhase(opened.run, { unitOf: familyUnit }));
  return { statistics, clients: opened.clients ?? [] };
}

/** A run with its samples, in the window of its load. */
export async function runOf(path: string): Promise<Run> {
  const opened = await openArtifact(path);
  if (opened.kind !== "samples") throw new Error(`${path} has no samples`);
  return opened.run;
}

/** What is expected of the findings of a server under a load. */
export interface ExpectedFindings {
  readonly present: readonly FindingId[];
  readonly absent: readonly FindingId[];
}

export function findingsOf(run: Run, { present, absent }: ExpectedFindings): Outcome {
  const found = complete(runInsights({ kind: "samples", run })).findings.map(({ id }) => id);
  const said = [
    ...present.filter((id) => !found.includes(id)).map((id) => `lacks ${id}`),
    ...absent.filter((id) => found.includes(id)).map((id) => `must not have ${id}`),
  ];
  const result = [found.join(", ") || "none", ...said].join("; ");
  return { check: "findings", result, holds: said.length === 0 };
}

/**
 * A fresh server shows many series only once they are used. They count from 0: over the whole capture the server has
 * all requests of the load generator, but for those that this cancelled or could not send.
 */
export function birthsOf(run: Run, finished: Finished, sent: number, { cancelled }: Told): Outcome {
  measureBy(run, "all");
  const all = complete(runStatistics(run, { unitOf: familyUnit }));
  const born = all.families.flatMap(({ series }) =>
    series.filter((one) => one.kind !== "gauge" && one.born !== undefined),
  ).length;
  const { total } = counted(all, finished);
  const result = `${born} series appeared; ${total} of ${sent} requests counted, warm-up included`;
  const holds = total <= sent && total >= sent - cancelled;
  return { check: "series that appear during the run count from 0", result, holds };
}

/** Requests by a counter, all its series together: total and rate. */
export function counted(
  { families }: RunStatistics,
  { family: name, each }: Finished,
): { readonly total: number; readonly rate: number } {
  const family = families.find((one) => one.name === name);
  const series = family?.type === "counter" ? family.series : [];
  return {
    total: series.reduce((sum, { stats }) => sum + stats.total, 0) / each,
    rate: series.reduce((sum, { stats }) => sum + (stats.rate ?? 0), 0) / each,
  };
}

/** What a load generator tells of its requests. */
export interface Told {
  readonly completed: number;
  readonly cancelled: number;
  /** From the first to the last. */
  readonly seconds: number | undefined;
}

export function toldBy(clients: readonly ClientResult[]): Told {
  const [{ requests = [], durationSeconds } = {}] = clients;
  const span = spanOf(requests);
  const cancelled = requests.filter(({ outcome }) => outcome !== "completed").length;
  return {
    completed: requests.length - cancelled,
    cancelled,
    seconds: durationSeconds ?? (span === undefined ? undefined : Number(span.end - span.start) / 1e9),
  };
}

/**
 * The client and the server count the same requests at the same rate, but for those that the window itself says
 * it may be off by, and those that the client cancelled, which a server may have finished. Where the servers' activity
 * tells the window, its length is right within two intervals.
 */
export function requestsOf(
  statistics: RunStatistics,
  finished: Finished,
  { completed, cancelled, seconds }: Told,
  intervalMs: number,
): Outcome[] {
  const { total, rate } = counted(statistics, finished);
  const { mayBeOff = 0, by } = loadWindowOf(statistics.inputConfig) ?? {};
  const said = [
    ...(cancelled > 0 ? [`${cancelled} more cancelled`] : []),
    ...(mayBeOff > 0 ? [`said to be off by at most ${mayBeOff}`] : []),
    ...(by === "activity" ? ["by the server's activity"] : []),
  ];
  const holds = completed > 0 && total >= completed - mayBeOff && total <= completed + cancelled + mayBeOff;
  const result = `${completed} and ${Number(total.toFixed(1))}${said.length > 0 ? ` (${said.join(", ")})` : ""}`;
  const counts = { check: "requests of client and server", result, holds };
  if (seconds === undefined || completed === 0) return [counts];
  const off = rate / (completed / seconds) - 1;
  const edges = by === "activity" ? (2 * intervalMs) / 1000 / seconds : 0;
  return [
    counts,
    {
      check: "request rate of client and server",
      result: `${(completed / seconds).toFixed(2)} and ${rate.toFixed(2)} per second (${percent(off)})`,
      holds: Math.abs(off) <= 0.03 + edges + (cancelled + mayBeOff) / completed,
    },
  ];
}

/** How many scrapes were made of those that had their time. */
export function scrapesOf({ endpointInfo }: RunStatistics, intervalMs: number): Outcome {
  const shares = endpointInfo
    .filter(([, { total_fetches: fetches }]) => fetches > 1)
    .map(([, info]) => {
      const due = Number(info.last_fetch_ns - info.first_fetch_ns) / 1e6 / intervalMs + 1;
      return Math.max(0, 1 - info.total_fetches / due);
    });
  const worst = Math.max(0, ...shares);
  return { check: "scrapes missed", result: percent(worst), holds: worst <= 0.02 };
}

export function rolesIn(statistics: RunStatistics): string {
  const series = statistics.families.flatMap(({ name, series: own }) =>
    own.map(({ endpointUrl, labels }) => ({ endpointUrl, name, labels })),
  );
  const urls = [...new Set(series.map(({ endpointUrl }) => endpointUrl))].filter((url) => url.startsWith("http"));
  const roles = rolesOf(new Map(urls.map((url) => [url, series.filter(({ endpointUrl }) => endpointUrl === url)])));
  return urls.map((url) => `${new URL(url).port} ${roles.get(url) ?? "none"}`).join(", ");
}

/** Counts and sums that are in both, by family and labels: of a series that was born or restarted AIPerf's. */
export function differing(
  one: RunStatistics,
  other: RunStatistics,
): { readonly compared: number; readonly differ: number } {
  const [ours, theirs] = [totalsOf(one), totalsOf(other)];
  const shared = [...ours].filter(([key]) => theirs.has(key));
  const differ = shared.filter(([key, value]) => Math.abs(value - (theirs.get(key) ?? NaN)) > 1e-6 * Math.abs(value));
  return { compared: shared.length, differ: differ.length };
}

function totalsOf({ families }: RunStatistics): ReadonlyMap<string, number> {
  return new Map(
    families
      .filter(({ name }) => /^(?:vllm:|dynamo_|llamacpp:)/.test(name))
      .flatMap((family) =>
        family.type === "histogram"
          ? family.series.flatMap(({ labels, stats, aiperf = { stats } }): [string, number][] => [
              [`${family.name} ${JSON.stringify(labels)} count`, aiperf.stats.count],
              [`${family.name} ${JSON.stringify(labels)} sum`, aiperf.stats.sum ?? 0],
            ])
          : family.type === "counter"
            ? family.series.map(({ labels, stats, aiperf = { stats } }): [string, number] => [
                `${family.name} ${JSON.stringify(labels)}`,
                aiperf.stats.total,
              ])
            : [],
      ),
  );
}

const SHOWN = [50, 90, 95, 99] as const;
/** Fewer observations have no 99th percentile to speak of. */
const ENOUGH = 20;

/** Of an estimated percentile. */
export interface Estimated {
  readonly error: number;
  /** Whether its 90 % interval holds what was observed. */
  readonly held: boolean;
}

/**
 * Relative errors of the estimates of percentiles against what the server observed; below its first bound a histogram
 * is measured by that.
 * @param truth folder of the logged observations
 */
export async function percentileErrors(statistics: RunStatistics, truth: string): Promise<readonly Estimated[]> {
  const observed = await observationsIn(truth, statistics.startNs, statistics.endNs);
  return statistics.families.flatMap((family) =>
    family.type !== "histogram"
      ? []
      : family.series.flatMap(({ stats, labels, intervals, buckets = [] }) => {
          const first = buckets.map(([upper]) => Number(upper)).find((upper) => upper > 0) ?? 0;
          const values = observed.get(`${family.name} ${labelsOf(labels)}`) ?? [];
          if (values.length < ENOUGH || values.length !== stats.count) return [];
          return SHOWN.flatMap((share) => {
            const exact = quantile(values, share / 100);
            const estimate = stats[`p${share}_estimate`];
            if (estimate === undefined || !(exact > 0)) return [];
            const [low, high] = intervals?.[`p${share}_interval`] ?? [estimate, estimate];
            const slack = 1e-9 * exact;
            return [
              {
                error: Math.abs(estimate - exact) / Math.max(exact, first),
                held: low - slack <= exact && exact <= high + slack,
              },
            ];
          });
        }),
  );
}

/** Mean error over all percentiles of all runs. One run of 80 requests is no measure: its percentiles err together. */
const MEAN_ERROR = 0.028;

/** @param runs the percentiles of each run */
export function percentilesOf(runs: readonly (readonly Estimated[])[]): Outcome {
  const estimates = runs.flat();
  const errorOf = (some: readonly Estimated[]) => mean(some.map(({ error }) => error));
  const all = errorOf(estimates);
  const held = estimates.filter((one) => one.held).length / estimates.length;
  return {
    check: `mean relative error of ${estimates.length} percentiles in ${runs.length} runs, at most ${percent(MEAN_ERROR)}`,
    result: `${percent(all)} (${runs.map((one) => percent(errorOf(one))).join(", ")}); 90 % intervals hold ${percent(held)}`,
    holds: all <= MEAN_ERROR,
  };
}

async function observationsIn(
  folder: string,
  start: bigint,
  end: bigint,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, number[]>();
  for (const file of await readdir(folder)) {
    const keys = new Map<string, string>();
    for (const line of (await readFile(join(folder, file), "utf8")).split("\n")) {
      const [id = "", second = "", third = "", labels = "{}"] = line.split("\t");
      if (id === "#") {
        const read: unknown = JSON.parse(labels);
        const pairs = Object.entries(read ?? {}).map(([name, value]) => [name, String(value)] as const);
        keys.set(second, `${third} ${labelsOf(pairs)}`);
        continue;
      }
      const key = keys.get(id);
      if (key === undefined || third === "" || BigInt(second) < start || BigInt(second) > end) continue;
      found.set(key, [...(found.get(key) ?? []), Number(third)]);
    }
  }
  return found;
}

function labelsOf(pairs: readonly (readonly [string, string])[]): string {
  return JSON.stringify([...pairs].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

/** Processor time of a process so far, in seconds; Linux alone tells. */
export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const TICKS = 100;
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
