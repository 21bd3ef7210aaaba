import Table from "cli-table3";
import { Command, InvalidArgumentError, Option } from "commander";
import { familyFilter } from "../collect/index.js";
import { aliasesOf } from "../core/catalog/index.js";
import {
  compareRuns,
  comparisonJson,
  comparisonMarkdown,
  ComparisonError,
  intervalText,
  isDecided,
  rowName,
  shareText,
  sideText,
  undecidedText,
  verdictCounts,
  VERDICT_TEXT,
  type ComparedRun,
  type Comparison,
  type ComparisonOptions,
  type ComparisonRow,
  type RunSet,
} from "../core/compare/index.js";
import { complete } from "../core/stats/index.js";
import { NEXT_SET } from "./arguments.js";
import { openFile, requireDifferentFiles, shortNames, withPhase } from "./artifact.js";
import { CommandError } from "./exit.js";
import { append } from "./options.js";
import { PLAIN, trimLines } from "./summary.js";
import { note, print } from "./terminal.js";

interface Flags {
  readonly json?: true;
  readonly markdown?: true;
  readonly threshold: number;
  readonly failOn?: "worse";
  readonly metrics?: readonly string[];
  readonly phase?: string;
  readonly baselinePhase?: string;
}

export function compareCommand(setExit: (code: number) => void): Command {
  return new Command("compare")
    .summary("what differs between runs, by how much, and whether to believe it")
    .description(
      "Compares a baseline with one or several other runs, of any artifact format. With -- between them, sets of repeats are compared:\n" +
        "compare A1 A2 A3 -- B1 B2 B3. Their spread then tells how certain a difference is. FILE#PHASE takes one phase of a\n" +
        "run, so that phases of one run can be compared: compare A#low A#high.",
    )
    .usage("[options] <baseline> <candidate...>   |   <baseline...> -- <candidate...>")
    .argument("<artifacts...>", "the baseline, then its candidates")
    .addOption(new Option("--json", "print everything as JSON").conflicts("markdown"))
    .option("--markdown", "print a report for a pull request")
    .option("--threshold <share>", "differences below it are of no practical relevance", shareArgument, 0.03)
    .addOption(
      new Option(
        "--fail-on <verdict>",
        "exit 1 when a guarded metric got worse: one of --metrics, else the key metrics",
      ).choices(["worse"]),
    )
    .option("--metrics <pattern>", "compare these families only, such as 'vllm:*latency*' (repeatable)", append)
    .option("--phase <name>", "this phase of every run, or of the candidates")
    .option("--baseline-phase <name>", "this phase of the baseline; with one file, it is compared with --phase")
    .action(async (args: string[], flags: Flags) => setExit(await compare(args, flags)));
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
  const sets = await phasesOf(setsOf(withOwnPhases(args, flags)), flags);
  const paths = sets.flat();
  await requireDifferentFiles(paths);
  const names = shortNames(paths);
  const runs: ComparedRun[] = [];
  for (const [i, path] of paths.entries()) runs.push(await openRun(path, names[i] ?? path));
  const runSets = sets.map((set): RunSet => {
    const own = set.flatMap((path) => runs[paths.indexOf(path)] ?? []);
    return { label: own.map(({ label }) => label).join(", "), runs: own };
  });
  const result = comparisonOf(runSets, { threshold: flags.threshold, ...filterOf(flags.metrics) });
  if (result.rows.length === 0) throw nothingCompared(flags.metrics);
  const guarded = result.rows.filter((row) => flags.metrics !== undefined || row.isKey);
  print(
    flags.json === true
      ? comparisonJson(result)
      : flags.markdown === true
        ? comparisonMarkdown(result)
        : comparisonText(result, guarded),
  );
  const worse = guarded.filter(({ cells }) => cells.some(({ verdict }) => verdict === "worse"));
  if (flags.failOn === undefined) return 0;
  if (guarded.length === 0)
    throw new CommandError(
      "none of the compared metrics is a key metric of a known server, so --fail-on has nothing to guard.",
      2,
      "Name the metrics with --metrics.",
    );
  const untold = guarded.filter(({ cells }) => cells.some(({ verdict }) => verdict === "cannot-tell")).length;
  if (untold > 0)
    note(`${untold} of ${guarded.length} guarded metrics cannot be told; they do not fail the comparison.`);
  note(
    worse.length === 0
      ? `None of ${guarded.length} guarded metrics got worse.`
      : `Got worse: ${worse.map((row) => `${row.family} ${row.quantity}`).join(", ")}`,
  );
  return worse.length > 0 ? 1 : 0;
}

/** One file with two phases is compared with itself. */
function withOwnPhases(args: readonly string[], { phase, baselinePhase }: Flags): readonly string[] {
  const [only] = args;
  return args.length === 1 && only !== undefined && phase !== undefined && baselinePhase !== undefined
    ? [only, only]
    : args;
}

async function phasesOf(sets: readonly string[][], { phase, baselinePhase }: Flags): Promise<string[][]> {
  return Promise.all(
    sets.map((set, i) => Promise.all(set.map((path) => withPhase(path, i === 0 ? (baselinePhase ?? phase) : phase)))),
  );
}

/** Without a border, the first file is the baseline and every other a candidate of its own. @throws CommandError */
function setsOf(args: readonly string[]): string[][] {
  const sets: string[][] = [[]];
  for (const argument of args) {
    if (argument === NEXT_SET) sets.push([]);
    else sets.at(-1)?.push(argument);
  }
  if (sets.some((set) => set.length === 0))
    throw new CommandError("a set of runs is empty.", 2, "Write: compare A1 A2 A3 -- B1 B2 B3");
  const result = sets.length > 1 ? sets : (sets[0] ?? []).map((path) => [path]);
  if (result.length < 2) throw new CommandError("a comparison needs a baseline and at least one other run.");
  if (result.length > 9)
    throw new CommandError(
      `a baseline can be compared with up to 8 others, not ${result.length - 1}.`,
      2,
      "Put repeats of a run into a set with --.",
    );
  return result;
}

async function openRun(path: string, label: string): Promise<ComparedRun> {
  const opened = await openFile(path);
  switch (opened.kind) {
    case "samples":
      return { kind: "samples", label, run: opened.run };
    case "statistics":
      return { kind: "statistics", label, statistics: opened.statistics };
    case "snapshot":
      throw new CommandError(`${path} is a single scrape: there is nothing that happened between scrapes to compare.`);
  }
}

function comparisonOf(sets: readonly RunSet[], options: ComparisonOptions): Comparison {
  const [baseline, ...candidates] = sets;
  if (baseline === undefined) throw new CommandError("there is no baseline.");
  try {
    return complete(compareRuns(baseline, candidates, options));
  } catch (error) {
    throw error instanceof ComparisonError ? new CommandError(error.message, 2, error.remedy) : error;
  }
}

/** A pattern may use any name the catalogue knows for a family. */
function filterOf(patterns: readonly string[] | undefined): Pick<ComparisonOptions, "includes"> {
  if (patterns === undefined) return {};
  const matches = familyFilter(patterns, []);
  return { includes: (family) => matches(family) || aliasesOf(family).some(matches) };
}

function nothingCompared(patterns: readonly string[] | undefined): CommandError {
  return patterns === undefined
    ? new CommandError(
        "the runs share families, but no series of them matches.",
        2,
        "Their labels differ in more than what identifies a server.",
      )
    : new CommandError(`no family that the runs share matches ${patterns.join(", ")}.`);
}

/** For a terminal: what differs, and the guarded metrics whatever became of them. */
function comparisonText(comparison: Comparison, guarded: readonly ComparisonRow[]): string {
  const { baseline, candidates, warnings, configuration, method } = comparison;
  const lines = [
    `baseline   ${baseline.label}`,
    ...candidates.map(({ label }, c) => `candidate  ${label}: ${verdictCounts(comparison, c)}`),
    "",
  ];
  for (const { severity, message } of warnings)
    lines.push(
      `${severity === "incomparable" ? "incomparable: " : severity === "caution" ? "caution: " : ""}${message}`,
    );
  if (warnings.length > 0) lines.push("");
  if (configuration.length > 0) {
    const table = new Table({
      ...PLAIN,
      head: ["CONFIGURATION", ...[baseline, ...candidates].map(({ label }) => label)],
    });
    for (const { name, values } of configuration) table.push([name, ...values.map((value) => value ?? "-")]);
    lines.push(trimLines(table.toString()), "");
  }
  const shown = new Set([...comparison.rows.filter(isDecided), ...guarded]);
  const rows = comparison.rows.filter((row) => shown.has(row));
  lines.push(rows.length === 0 ? undecidedText(comparison) : rowsText(comparison, rows), "", ...method.notes);
  return lines.join("\n");
}

function rowsText(comparison: Comparison, rows: readonly ComparisonRow[]): string {
  const several = comparison.candidates.length > 1;
  const head = comparison.candidates.flatMap(({ label }) => [
    several ? label : "CANDIDATE",
    "DIFFERENCE",
    "INTERVAL",
    "VERDICT",
  ]);
  const table = new Table({
    ...PLAIN,
    head: ["METRIC", "", "BASELINE", ...head],
    colAligns: [
      "left",
      "left",
      "right",
      ...comparison.candidates.flatMap(() => ["right", "right", "right", "left"] as const),
    ],
  });
  for (const row of rows) {
    const cells = row.cells.flatMap((cell) => [
      sideText(cell.candidate, row.unit),
      shareText(cell.share),
      intervalText(cell),
      VERDICT_TEXT[cell.verdict] + (cell.reason === undefined ? "" : `: ${cell.reason}`),
    ]);
    table.push([rowName(row, comparison), row.quantity, sideText(row.baseline, row.unit), ...cells]);
  }
  return trimLines(table.toString());
}
