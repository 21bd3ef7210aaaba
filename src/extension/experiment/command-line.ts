import { t } from "@vscode/l10n";
import { execFile } from "node:child_process";
import { isFields, parseJson, secretParameters } from "../../core/text/index.js";
import { UserError } from "../../core/text/errors.js";
import { SECRET_PARAMETERS_VARIABLE } from "../../engine/worker-setup.js";
import type { ReadExperiment } from "../../protocol/experiment.js";
import type { Report } from "../../protocol/index.js";

const MOST_BYTES = 64 * 1024 ** 2;

/** What the command line needs to run in the editor's own executable, which is Node with the first of these. */
export function commandVariables(): Record<string, string> {
  return { ELECTRON_RUN_AS_NODE: "1", [SECRET_PARAMETERS_VARIABLE]: secretParameters().join(",") };
}

/** These beside the variables that the editor has. */
export function commandEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...commandVariables() };
}

/**
 * Runs a command of our command line.
 * @param cliPath the bundled `cli.js`
 * @returns what it printed
 * @throws UserError with what it could not do
 */
export async function commandLine(cliPath: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  return (await commandAnswer(cliPath, args, signal)).stdout;
}

/** Exit codes of commands that judge: it holds, it does not, it cannot be told. */
const ANSWERS = [0, 1, 3] as const;

/** As `commandLine`, of a command that judges: with its exit code, and what it said beside its answer. */
export function commandAnswer(cliPath: string, args: readonly string[], signal?: AbortSignal) {
  const options = { env: commandEnvironment(), maxBuffer: MOST_BYTES, ...(signal === undefined ? {} : { signal }) };
  return new Promise<{ readonly code: (typeof ANSWERS)[number]; readonly stdout: string; readonly stderr: string }>(
    (resolve, reject) => {
      execFile(process.execPath, [cliPath, ...args], options, (error, stdout, stderr) => {
        const failure = failureIn(stderr);
        const code = ANSWERS.find((one) => one === (error === null ? 0 : error.code));
        if (code === undefined || failure !== undefined) reject(new UserError(failure ?? error?.message ?? stderr));
        else resolve({ code, stdout, stderr });
      });
    },
  );
}

/**
 * Reads an experiment's file and what its runs say, in a process of its own, as artifacts may have to be read.
 * @throws UserError naming file and line
 */
export async function readExperiment(cliPath: string, file: string, signal?: AbortSignal): Promise<ReadExperiment> {
  const read = parseJson(await commandLine(cliPath, ["experiment", "show", "--json", "--", file], signal));
  if (!isRead(read)) throw new UserError(t`${file} could not be read as an experiment.`);
  return read;
}

/** Reads what a report of an experiment is made of. @throws UserError naming file and line */
export async function readExperimentReport(cliPath: string, file: string, signal: AbortSignal): Promise<Report> {
  const report = parseJson(await commandLine(cliPath, ["experiment", "report", "--json", "--", file], signal));
  if (!isReport(report)) throw new UserError(t`${file} could not be read as an experiment.`);
  return report;
}

/** What the command line says at its end when it could not do something. */
export function failureIn(stderr: string): string | undefined {
  return /^server-metrics: ([^]*)$/m.exec(stderr)?.[1]?.trim();
}

/** It was written by a command line of the same version. */
function isRead(value: unknown): value is ReadExperiment {
  return isFields(value) && "cells" in value && "out" in value;
}

/** As above. */
function isReport(value: unknown): value is Report {
  return isFields(value) && "about" in value && "answers" in value;
}
