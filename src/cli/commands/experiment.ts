import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { sourceOf } from "../../core/compare/index.js";
import {
  answersOf,
  countLines,
  exampleFor,
  exampleOfRuns,
  exampleText,
  folderOf,
  nextText,
  planLines,
  ROW_TITLES,
  rowCells,
  type DecidedExperiment,
  type ExampleParts,
} from "../../core/experiment/index.js";
import { errorCode, paragraph, table, UserError } from "../../core/text/index.js";
import { shellWord } from "../../core/text/shell-word.js";
import {
  experimentReport,
  readDefinition,
  readExperiment,
  runExperiment,
  runnerOf,
  runsFolderOf,
  statusOf,
  type Outcome,
} from "../../experiment/index.js";
import { describeFileError } from "../../files/index.js";
import type { ReadExperiment } from "../../protocol/experiment.js";
import { ENDING_SIGNALS, endBy } from "../capture/child-process.js";
import { openSets } from "../input/compared-runs.js";
import { dryRunOption, redactOption, writeReport } from "./report.js";
import { append } from "../options/shared.js";
import { documentText } from "../print/document.js";
import { note, print } from "../print/terminal.js";

/** `experiment`. @param setExit gets the exit code of `run` */
export function experimentCommand(setExit: (code: number) => void): CommandUnknownOpts {
  const command = new Command("experiment")
    .summary("decide between configurations of a server by repeated runs")
    .description(
      "Makes the runs of an experiment, decides as soon as it may, and survives a crash. docs/experiments.md has a guide.",
    );
  command
    .command("init")
    .description("write an example that runs as it is, against two simulated servers, in under two minutes")
    .argument("[file]", "file to write", "demo.experiment.yaml")
    .option(
      "--endpoint <url>",
      "metrics of your servers instead: of both, or of one place for both (repeatable)",
      append,
    )
    .option("--from <runs...>", "repeat two runs, the baseline first, with the commands that they recorded")
    .action(init);
  withFile(command.command("plan"))
    .description("show the order of the runs, how long they take, and what difference they can show")
    .action(async (file, flags) => {
      const recorded = await readExperiment(file, flags);
      for (const line of planLines(recorded)) print(line);
      if (recorded.otherPlan !== undefined) note(recorded.otherPlan);
    });
  withFile(command.command("run"))
    .description(
      "make the runs that are missing until it is decided. Ctrl-C ends it after the run under way, twice at once; the next `run` goes on.\n" +
        "Exits 0 when it is decided (or as expected), 1 for worse (or not as expected), 3 for undecided, 2 when it could not run.",
    )
    .addOption(new Option("--expect <state>", "what the answer should be").choices(["better", "equivalent"]))
    .option("--anew", "set the runs of before aside and begin anew")
    .action(async (file, flags) => setExit(await run(file, flags)));
  withFile(command.command("show"))
    .description("show what the runs so far say")
    .option("--json", "for programs: cells, runs, sequences, and whether it runs")
    .action(async (file, flags) => {
      const recorded = await readExperiment(file, flags);
      if (flags.json !== true) {
        if (recorded.otherPlan !== undefined) note(recorded.otherPlan);
        return show(recorded);
      }
      const read: ReadExperiment = { ...statusOf(recorded), runner: await runnerOf(recorded.out) };
      print(JSON.stringify(read));
    });
  withFile(command.command("report"))
    .description("the question, the answer, the plan and every run, for readers without this program")
    .addOption(new Option("--markdown", "print Markdown (the default)").conflicts("html"))
    .option("--html <file>", "write one HTML file that opens anywhere")
    .addOption(new Option("--json", "for programs: what that file is made of").conflicts(["html", "markdown"]))
    .addOption(redactOption())
    .addOption(dryRunOption())
    .action(async (file, { html, json, out, ...flags }) => {
      const report = experimentReport(file, await readExperiment(file, { out }));
      if (json === true) print(JSON.stringify(report));
      else await writeReport(html, report, { ...flags, markdown: html === undefined });
    });
  return command;
}

function withFile(command: Command) {
  return command
    .argument("<file>", "the experiment, such as demo.experiment.yaml")
    .option("--out <folder>", "folder of its runs (default: the file's name without its ending, beside it)");
}

async function init(
  file: string,
  { endpoint = [], from = [] }: { readonly endpoint?: readonly string[]; readonly from?: readonly string[] },
): Promise<void> {
  const path = resolve(file);
  const parts = from.length > 0 ? await repeatedRuns(from) : exampleFor(endpoint);
  await writeFile(path, exampleText(parts), { flag: "wx" }).catch((error: unknown) => {
    if (errorCode(error) === "EEXIST") throw new UserError(`${file} is there already.`, "Choose another name.");
    throw describeFileError(path, error, "write");
  });
  print(`wrote ${file}. Run it: server-metrics experiment run ${file}`);
}

/** @throws UserError */
async function repeatedRuns(paths: readonly string[]): Promise<ExampleParts> {
  const { sets } = await openSets(paths, {});
  const [baseline, candidate, ...others] = sets.map(({ label, runs: [run] }) => ({
    label,
    ...(run === undefined ? { endpoints: [], inputConfig: {} } : sourceOf(run)),
  }));
  if (baseline === undefined || candidate === undefined || others.length > 0)
    throw new UserError("--from takes two runs, the baseline and the candidate.");
  return exampleOfRuns(baseline, candidate);
}

interface RunFlags {
  readonly out?: string;
  readonly expect?: "better" | "equivalent";
  readonly anew?: true;
}

async function run(file: string, flags: RunFlags): Promise<number> {
  const definition = await readDefinition(file);
  const out = runsFolderOf(file, flags.out);
  const [soon, now] = [new AbortController(), new AbortController()];
  const onSignal = (signal: NodeJS.Signals) => {
    if (now.signal.aborted) return endBy(signal);
    if (soon.signal.aborted || signal === "SIGTERM") {
      note("stopping now: the run under way is not kept");
      now.abort();
    } else note("stopping after the run under way; interrupt again to stop now");
    soon.abort();
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  // An editor that started this has ended.
  const onAlone = () => onSignal("SIGTERM");
  if (process.connected) process.on("disconnect", onAlone);
  const [program = "", script = ""] = process.argv;
  const said = new Set<string>();
  let answers = "";
  try {
    const outcome = await runExperiment(definition, {
      out,
      cwd: dirname(resolve(file)),
      anew: flags.anew === true,
      soon: soon.signal,
      now: now.signal,
      note: (text) => {
        // Every run would say it again.
        if (!said.has(text)) note(`note: ${text}`);
        said.add(text);
      },
      self: [program, ...process.execArgv, script].map(shellWord).join(" "),
      ...(process.connected ? { ask: askEditor } : process.stdin.isTTY ? { ask: askAtTerminal } : {}),
      onStep: (step) => note(`${folderOf(step)} …`),
      onRun: (made, decision) => {
        for (const problem of made.problems) note(`${folderOf(made.step)} does not count: ${problem}`);
        const now = answersOf({ definition, decision }).join("\n");
        if (now !== answers) print(now);
        answers = now;
      },
    });
    show(outcome);
    if (outcome.stopped) print(`Stopped. The same command goes on.`);
    return exitCodeOf(outcome, flags);
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
    process.off("disconnect", onAlone);
    // A question that was not answered would wait on.
    if (process.connected) process.disconnect();
  }
}

/** Asks the editor that started this, which answers with any message. */
async function askEditor(text: string): Promise<void> {
  process.send?.(text);
  await once(process, "message");
}

async function askAtTerminal(text: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C at the question is one for the experiment.
  terminal.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
  await terminal.question(`${text}, then press Enter. `).finally(() => terminal.close());
}

function show(experiment: DecidedExperiment): void {
  const { decision, runs } = experiment;
  const rows = [...decision.primary, ...decision.guards];
  const lines = [...countLines(runs), ...answersOf(experiment), nextText(decision)];
  print(
    documentText([
      ...(rows.length === 0 ? [] : [table(ROW_TITLES, rows.map(rowCells))]),
      ...lines.map((text) => paragraph(text)),
    ]),
  );
}

/** 0 decided or as expected, 1 worse or not as expected, 3 undecided, 2 no run counted. */
function exitCodeOf({ decision: { primary, searches, next }, runs }: Outcome, { expect }: RunFlags): number {
  if (next === "invalid" || (typeof next === "string" && !runs.some(({ problems }) => problems.length === 0))) return 2;
  const states = primary.map(({ state }) => state);
  if (searches.length > 0) return next === "decided" ? 0 : 3;
  const isBad = (state: (typeof states)[number]) =>
    expect === undefined ? state === "worse" : state !== expect && state !== "undecided";
  return states.some(isBad) ? 1 : states.includes("undecided") ? 3 : 0;
}
