import { ProcessExecution, Task, TaskScope, type TaskDefinition, type WorkspaceFolder } from "vscode";
import { TASK_TYPE } from "../command-ids.js";
import { commandVariables } from "../experiment/command-line.js";
import { SETTINGS } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";

/** A capture around a command, as tasks.json has it. */
interface CaptureDefinition extends TaskDefinition {
  readonly command: "capture";
  /** A line for the shell; absent: it captures until it is interrupted. */
  readonly run?: string;
  /** URLs; absent: those of the settings. */
  readonly endpoints?: readonly string[];
  /** More options of the command line's `capture`. */
  readonly args?: readonly string[];
}

/** Whether a task of our type is a capture, with all that it needs. */
export function isCapture(definition: TaskDefinition): definition is CaptureDefinition {
  const { command, run = "", endpoints = [], args = [] } = definition;
  const areTexts = [endpoints, args].every(
    (list) => Array.isArray(list) && list.every((one) => typeof one === "string"),
  );
  return command === "capture" && typeof run === "string" && areTexts;
}

/** The task "server-metrics: capture", which ends with the exit code of its command. @throws UserError */
export function captureTask(
  cliPath: string,
  definition: CaptureDefinition = { type: TASK_TYPE, command: "capture" },
  scope: WorkspaceFolder | TaskScope = TaskScope.Workspace,
): Task {
  const { run, args = [], endpoints = configuredEndpoints() } = definition;
  const { ComSpec = "cmd.exe" } = process.env;
  const shell = process.platform === "win32" ? [ComSpec, "/d", "/s", "/c"] : ["/bin/sh", "-c"];
  const options = [...endpoints.flatMap((url) => ["--url", url]), ...args];
  const beside = run === undefined ? [] : ["--", ...shell, run];
  const execution = new ProcessExecution(process.execPath, [cliPath, "capture", ...options, ...beside], {
    env: commandVariables(),
  });
  return new Task(definition, scope, "capture", TASK_TYPE, execution, "$server-metrics");
}

/** Those that are scraped without more than their URL. @throws UserError */
function configuredEndpoints(): readonly string[] {
  return readSetting(SETTINGS.endpoints).flatMap(({ url, enabled, source }) =>
    enabled && source === undefined ? [url] : [],
  );
}
