import { Command } from "commander";
import { UserError } from "../../core/text/user-error.js";
import { jsonText } from "../../core/artifacts/index.js";
import { familyEntry, formatValue, shownUnit, titledName, vectorLabelOf } from "../../core/catalog/index.js";
import { formatLabels, scrapeLimits, USUAL_CAPTURE } from "../../core/model/index.js";
import { shownFamilies, snapshotOf, type SnapshotMetric } from "../../core/query/index.js";
import type { Run } from "../../core/store/index.js";
import { startCapture, type Capture } from "../../engine/index.js";
import type { Reachability } from "../../protocol/index.js";
import { jsonEndpointsFile } from "../../files/json-endpoints.js";
import { endpointsWith, withAccessOptions, type AccessFlags } from "../options/access.js";
import { readEnvironment } from "../options/environment.js";
import { withLimitOptions, type LimitFlags } from "../options/limits.js";
import { reachabilityOption } from "../options/shared.js";
import { noteProblem, print } from "../print/terminal.js";

interface Flags extends AccessFlags, LimitFlags {
  readonly reachabilityTimeout?: number;
  readonly json?: boolean;
}

/** `snapshot`: one scrape of an endpoint. */
export function snapshotCommand(): Command {
  return withLimitOptions(withAccessOptions(new Command("snapshot")))
    .summary("scrape an endpoint once")
    .description("Scrapes an endpoint once and lists its counters, gauges, histograms and vectors.")
    .argument("<url>", "the endpoint")
    .addOption(reachabilityOption())
    .option("--json", "print JSON")
    .action(async (url: string, flags: Flags) => {
      const timeoutMs = flags.reachabilityTimeout ?? readEnvironment(process.env).reachabilityTimeoutMs;
      const { capture, reachability } = await startCapture(
        {
          ...USUAL_CAPTURE,
          endpoints: await endpointsWith([url], flags),
          intervalMs: 300_000,
          scrapeTimeoutMs: timeoutMs,
          reachabilityTimeoutMs: timeoutMs,
          flushPeriodMs: timeoutMs,
          limits: scrapeLimits((option) => flags[option]),
          warmup: { kind: "none" },
          journalLimitBytes: 0,
          jsonEndpointsPath: jsonEndpointsFile(),
        },
        { onNotice: (problem) => noteProblem(problem), onStatus: () => undefined, onProbe: () => undefined },
      );
      // The baseline scrape is the snapshot.
      await capture.abandon();
      if (capture.run.store.seriesCount === 0) throw nothingFrom(reachability, capture);
      for (const { problem } of reachability) if (problem?.severity === "info") noteProblem(problem);
      print(snapshotText(capture.run, flags.json === true));
    });
}

/** The newest value of every series of a run, or of some families'. */
export function snapshotText(run: Run, json: boolean, includes: (family: string) => boolean = () => true): string {
  const metrics = snapshotOf(run, vectorLabelOf).filter(({ name }) => includes(name));
  const units = new Map(shownFamilies(run).map((known) => [known.name, shownUnit(known)]));
  return json
    ? jsonText(metrics.map(jsonOf))
    : metrics
        .map((metric) => line(metric, units.get(metric.name)) + titleText(metric.name) + bucketsText(metric))
        .join("\n");
}

/** The catalogue's title, where it has one, behind the family's other columns. */
function titleText(name: string): string {
  return familyEntry(name) === undefined ? "" : `  # ${titledName(name).title}`;
}

/** A histogram's cumulative buckets in a line of their own, as the CSV has them. */
function bucketsText(metric: SnapshotMetric): string {
  if (metric.kind !== "Histogram") return "";
  return `\n${" ".repeat(10)}buckets ${metric.buckets.map(([bound, count]) => `${bound}=${count}`).join(";")}`;
}

function nothingFrom([probed]: readonly Reachability[], capture: Capture): UserError {
  const problem =
    capture
      .endpoints()
      .flatMap((endpoint) => endpoint.problems)
      .find(({ severity }) => severity !== "info") ?? probed?.problem;
  return problem === undefined
    ? new UserError(`${probed?.displayName ?? "The endpoint"} answered, but without any metric.`, undefined, {
        exitCode: 1,
      })
    : new UserError(problem.reason, problem.remedy, { exitCode: 1 });
}

/** Buckets as a map: bounds such as "1" are keys that a plain object would put before "0.5". */
function jsonOf(metric: SnapshotMetric) {
  const labels = new Map(metric.labels);
  switch (metric.kind) {
    case "Counter":
    case "Gauge":
      return { kind: metric.kind, name: metric.name, labels, value: metric.value };
    case "Vector":
      return { kind: metric.kind, name: metric.name, labels, label: metric.label, values: metric.values };
    case "Histogram":
      return {
        kind: metric.kind,
        name: metric.name,
        labels,
        count: metric.count,
        sum: metric.sum,
        buckets: new Map(metric.buckets),
      };
  }
}

function line(metric: SnapshotMetric, unit: string | undefined): string {
  const head = `${metric.kind.padEnd(9)} ${metric.name}${formatLabels(metric.labels)}`;
  switch (metric.kind) {
    case "Counter":
    case "Gauge":
      return `${head} ${formatValue(metric.value, unit)}`;
    case "Vector":
      return `${head} [${metric.values.map((value) => formatValue(value, unit)).join(", ")}] by ${metric.label}`;
    case "Histogram":
      return `${head} count ${metric.count}, sum ${formatValue(metric.sum, unit)}, avg ${metric.count > 0 ? formatValue(metric.sum / metric.count, unit) : "-"}`;
  }
}
