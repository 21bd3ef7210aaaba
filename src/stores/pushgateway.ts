import { UserError } from "../core/text/errors.js";
import type { ServerClient } from "../collect/index.js";
import { isCountedAverage } from "../core/catalog/index.js";
import {
  formatLabels,
  runLabels,
  statisticOf,
  storedLabels,
  type Labels,
  type SeriesResult,
} from "../core/model/index.js";
import { getOrInsert } from "../core/math/index.js";
import { shownStatistics } from "../core/query/index.js";
import { complete } from "../core/stats/index.js";
import type { Run } from "../core/store/index.js";

export const PUSH_JOB = "server_metrics";
const TIMEOUT_MS = 30_000;
/** It answers with nothing, or with a sentence. */
const LIMIT_BYTES = 64 * 1024;
const REMEDIES = {
  slow: "The gateway or the network is slow. Push the saved run again later (server-metrics push): it takes the place of what has arrived.",
  large: "Check that this is a Pushgateway, and that the address is its own, without /metrics.",
};

export interface PushOptions {
  readonly job?: string;
  /** What to do where the gateway asks for credentials. */
  readonly credentials?: string;
  readonly signal?: AbortSignal;
}

/**
 * Puts the summary of a run into a Pushgateway under the grouping key job and run, in place of what was there under it.
 * @returns how many series
 * @throws UserError; the signal's reason
 */
export async function pushSummary(
  client: ServerClient,
  run: Run,
  { job = PUSH_JOB, credentials, signal }: PushOptions = {},
): Promise<number> {
  const { text, series } = summaryGauges(run);
  const answer = await client.send({
    method: "PUT",
    path: `/metrics/job${grouping(job)}/run${grouping(run.metadata.benchmarkId)}`,
    body: text,
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    timeoutMs: TIMEOUT_MS,
    limitBytes: LIMIT_BYTES,
    remedies: REMEDIES,
    signal,
  });
  if (answer.kind === "failed")
    throw new UserError(answer.failure.reason, answer.failure.remedy, { code: "push-failed" });
  if (answer.status >= 200 && answer.status < 300) return series;
  const words = client.wordsOf(answer.body);
  throw new UserError(
    `${client.url} answered a push with HTTP ${answer.status}${words === "" ? "" : ` (“${words}”)`}.`,
    answer.status === 404
      ? "Give the address of the Pushgateway itself, without /metrics."
      : answer.status === 401 || answer.status === 403
        ? credentials
        : undefined,
    { code: "push-failed" },
  );
}

/** A value in the gateway's path; one with a slash goes as base64. */
function grouping(value: string): string {
  return /^[\w.~:-]+$/.test(value) ? `/${value}` : `@base64/${Buffer.from(value).toString("base64url")}`;
}

/**
 * The statistics of every series as gauges, named as recording rules name what they aggregate:
 * `run:vllm:generation_tokens:rate`.
 */
export function summaryGauges(run: Run): { readonly text: string; readonly series: number } {
  const { families, startNs, endNs } = complete(shownStatistics(run));
  const gauges = new Map<string, { readonly help: string; readonly lines: string[] }>();
  const put = (name: string, help: string, labels: Labels, value: number) => {
    if (!Number.isFinite(value)) return;
    const gauge = getOrInsert(gauges, name, () => ({ help, lines: [] }));
    gauge.lines.push(`${name}${formatLabels(labels)} ${value}\n`);
  };
  const { label } = run.metadata;
  // `run` and `job` are the grouping key's.
  const { run_id: _id, ...own } = runLabels(run.metadata);
  put(
    "run:start:seconds",
    "Start of profiling, since the epoch.",
    Object.entries(own),
    Number(startNs / 1_000_000n) / 1e3,
  );
  put("run:duration:seconds", "Length of profiling.", Object.entries(own), Number(endNs - startNs) / 1e9);
  if (label !== undefined) put("run:info", "Label of the run.", [["label", label]], 1);
  for (const family of families) {
    // The rate and the total of an average mean nothing.
    if (isCountedAverage(family)) continue;
    const { name, description, series } = family;
    for (const result of series) {
      const labels = storedLabels(result.labels, result.endpointUrl, { ...own, job: "", run: "" }).filter(
        ([key, value]) => value !== "" || (key !== "job" && key !== "run"),
      );
      for (const statistic of PUSHED[result.kind])
        put(
          `run:${name.replace(/[^a-zA-Z0-9_:]/g, "_")}:${statistic}`,
          description,
          labels,
          statisticOf(result, statistic),
        );
    }
  }
  let text = "";
  let count = 0;
  for (const [name, { help, lines }] of gauges) {
    const escaped = help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n");
    text += `${help === "" ? "" : `# HELP ${name} ${escaped}\n`}# TYPE ${name} gauge\n${lines.join("")}`;
    count += lines.length;
  }
  return { text, series: count };
}

const PUSHED: { readonly [K in SeriesResult["kind"]]: readonly string[] } = {
  gauge: ["avg", "min", "max", "std", "p50", "p90", "p99"],
  counter: ["total", "rate"],
  histogram: ["count", "sum", "avg", "p50_estimate", "p90_estimate", "p95_estimate", "p99_estimate"],
};
