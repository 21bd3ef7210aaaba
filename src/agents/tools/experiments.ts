import { resolve } from "node:path";
import * as z from "zod";
import { UserError } from "../../core/text/errors.js";
import { countLines, nextText, planLines, ROW_TITLES, rowCells } from "../../core/experiment/index.js";
import { reportMarkdown } from "../../engine/report/index.js";
import { experimentReport, readExperiment, runnerOf, type RecordedExperiment } from "../../experiment/index.js";
import { liesBelow } from "../../files/opener.js";
import { cut, withList } from "../answer.js";
import type { RunFolder } from "../folder.js";
import { READING_MEMORY } from "../reader.js";
import { defineTool, type AgentContext } from "../tool.js";
import { OFFSET } from "../words.js";

/*
 * They read what `server-metrics experiment` wrote. None starts an experiment, which runs the commands of its file:
 * that is left to the user.
 */

const INPUT = z.strictObject({
  experiment: z
    .string()
    .min(1)
    .describe("Path of its file below the project's folder, such as demo.experiment.yaml; .yml and .json also end it"),
  out: z.string().min(1).optional().describe("Folder of its runs, if it is not the one beside the file"),
  offset: OFFSET,
});

/** Of runs that do not count, those that a status names, and bytes of the reason. */
const SHOWN_INVALID = 5;
const REASON_BYTES = 250;

const FILE_NAME = /\.experiment\.(?:ya?ml|json)$/i;

interface Read extends RecordedExperiment {
  /** As answers name its file. */
  readonly id: string;
}

/** @throws UserError for what is no experiment's file below the folder, or cannot be read */
async function readFor({ experiment, out }: z.output<typeof INPUT>, { runs: { folder } }: AgentContext): Promise<Read> {
  const file = pathIn(folder, experiment);
  // Errors quote what a file holds.
  if (!FILE_NAME.test(file))
    throw new UserError(`${experiment} is no experiment's file.`, "Their names end in .experiment.yaml.");
  const read = await readExperiment(file, {
    ...(out === undefined ? {} : { out: pathIn(folder, out) }),
    within: folder.path,
    ...READING_MEMORY,
  });
  return { ...read, id: folder.idOf(file) };
}

/** @throws UserError for what lies elsewhere */
function pathIn(folder: RunFolder, given: string): string {
  const path = given.includes("\0") ? undefined : resolve(folder.path, given);
  if (path !== undefined && liesBelow(folder.path, path)) return path;
  throw new UserError(`${given} lies outside ${folder.path}: it was not read.`, "Name a path below that folder.");
}

export const planExperiment = defineTool({
  name: "plan_experiment",
  title: "Plan an experiment",
  description:
    "Checks an experiment's file and shows its plan, as `server-metrics experiment plan` does: the order of the runs, " +
    "how long they take, and what difference they can show. It starts nothing: only the user runs an experiment.",
  input: INPUT,
  answer: async (input, context) => {
    const read = await readFor(input, context);
    return withList(
      {
        experiment: read.id,
        question: read.definition.question,
        next: "The user starts it: server-metrics experiment run with this file. experiment_status then follows it.",
      },
      "plan",
      planLines(read).concat(read.otherPlan ?? []),
      input,
    );
  },
});

export const experimentStatus = defineTool({
  name: "experiment_status",
  title: "Status of an experiment",
  description:
    "Shows how far an experiment is, as `server-metrics experiment show` does: whether it runs, which runs count, what " +
    "each metric says so far, and what comes next.",
  input: INPUT,
  answer: async (input, context) => {
    const { id, out, definition, decision, runs, otherPlan } = await readFor(input, context);
    const [count, ...invalid] = countLines(runs);
    const runner = await runnerOf(out, { within: context.runs.folder.path });
    return withList(
      {
        experiment: id,
        question: definition.question,
        running: runner?.state === "alive" ? "yes" : runner?.state === "unknown" ? "unknown" : "no",
        runs: count,
        ...(invalid.length === 0
          ? {}
          : { invalid: invalid.slice(-SHOWN_INVALID).map((line) => cut(line, REASON_BYTES)) }),
        ...(otherPlan === undefined ? {} : { other_plan: otherPlan }),
        state: nextText(decision),
        next: "experiment_result has the answer so far and every run.",
      },
      "metrics",
      [...decision.primary, ...decision.guards].map((row) => {
        const cells = rowCells(row);
        return Object.fromEntries(ROW_TITLES.map((title, i) => [title.toLowerCase(), cells[i]]));
      }),
      input,
    );
  },
});

export const experimentResult = defineTool({
  name: "experiment_result",
  title: "Result of an experiment",
  description:
    "Gives the report of an experiment, as `server-metrics experiment report` does, in lines of Markdown: the answer " +
    "with its interval first, then how it was reached, what was varied and held equal, and every run.",
  input: INPUT,
  answer: async (input, context) => {
    const read = await readFor(input, context);
    if (read.runs.length === 0)
      throw new UserError(
        `No run of ${read.id} has been made.`,
        "plan_experiment shows its plan. The user starts it: server-metrics experiment run.",
      );
    return withList(
      { experiment: read.id },
      "report",
      reportMarkdown(experimentReport(read.id, read)).trimEnd().split("\n"),
      input,
    );
  },
});
