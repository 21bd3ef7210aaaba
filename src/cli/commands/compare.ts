import { Command, type CommandUnknownOpts, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import {
  compareRuns,
  comparisonJson,
  gateDocument,
  gateOf,
  gateSummary,
  guardedText,
  DEFAULT_THRESHOLD,
  isDecided,
  type ComparedRun,
  type Comparison,
  type ComparisonOptions,
  type ComparisonRow,
  type Gate,
  type RunSet,
} from "../../core/compare/index.js";
import { findingChanges, runInsights, type FindingChanges, type Thresholds } from "../../core/insights/index.js";
import { groupBy } from "../../core/math/index.js";
import { documentMarkdown, UserError } from "../../core/text/index.js";
import { comparisonReportDocument } from "../../engine/comparison/report.js";
import { complete } from "../../core/stats/index.js";
import { openSets, earlierRuns } from "../input/compared-runs.js";
import { history } from "./history.js";
import { gateJunit, writeJunit } from "../print/junit.js";
import { append, familyChoice, thresholdArgument, windowOption, type FlagsOf } from "../options/shared.js";
import { objectivesArgument } from "./slo.js";
import { documentText } from "../print/document.js";
import { note, print } from "../print/terminal.js";

/** `compare`. @param setExit gets the code that its gate ends with */
export function compareCommand(setExit: (code: number) => void): CommandUnknownOpts {
  return options().action(async (args, flags) => setExit(await compare(args, flags)));
}

type Flags = FlagsOf<typeof options>;

function options() {
  return new Command("compare")
    .summary("compare runs: what differs, by how much, and how certain it is")
    .description(
      "Compares a baseline with one or several other runs, of any artifact format.\n\n" +
        "Sets of repeats are separated by --, as in compare A1 A2 A3 -- B1 B2 B3: the spread between repeats then shows how " +
        "certain a difference is. Three or more repeats of each configuration are the best evidence there is.\n\n" +
        "FILE#PHASE takes one phase of a run, as in compare A#low A#high.",
    )
    .usage("[options] <baseline> <candidate...>   |   <baseline...> -- <candidate...>   |   --history <dir>")
    .argument("[artifacts...]", "the baseline, then its candidates")
    .addOption(new Option("--json", "print everything as JSON").conflicts("markdown"))
    .option("--markdown", "print a report for a pull request")
    .addOption(
      new Option(
        "--threshold <share>",
        "smaller differences do not matter in practice; NAME=VALUE is a threshold of a finding, such as kvUsage=0.8 (repeatable; docs/findings.md lists them)",
      )
        .argParser(compareThreshold)
        .default<CompareThresholds>({ share: DEFAULT_THRESHOLD }, String(DEFAULT_THRESHOLD)),
    )
    .addOption(
      new Option(
        "--fail-on <verdict>",
        "exit 1 when a guarded metric got worse: one of --metrics, else the key metrics",
      ).choices(["worse"]),
    )
    .addOption(
      new Option(
        "--undecided <outcome>",
        "the outcome of a guarded metric whose interval includes a worsening above the threshold",
      )
        .choices(["pass", "fail"])
        .default("pass"),
    )
    .option("--junit <file>", "write the guarded metrics for a CI system")
    .option(
      "--history <dir>",
      "follow the guarded metrics over all runs of a folder: where they changed for good; --fail-on goes by the newest step",
    )
    .option("--metrics <pattern>", "compare these families only, such as 'vllm:*latency*' (repeatable)", append)
    .option(
      "--slo <list>",
      "compare and guard the share of observations at or below thresholds in the metric's unit, such as ttft=0.5,itl=0.05",
      objectivesArgument,
    )
    .option("--phase <name>", "this phase of every run, or of the candidates")
    .option("--baseline-phase <name>", "this phase of the baseline; with one file, it is compared with --phase")
    .addOption(windowOption())
    .addHelpText("after", EXIT_CODES);
}

const EXIT_CODES = `
Exit codes with --fail-on worse:
  0  no guarded metric got worse; those that may have, by more than the threshold, are listed
  1  a guarded metric got worse; with --history, in its newest step
  2  bad usage, or a file cannot be read
  3  a guarded metric cannot be judged at all, or is undecided with --undecided fail, and none got worse;
     with --history, there are too few runs`;

/** What `--threshold` gives: the share that matters, and thresholds of findings. */
interface CompareThresholds {
  readonly share: number;
  readonly findings?: Partial<Thresholds>;
}

/** "3%", or "kvUsage=0.8", added to those before. @throws InvalidArgumentError */
function compareThreshold(text: string, before: CompareThresholds): CompareThresholds {
  return text.includes("=")
    ? { ...before, findings: thresholdArgument(text, before.findings) }
    : { ...before, share: shareArgument(text) };
}

/** "3%" or "0.03". @throws InvalidArgumentError */
function shareArgument(text: string): number {
  const match = /^(\d+\.?\d*|\.\d+)(\s*%)?$/.exec(text.trim());
  const value = match === null ? NaN : Number(match[1]) / (match[2] === undefined ? 1 : 100);
  if (!(value >= 0 && value < 1))
    throw new InvalidArgumentError(`"${text}" is not a share such as 3% or 0.03, below 100%.`);
  return value;
}

async function compare(args: readonly string[], flags: Flags): Promise<number> {
  const options = {
    threshold: flags.threshold.share,
    ...(flags.metrics === undefined ? {} : { includes: familyChoice(flags.metrics) }),
    ...(flags.slo === undefined ? {} : { objectives: flags.slo }),
  };
  const isGuarded = (row: ComparisonRow) => flags.metrics !== undefined || row.isKey;
  if (flags.history !== undefined) {
    if (args.length > 0) throw new UserError("--history takes a folder, and no files beside it.");
    const apart = (runs: readonly ComparedRun[]) => runs.map((run): RunSet => ({ label: run.label, runs: [run] }));
    return history(flags.history, flags, (runs) => comparisonOf(apart(runs), options), isGuarded);
  }
  const { names, sets } = await openSets(args, flags);
  const result = comparisonOf(sets, options);
  if (result.rows.length === 0) throw nothingCompared(flags.metrics);
  const guarded = result.rows.filter(isGuarded);
  const wantsGate = flags.failOn !== undefined || flags.junit !== undefined;
  if (wantsGate && guarded.length === 0)
    throw new UserError(
      "none of the compared metrics is a key metric of a known server, so there is nothing to guard.",
      "Name the metrics with --metrics.",
    );
  const isWhole = flags.phase === undefined && flags.baselinePhase === undefined;
  const earlier = wantsGate && isWhole ? await earlierRuns(args[0] ?? "", sets, options) : undefined;
  const gate = wantsGate ? gateOf(result, guarded, flags.undecided, earlier) : undefined;
  if (flags.junit !== undefined && gate !== undefined) await writeJunit(flags.junit, gateJunit(names, gate));
  const { findings: thresholds } = flags.threshold;
  const findings = complete(
    findingChanges(
      sets.map(({ runs }) => runs),
      (run) => runInsights(run, { thresholds }),
    ),
  );
  print(
    flags.json === true ? comparisonJson(result, { findings, gate }) : textOf(result, findings, guarded, gate, flags),
  );
  if (flags.failOn === undefined || gate === undefined) return 0;
  note(gateSummary(gate));
  for (const line of gateLines(gate, result.candidates.length > 1)) note(`  ${line}`);
  return gate.exitCode;
}

/** For a terminal the guarded metrics are shown whatever became of them; the gate is told beside that. */
function textOf(
  comparison: Comparison,
  findings: readonly (FindingChanges | undefined)[],
  guarded: readonly ComparisonRow[],
  gate: Gate | undefined,
  { markdown }: Flags,
): string {
  const warnings = comparison.warnings.map((warning) =>
    warning.kind === "window" && warning.severity === "caution"
      ? { ...warning, message: `${warning.message} --window load or --window all measures both alike.` }
      : warning,
  );
  const told = { ...comparison, warnings };
  if (markdown === true)
    return documentMarkdown([
      ...comparisonReportDocument(told, findings),
      ...(gate === undefined ? [] : gateDocument(gate)),
    ]);
  const shown = comparison.rows.filter((row) => isDecided(row) || guarded.includes(row));
  return documentText(comparisonReportDocument(told, findings, shown));
}

/** What did not pass; what is said of several metrics alike, once. */
function gateLines({ metrics }: Gate, several: boolean): readonly string[] {
  const open = metrics.filter(({ outcome }) => outcome !== "passed");
  const groups = groupBy(open, (one) => `${several ? `${one.candidate}: ` : ""}${guardedText(one)}`);
  return [...groups].flatMap(([text, group]) =>
    group.length > MAX_ALIKE
      ? [`${group.length} metrics, such as ${group[0]?.name ?? ""}: ${text}`]
      : group.map((one) => `${several ? `${one.candidate}: ` : ""}${one.name}: ${guardedText(one)}`),
  );
}

const MAX_ALIKE = 3;

function comparisonOf(sets: readonly RunSet[], options: ComparisonOptions): Comparison {
  const [baseline, ...candidates] = sets;
  if (baseline === undefined) throw new UserError("there is no baseline.");
  return complete(compareRuns(baseline, candidates, options));
}

function nothingCompared(patterns: readonly string[] | undefined): UserError {
  return patterns === undefined
    ? new UserError(
        "the runs share families, but no series of them matches.",
        "Their labels differ in more than what identifies a server. Of runs from a store, fetch one target each (server-metrics fetch --match).",
      )
    : new UserError(`no family that the runs share matches ${patterns.join(", ")}.`);
}
