import { resolve } from "node:path";
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { DEFAULT_THRESHOLD } from "../../core/compare/index.js";
import { finishedRuns } from "../../core/library/runs.js";
import { REDACTIONS, revealedText, type Redaction } from "../../core/report/index.js";
import { sweepRunsIn } from "../../core/library/index.js";
import { sweepOf } from "../../core/sweep/index.js";
import { UserError } from "../../core/text/errors.js";
import { comparisonReport, runReport } from "../../engine/report/in-thread.js";
import {
  hiding,
  readReportParts,
  reportHtml,
  reportMarkdown,
  reportOfRuns,
  revealedByReport,
} from "../../engine/report/index.js";
import { reportedRuns } from "../../engine/report/reported-runs.js";
import { experimentReport, readExperiment } from "../../experiment/index.js";
import { replaceFile } from "../../files/atomic.js";
import { runFilesOf } from "../../files/open/siblings.js";
import { readLibrary } from "../../files/library/library.js";
import { foundBelow, isClientAlone, isMeans } from "../../files/library/scan.js";
import type { Report } from "../../protocol/index.js";
import { SWEEP_PLOT } from "../../protocol/library.js";
import { NEXT_SET } from "../arguments.js";
import { readFolder } from "../input/memory.js";
import { namesIn, windowOption, type FlagsOf } from "../options/shared.js";
import { note, print, withProgress } from "../print/terminal.js";
import { setsOf } from "../input/compared-runs.js";
import { objectivesArgument } from "./slo.js";
import { isFolder } from "../../files/folders.js";

/** How a report is written. */
export interface ReportFlags {
  readonly redact: readonly Redaction[];
  readonly dryRun?: true;
  readonly markdown?: true;
}

/** `report`: runs as one file that anyone can open. */
export function reportCommand(): CommandUnknownOpts {
  return options().action(report);
}

type Flags = FlagsOf<typeof options>;

function options() {
  return new Command("report")
    .summary("write a report that opens anywhere: one HTML file, offline, or Markdown")
    .description(
      "Writes one HTML file with the views of a run, of several runs compared (sets of repeats are separated by --), of a folder of runs, or of an experiment. It needs nothing installed, loads nothing and sends nothing. Before it is written, what it reveals is listed.",
    )
    .argument("<runs...>", "an artifact of a run, several to compare, a folder of runs, or an experiment")
    .option("--out <file>", "the file to write (default: report.html; with --markdown, standard output)")
    .option("--markdown", "write Markdown, for pull requests and notes, instead of HTML")
    .addOption(redactOption())
    .addOption(dryRunOption())
    .option("--sweep", "of a folder: throughput against latency, instead of a table of its runs")
    .option(
      "--slo <list>",
      "show how far objectives are met, in the metric's unit, such as ttft=0.5,itl=0.05",
      objectivesArgument,
    )
    .addOption(windowOption());
}

export function redactOption() {
  return new Option("--redact <list>", `what to hide: ${REDACTIONS.join(",")}`)
    .argParser(redactionsArgument)
    .default<readonly Redaction[]>([], "nothing");
}

export function dryRunOption() {
  return new Option("--dry-run", "list what the report would reveal, and write nothing");
}

/** @throws InvalidArgumentError naming what can be hidden */
function redactionsArgument(text: string): readonly Redaction[] {
  return namesIn(text, REDACTIONS, () => `"${text}" is not a list of what can be hidden: ${REDACTIONS.join(", ")}.`);
}

async function report(given: readonly string[], { out, ...flags }: Flags): Promise<void> {
  await writeReport(out ?? (flags.markdown === true ? undefined : "report.html"), await read(given, flags), flags);
}

/**
 * Says what a report reveals, and writes it.
 * @param out absent: standard output
 * @throws UserError
 */
export async function writeReport(
  out: string | undefined,
  whole: Report,
  { redact, dryRun, markdown = false }: Omit<ReportFlags, "markdown"> & { readonly markdown?: boolean },
): Promise<void> {
  note("The report reveals:");
  for (const line of revealedText(revealedByReport(whole, markdown), redact)) note(`  ${line}`);
  if (dryRun === true) return;
  const shown = hiding(whole, redact);
  const text = markdown ? reportMarkdown(shown) : reportHtml(shown, await readReportParts(__dirname));
  if (out === undefined) return print(text.trimEnd());
  await replaceFile(resolve(out), text);
  print(resolve(out));
}

const EXPERIMENT = /\.experiment\.(?:ya?ml|json)$/i;

async function read(
  given: readonly string[],
  { slo, sweep, window }: Pick<Flags, "slo" | "sweep" | "window">,
): Promise<Report> {
  const objectives = slo === undefined ? {} : { objectives: slo };
  const measured = window === undefined ? {} : { window };
  const [first = "", second] = given.filter((one) => one !== NEXT_SET);
  if (EXPERIMENT.test(first)) return experimentReport(first, await readExperiment(first));
  if (second === undefined && (await isFolder(first))) {
    const [run, ...others] = (await foundBelow(resolve(first), { clients: true })).runs;
    if (run === undefined) throw new UserError(`there is no run in ${first}.`, "Name an artifact of a run.");
    // A file may hold several loads.
    if (others.length === 0 && sweep !== true && !isMeans(run.files[0]?.path ?? ""))
      return runReport(
        (isClientAlone(run) ? run.files.slice(0, 1) : run.files).map(({ path }) => path),
        { ...objectives, ...measured },
      );
    const runs = await readFolder("reading runs", (reading) => readLibrary(first, reading));
    if (sweep === true && sweepOf(sweepRunsIn(runs).runs).series.length === 0)
      throw new UserError(`no run in ${first} has a throughput and a latency.`);
    return reportOfRuns(reportedRuns(resolve(first), finishedRuns(runs)), sweep === true ? { plot: SWEEP_PLOT } : {});
  }
  return withProgress("reading", async (onProgress) => {
    onProgress(0);
    return second === undefined
      ? runReport((await runFilesOf(first)).paths, { ...objectives, ...measured })
      : comparisonReport(setsOf(given), { threshold: DEFAULT_THRESHOLD, ...objectives, ...measured });
  });
}
