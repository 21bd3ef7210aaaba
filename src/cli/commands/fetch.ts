import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { UserError } from "../../core/text/errors.js";
import { InvalidUrlError, ServerClient } from "../../collect/index.js";
import { isoTextOfMs, selectorOfInstance } from "../../core/model/index.js";
import {
  discover,
  fetchRun,
  PrometheusApi,
  storeWarning,
  type StoreContents,
  type MsRange,
} from "../../stores/index.js";
import { endpointWith, withAccessOptions } from "../options/access.js";
import { interruptible, NOTHING_WRITTEN } from "../capture/child-process.js";
import { inRange, timeArgument } from "../options/numbers.js";
import { append, labelArgument, type FlagsOf } from "../options/shared.js";
import { sliceOption, withRunOutputOptions } from "../options/output.js";
import { writeRun } from "./replay.js";
import { summaryOption } from "../print/summary.js";
import { note, noteProblem, print, startProgress } from "../print/terminal.js";
import { plural } from "../../core/text/plural.js";
import { notDone } from "../exit.js";

const duration = inRange({ min: 0.001, max: 1e8, unit: "seconds" });

/** `fetch`: a time range of a Prometheus-compatible store as artifacts. */
export function fetchCommand(): CommandUnknownOpts {
  return options().action((flags) =>
    interruptible(NOTHING_WRITTEN, (signal) => fetchFromStore(flags, signal)).catch((error: unknown) => {
      if (error instanceof InvalidUrlError) throw new UserError(`--prometheus: ${error.message}`);
      throw error;
    }),
  );
}

type Flags = FlagsOf<typeof options>;

function options() {
  const command = new Command("fetch")
    .summary("turn a time range of a Prometheus-compatible store into artifacts")
    .description(
      "Reads a time range of Prometheus, Thanos, Mimir or VictoriaMetrics as a run, sample by sample, and writes artifacts.",
    )
    .requiredOption("--prometheus <url>", "address of the store, as in Grafana's data source")
    .requiredOption("--match <selector>", "series to read, such as '{job=\"vllm\"}' (repeatable)", append)
    .option("--start <time>", "such as 2026-11-20T10:00:00Z, or seconds since the epoch", timeArgument)
    .option("--end <time>", "as --start (default: now)", timeArgument)
    .addOption(
      new Option("--last <duration>", "the time before --end instead of --start: 15m, 2h")
        .argParser(duration)
        .conflicts("start"),
    )
    .option(
      "--step <duration>",
      "read values at this step instead of every sample, which costs less (automatic where raw samples are gone)",
      duration,
    )
    .option(
      "--aggregate",
      "read totals over all instances, computed by the store (buckets by le), every --step (default: the scrape interval); for many instances",
    )
    .option("--instance <name>", "only this instance of what --match selects, such as one behind the totals")
    .option("--dry-run", "only print what would be read")
    .option("--out <dir>", "folder for the artifacts")
    .option("--label <label>", "a name for the run", labelArgument)
    .addOption(sliceOption().default(5))
    .addOption(summaryOption("none"));
  return withRunOutputOptions(withAccessOptions(command));
}

/** As the store's own, with what this command has for it. */
const TOO_MUCH_REMEDY =
  "Choose a shorter time (--last, or --start and --end), fewer series (--match, --instance) or values at a coarser step (--step).";

async function fetchFromStore(flags: Flags, signal: AbortSignal): Promise<void> {
  const { match, instance, out } = flags;
  const selectors = instance === undefined ? match : match.map((selector) => selectorOfInstance(selector, instance));
  if (out === undefined && flags.dryRun === undefined)
    throw new UserError("no folder: give --out DIR, or --dry-run to only see what is found.");
  const range = rangeOf(flags);
  const client = new ServerClient(await endpointWith(flags.prometheus, flags));
  try {
    const api = new PrometheusApi(client);
    const found = await discover(api, selectors, range, signal);
    if (found.series === 0 || flags.dryRun === true)
      for (const warning of found.warnings) noteProblem(storeWarning(warning));
    if (found.series === 0)
      throw notDone(
        `${api.url} has no series of ${selectors.join(", ")} between ${isoTextOfMs(range.startMs)} and ${isoTextOfMs(range.endMs)}.`,
        "Check the selector and the times, which are UTC when they end in Z.",
      );
    if (flags.dryRun === true) {
      print(findings(found));
      return;
    }
    note(findings(found));
    const progress = startProgress();
    const { run, problems } = await fetchRun(api, found, {
      selectors,
      range,
      sliceDurationSeconds: flags.sliceDuration,
      signal,
      onProgress: (fraction, samples) => progress.update(fraction, `reading, ${samples} samples`),
      ...(flags.step === undefined ? {} : { stepMs: Math.max(1, Math.round(flags.step * 1000)) }),
      ...(flags.aggregate === true ? { aggregate: true } : {}),
      ...(flags.label === undefined ? {} : { label: flags.label }),
    }).finally(() => progress.done());
    for (const problem of problems) noteProblem(problem);
    if (run.store.seriesCount === 0)
      throw notDone(
        `${api.url} has these series, but no samples of them in this range.`,
        flags.step === undefined
          ? "Choose a later time: the store may no longer keep this one."
          : "Choose a later time, or --step 5m or 1h: stores that downsample keep coarser values for longer.",
      );
    await writeRun(api.url, run, { ...flags, out: out ?? "." }, signal);
  } catch (error) {
    if (!(error instanceof UserError && error.code === "too-much")) throw error;
    throw new UserError(error.message, TOO_MUCH_REMEDY, { code: error.code });
  } finally {
    client.close();
  }
}

/** @throws UserError for a range that is empty or not given */
function rangeOf({ start, end = Date.now(), last }: Flags): MsRange {
  const endMs = Math.round(end);
  const startMs = Math.round(last === undefined ? (start ?? NaN) : endMs - last * 1000);
  if (Number.isNaN(startMs)) throw new UserError("no time: give --start and --end, or --last 15m.");
  if (startMs >= endMs)
    throw new UserError(`the range is empty: it goes from ${isoTextOfMs(startMs)} to ${isoTextOfMs(endMs)}.`);
  return { startMs, endMs };
}

const SHOWN = 20;

function findings({ instances, families, series, samples, totalsStepMs }: StoreContents): string {
  const lines = [
    `found: ${plural(instances.length, "instance")}, ${plural(families.length, "family", "families")}, ${series} series, ` +
      (samples === undefined ? "too many samples to count at once" : `about ${samples} samples to expect`),
    ...(instances.length < 2 ? [] : [`totals over them (--aggregate): a value every ${totalsStepMs / 1000} s`]),
    ...list("instances", instances),
    ...list("families", families),
  ];
  return lines.join("\n");
}

function list(title: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > SHOWN ? [`  … and ${names.length - SHOWN} more`] : [];
  return [`${title}:`, ...names.slice(0, SHOWN).map((name) => `  ${name}`), ...more];
}
