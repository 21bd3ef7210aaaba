import { t } from "@vscode/l10n";
import { fork, type ChildProcess } from "node:child_process";
import path from "node:path";
import {
  CustomExecution,
  EventEmitter,
  Task,
  tasks,
  TaskRevealKind,
  TaskScope,
  Uri,
  workspace,
  ProcessExecution,
  type Disposable,
  type Memento,
  type Pseudoterminal,
  type TaskDefinition,
  type TaskProvider,
  type WorkspaceFolder,
} from "vscode";
import { UserError } from "../../core/text/errors.js";
import { isRunning } from "../../files/owner.js";
import { mayCapture } from "../origins.js";
import { MEMORY_KEYS, TASK_TYPE } from "../command-ids.js";
import type { Notifier } from "../notify.js";
import { words } from "../words.js";
import { confirm, showInformation } from "../workbench-text.js";
import { findFiles } from "../workbench-files.js";
import { commandEnvironment, failureIn, readExperiment, commandVariables } from "./command-line.js";
import { SETTINGS } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";

/** Names of experiments' files. */
export const EXPERIMENT_FILES = "*.experiment.{yaml,yml,json}";

const NEEDS_TRUST = t(
  "An experiment runs the commands of its file. Trust the workspace, then run the experiment again.",
);
/** Commands that a question shows, and characters of each. */
const SHOWN_COMMANDS = 12;
const SHOWN_CHARACTERS = 300;
/** Exit code of an experiment that could not run; the others are answers. */
const COULD_NOT_RUN = 2;

export interface ExperimentTasksParts {
  /** The bundled `cli.js`. */
  readonly cliPath: string;
  /** Of the workspace: panels that are open, and commands that the user has agreed to. */
  readonly memory: Memento;
  readonly notifier: Notifier;
}

/** An experiment that this window runs, or has run last. */
interface Own {
  child?: ChildProcess;
  stopping: boolean;
  failure?: string;
}

/** Experiments of the workspace, in the editor's own list of files. */
export function findExperiments(): Thenable<Uri[]> {
  return findFiles(EXPERIMENT_FILES);
}

/**
 * Runs experiments as tasks. Each is a process of the command line's, which stops all it has started when the editor
 * ends, however that ends. Captures around a command have the same type of task.
 */
export class ExperimentTasks implements TaskProvider, Disposable {
  private readonly own = new Map<string, Own>();
  private readonly changed = new EventEmitter<string>();
  /** Has the file of an experiment that began, went on or ended. */
  readonly onChanged = this.changed.event;
  private readonly registration = tasks.registerTaskProvider(TASK_TYPE, this);

  constructor(private readonly parts: ExperimentTasksParts) {}

  async provideTasks(): Promise<Task[]> {
    const { cliPath } = this.parts;
    return [captureTask(cliPath), ...(await findExperiments()).map((uri) => this.taskOf(uri))];
  }

  resolveTask({ definition, scope }: Task): Task | undefined {
    if (isCapture(definition))
      return captureTask(this.parts.cliPath, definition, typeof scope === "object" ? scope : undefined);
    const { experiment } = definition;
    const folder = typeof scope === "object" ? scope.uri : workspace.workspaceFolders?.[0]?.uri;
    if (typeof experiment !== "string" || folder === undefined) return undefined;
    return this.taskOf(Uri.joinPath(folder, experiment), definition);
  }

  /** Runs an experiment of the workspace once the user has agreed. @throws UserError */
  async run(uri: Uri, anew = false): Promise<void> {
    if (!(await mayCapture(NEEDS_TRUST))) return;
    requireOfWorkspace(uri);
    if (this.own.get(uri.fsPath)?.child !== undefined) throw runsAlready(uri);
    if (!(await this.isAgreed(uri))) return;
    await tasks.executeTask(this.taskOf(uri, { ...definitionOf(uri), ...(anew ? { anew } : {}) }));
  }

  /** What this window knows of an experiment that it runs, or could not run. */
  stateOf(file: string): { readonly running?: "yes" | "stopping"; readonly failure?: string } {
    const own = this.own.get(file);
    if (own === undefined) return {};
    const { child, stopping, failure } = own;
    return {
      ...(child === undefined ? {} : { running: stopping ? ("stopping" as const) : ("yes" as const) }),
      ...(failure === undefined ? {} : { failure }),
    };
  }

  /**
   * Ends an experiment: after the run under way, or now.
   * @param pid of its process where another window or a terminal runs it
   */
  stop(file: string, pid: string | undefined, now: boolean): void {
    const signal = now ? "SIGTERM" : "SIGINT";
    const own = this.own.get(file);
    if (own?.child !== undefined) {
      own.stopping = true;
      own.child.kill(signal);
      this.changed.fire(file);
    } else if (pid !== undefined && isRunning(Number(pid))) process.kill(Number(pid), signal);
  }

  dispose(): void {
    this.registration.dispose();
    for (const { child } of this.own.values()) child?.kill("SIGTERM");
  }

  /** @param definition the very object of a task that is resolved */
  private taskOf(uri: Uri, definition: TaskDefinition = definitionOf(uri)): Task {
    const task = new Task(
      definition,
      workspace.getWorkspaceFolder(uri) ?? TaskScope.Workspace,
      `experiment ${workspace.asRelativePath(uri, false)}`,
      TASK_TYPE,
      new CustomExecution(() => Promise.resolve(this.terminal(uri, definition["anew"] === true))),
      [],
    );
    task.presentationOptions = { reveal: TaskRevealKind.Silent, clear: true };
    return task;
  }

  private terminal(uri: Uri, anew: boolean): Pseudoterminal {
    const written = new EventEmitter<string>();
    const closed = new EventEmitter<number>();
    const file = uri.fsPath;
    const write = (text: string) => written.fire(text.replaceAll("\n", "\r\n"));
    return {
      onDidWrite: written.event,
      onDidClose: closed.event,
      open: () => {
        this.start(uri, anew, write).then(
          (code) => closed.fire(code === COULD_NOT_RUN ? code : 0),
          (error: unknown) => {
            write(`${words(error)}\n`);
            this.parts.notifier.error(error);
            closed.fire(COULD_NOT_RUN);
          },
        );
      },
      close: () => this.own.get(file)?.child?.kill("SIGTERM"),
      handleInput: (text) => {
        if (text === "\x03") this.stop(file, undefined, false);
      },
    };
  }

  /** @returns its exit code @throws UserError */
  private async start(uri: Uri, anew: boolean, write: (text: string) => void): Promise<number> {
    const file = uri.fsPath;
    requireOfWorkspace(uri);
    if (!(await mayCapture(NEEDS_TRUST)) || !(await this.isAgreed(uri))) {
      write(t("Nothing was run.\n"));
      return 0;
    }
    if (this.own.get(file)?.child !== undefined) throw runsAlready(uri);
    const args = ["experiment", "run", ...(anew ? ["--anew"] : []), "--", file];
    // It knows by the channel to this process that the editor has ended.
    const child = fork(this.parts.cliPath, args, { env: commandEnvironment(), execArgv: [], silent: true });
    const own: Own = { child, stopping: false };
    this.own.set(file, own);
    let last = "";
    const hear = (text: string) => {
      last = `${last}${text}`.slice(-2000);
      write(text);
      this.changed.fire(file);
    };
    child.stdout?.setEncoding("utf8").on("data", write);
    child.stderr?.setEncoding("utf8").on("data", hear);
    child.on("message", (question) => {
      if (typeof question !== "string") return;
      const started = t("Started");
      void showInformation(`${question}.`, started).then(
        (answer) => answer === started && child.connected && child.send("started"),
      );
    });
    this.changed.fire(file);
    return new Promise((resolve) => {
      const ended = (code: number, failure?: string) => {
        delete own.child;
        if (failure !== undefined) own.failure = failure;
        this.changed.fire(file);
        resolve(code);
      };
      child.once("error", ({ message }) => ended(COULD_NOT_RUN, message));
      child.once("close", (code) => ended(code ?? 0, code === COULD_NOT_RUN ? failureIn(last) : undefined));
    });
  }

  /** Commands are shown once; other ones are asked for again. */
  private async isAgreed(uri: Uri): Promise<boolean> {
    const { commands } = await readExperiment(this.parts.cliPath, uri.fsPath);
    const agreed = this.parts.memory.get<Readonly<Record<string, readonly string[]>>>(
      MEMORY_KEYS.experimentCommands,
      {},
    );
    const known = agreed[uri.fsPath] ?? [];
    if (commands.every((command) => known.includes(command))) return true;
    const run = t("Run");
    const more = commands.length - SHOWN_COMMANDS;
    const shown = commands
      .slice(0, SHOWN_COMMANDS)
      .map((command) => (command.length > SHOWN_CHARACTERS ? `${command.slice(0, SHOWN_CHARACTERS)}…` : command));
    const chosen = await confirm(
      t`Run the commands of ${path.basename(uri.fsPath)} on this machine?`,
      [...shown, ...(more > 0 ? [t`and ${more} more`] : [])],
      run,
    );
    if (chosen !== run) return false;
    await this.parts.memory.update(MEMORY_KEYS.experimentCommands, { ...agreed, [uri.fsPath]: commands });
    return true;
  }
}

function definitionOf(uri: Uri): TaskDefinition {
  return { type: TASK_TYPE, experiment: workspace.asRelativePath(uri, false) };
}

function runsAlready(uri: Uri): UserError {
  return new UserError(t`${path.basename(uri.fsPath)} runs already.`, t("Its panel shows how far it is."));
}

function requireOfWorkspace(uri: Uri): void {
  if (uri.scheme !== "file" || workspace.getWorkspaceFolder(uri) === undefined)
    throw new UserError(
      t`${path.posix.basename(uri.path)} lies outside of the workspace: it is not run.`,
      t("Open its folder, or run it in a terminal: server-metrics experiment run."),
    );
}

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
