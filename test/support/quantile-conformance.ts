import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { epochNs, PERCENTILES } from "../../src/core/model/index.js";
import {
  endpointWindow,
  histogramStatistics,
  recordedWindow,
  type QuantileEstimate,
} from "../../src/core/stats/index.js";
import { replayScrapeLog } from "../../src/files/index.js";
import { SCORED } from "./quantile-errors.js";

export interface QuantileCase {
  /** Distribution and observations per scrape: "ttft_drift@5". */
  readonly name: string;
  readonly family: string;
  /** Of SCORED, in order: ours, the truth, and AIPerf's. */
  readonly estimates: readonly QuantileEstimate[];
  readonly truth: readonly number[];
  readonly reference: readonly number[];
}

/** The simulated series of conformance/quantiles, through the parser, the store and the statistics as a replay goes. */
export async function readQuantileCases(folder: string): Promise<QuantileCase[]> {
  const truth = JSON.parse(readFileSync(join(folder, "truth.json"), "utf8")) as Record<string, Record<string, number>>;
  const exported = JSON.parse(
    gunzipSync(readFileSync(join(folder, "reference_server_metrics_export.json.gz"))).toString(),
  ) as {
    metrics: Record<string, { series: { labels: { case: string }; stats: Record<string, number> }[] }>;
  };
  const reference = new Map(
    Object.values(exported.metrics).flatMap(({ series }) =>
      series.map(({ labels, stats }) => [labels.case, stats] as const),
    ),
  );
  const ours = await estimatesByCase(folder);
  return Object.entries(truth).map(([name, values]) => ({
    name,
    family: name.replace(/@.*/, ""),
    estimates: ours.get(name) ?? [],
    truth: SCORED.map((q) => values[`p${q * 100}`] ?? NaN),
    reference: SCORED.map((q) => reference.get(name)?.[`p${q * 100}_estimate`] ?? NaN),
  }));
}

async function estimatesByCase(folder: string): Promise<Map<string, QuantileEstimate[]>> {
  const window = readFileSync(join(folder, "window.json"), "utf8");
  const bound = (key: string) => epochNs(BigInt(new RegExp(`"${key}": *(\\d+)`).exec(window)?.[1] ?? "0"));
  const { run } = await replayScrapeLog(join(folder, "scrapes.jsonl.gz"), {
    startNs: bound("start_ns"),
    endNs: bound("end_ns"),
    sliceDurationSeconds: 5,
  });
  const estimates = new Map<string, QuantileEstimate[]>();
  for (const { id, endpointUrl, labels } of run.store.seriesKeys()) {
    const samples = run.store.read(id);
    const axis = run.store.endpoint(endpointUrl);
    const name = labels.find(([label]) => label === "case")?.[1];
    if (samples.kind !== "histogram" || axis === undefined || name === undefined) continue;
    const all =
      histogramStatistics(samples, endpointWindow(run, axis, recordedWindow(run), 5), run.store.origin)?.estimates ??
      [];
    estimates.set(
      name,
      SCORED.flatMap((q) => all[PERCENTILES.findIndex((p) => p === q * 100)] ?? []),
    );
  }
  return estimates;
}
