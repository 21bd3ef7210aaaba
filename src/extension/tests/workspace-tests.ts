import { t } from "@vscode/l10n";
import path from "node:path";
import {
  Disposable,
  TestRunProfileKind,
  tests,
  Uri,
  workspace,
  type CancellationToken,
  type Event,
  type TestItem,
  type TestRun,
  type TestRunRequest,
} from "vscode";
import { isFields, isList, parseJson, plainText } from "../../core/text/index.js";
import { UserError } from "../../core/text/errors.js";
import { parseArtifactName } from "../../core/artifacts/names.js";
import { readNotes } from "../../files/library/notes.js";
import { idBelow } from "../../files/library/scan.js";
import { liesBelow } from "../../files/opener.js";
import type { CheckJson, ListedCheck } from "../../protocol/check.js";
import { commandAnswer, readExperiment } from "../experiment/command-line.js";
import { EXPERIMENT_FILES, findExperiments } from "../experiment/tasks.js";
import { objectivesOf, SETTINGS } from "../settings/definitions.js";
import { onSettings, readSetting } from "../settings/read.js";
import { newestRuns, type ArtifactRun, type RunInFolder } from "../tree/artifact-files.js";
import { findFiles, watchFiles } from "../workbench-files.js";
import { words } from "../words.js";
import { signalOf, testItem, testMessage } from "../workbench-text.js";

/** Names of files with assertions for every run of the workspace, as `check --file` reads them. */
const CHECK_FILES = "*.check.{yaml,yml,json}";
/** Older runs are no longer tested. */
const MOST_RUNS = 20;
const SETTLE_MS = 300;

interface Parts {
  /** The bundled `cli.js`. */
  readonly cliPath: string;
  /** Folders of artifacts, the newest first, and when they change. */
  readonly artifacts: { runs(): Promise<readonly ArtifactRun[]>; readonly onDidChangeTreeData: Event<unknown> };
}

/** What a test is done with. */
interface Judging {
  readonly run: TestRun;
  readonly item: TestItem;
  readonly signal: AbortSignal;
  /** What `check` says of each run: its assertions are checked together. */
  readonly results: Map<string, Promise<readonly CheckJson[]>>;
}

/** @throws UserError where it cannot be judged */
type Judge = (judging: Judging) => Promise<void>;

/**
 * Assertions, service level objectives and gates of the workspace in the Test Explorer. What they say is what the
 * command line says: `check` of each run, `compare --fail-on worse` with the starred run, and experiments.
 */
export class WorkspaceTests implements Disposable {
  private readonly controller = tests.createTestController("server-metrics", t("Server Metrics"));
  private readonly judges = new WeakMap<TestItem, Judge>();
  private readonly subscriptions: Disposable;
  private timer: NodeJS.Timeout | undefined;
  /** Of `check`. */
  private options: readonly string[] = [];
  private listed: Promise<void> | undefined;

  constructor(private readonly parts: Parts) {
    this.controller.resolveHandler = (item) => (item === undefined ? this.list() : undefined);
    this.controller.refreshHandler = () => this.list();
    this.controller.createRunProfile(
      t("Check"),
      TestRunProfileKind.Run,
      (request, token) => this.run(request, token),
      true,
    );
    const soon = () => this.listSoon();
    const { assertions, slo, sloTarget } = SETTINGS;
    this.subscriptions = Disposable.from(
      this.controller,
      ...[CHECK_FILES, EXPERIMENT_FILES].map((files) => watchFiles(`**/${files}`, soon)),
      parts.artifacts.onDidChangeTreeData(soon),
      onSettings([assertions, slo, sloTarget], soon),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
  }

  /** Once somebody has asked for tests. */
  private listSoon(): void {
    if (this.listed === undefined) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.list(), SETTLE_MS);
  }

  private list(): Promise<void> {
    return (this.listed = this.items().then(
      (items) => this.controller.items.replace(items),
      (error: unknown) => {
        const item = testItem(this.controller, "unread", t("Assertions and objectives"));
        item.error = plainText(words(error));
        this.controller.items.replace([item]);
      },
    ));
  }

  /** @throws UserError for settings and files that cannot be read */
  private async items(): Promise<TestItem[]> {
    this.options = await checkOptions();
    const checks = this.options.length === 0 ? [] : await this.checks(["--list"], isListed);
    const runs = newestRuns(await this.parts.artifacts.runs());
    const gates = (await starredRuns(runs)).map(({ folder, starred, run }) =>
      this.item(`gate ${folder}`, t`${path.basename(folder)}: the newest run against the starred one`, run, (judging) =>
        this.compare(judging, starred, run),
      ),
    );
    const experiments = (await findExperiments()).map(({ fsPath: file }) =>
      this.item(`experiment ${file}`, path.basename(file), file, (judging) => this.experiment(judging, file)),
    );
    const runItems = runs.slice(0, MOST_RUNS).flatMap(({ name, files: [file], directory }) => {
      if (file === undefined || checks.length === 0) return [];
      const where = workspace.asRelativePath(directory);
      const item = testItem(this.controller, file.path, name, Uri.file(file.path), where === name ? "" : where);
      item.children.replace(
        checks.map((check) =>
          this.item(keyOf(check), check.text, file.path, (judging) => this.check(judging, file.path, check)),
        ),
      );
      return [item];
    });
    return [...gates, ...experiments, ...runItems].map((item, i) => {
      item.sortText = String(i).padStart(6, "0");
      return item;
    });
  }

  private item(id: string, label: string, file: string, judge: Judge): TestItem {
    const item = testItem(this.controller, id, label, Uri.file(file));
    this.judges.set(item, judge);
    return item;
  }

  private async run(request: TestRunRequest, token: CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    const leaves = [...new Set((request.include ?? all(this.controller.items)).flatMap(leavesOf))].filter(
      (item) => !(request.exclude ?? []).some((one) => one === item || one === item.parent),
    );
    for (const item of leaves) run.enqueued(item);
    const judging: Omit<Judging, "item"> = { run, signal: signalOf(token), results: new Map() };
    for (const item of leaves) {
      const judge = this.judges.get(item);
      if (judge === undefined || token.isCancellationRequested) run.skipped(item);
      else {
        run.started(item);
        await judge({ ...judging, item }).catch((error: unknown) => {
          if (token.isCancellationRequested) run.skipped(item);
          else run.errored(item, testMessage(words(error)));
        });
      }
    }
    run.end();
  }

  private async check({ run, item, signal, results }: Judging, tested: string, check: ListedCheck): Promise<void> {
    const all = results.get(tested) ?? this.checks(["--json", "--", tested], isChecked, signal);
    results.set(tested, all);
    const result = (await all).find((one) => keyOf(one) === keyOf(check));
    if (result === undefined) throw new UserError(t`${check.text} is no longer asked for.`, t("Refresh the tests."));
    const { passed, undecided, message, file, line = 1 } = result;
    const place = file === undefined ? undefined : { uri: Uri.file(file), line: line - 1 };
    if (passed) run.passed(item);
    else run[undecided ? "errored" : "failed"](item, testMessage(message, place));
  }

  private async compare({ run, item, signal }: Judging, starred: string, newest: string): Promise<void> {
    const { cliPath } = this.parts;
    const threshold = ["--threshold", `${readSetting(SETTINGS.compareThreshold)}%`];
    const args = ["compare", "--fail-on", "worse", ...threshold, ...sloOption(), starred, newest];
    const { code, stdout, stderr } = await commandAnswer(cliPath, args, signal);
    run.appendOutput(plainText(stdout).replaceAll("\n", "\r\n"), undefined, item);
    if (code === 0) run.passed(item);
    else run[code === 1 ? "failed" : "errored"](item, testMessage(stderr));
  }

  private async experiment({ run, item, signal }: Judging, file: string): Promise<void> {
    const { cells, answers, next, end } = await readExperiment(this.parts.cliPath, file, signal);
    const worse = cells.filter(({ state, guards }) => [{ state }, ...guards].some((one) => one.state === "worse"));
    run.appendOutput(
      `${[...answers, ...(end === undefined ? [next] : [])].map(plainText).join("\r\n")}\r\n`,
      undefined,
      item,
    );
    if (worse.length > 0)
      run.failed(
        item,
        worse.map(({ configuration, load, difference = "", guards }) =>
          testMessage(
            [
              t`${configuration} is worse under ${load}: ${difference}`,
              ...guards.filter(({ state }) => state === "worse").map((one) => `${one.metric}: ${one.difference}`),
            ].join("\n"),
          ),
        ),
      );
    else if (end === undefined) run.skipped(item);
    else run.passed(item);
  }

  /** @param args what `check` is asked for @throws UserError */
  private async checks<T extends ListedCheck>(
    args: readonly string[],
    isOne: (value: unknown) => value is T,
    signal?: AbortSignal,
  ): Promise<readonly T[]> {
    const { stdout } = await commandAnswer(this.parts.cliPath, ["check", ...this.options, ...args], signal);
    const listed = parseJson(stdout);
    return isList(listed) ? listed.filter(isOne) : [];
  }
}

/** What is asked of every run, as options of `check`; none: nothing. @throws UserError */
async function checkOptions(): Promise<readonly string[]> {
  const files = await findFiles(CHECK_FILES);
  const options = [
    ...readSetting(SETTINGS.assertions).flatMap(({ text }) => ["--assert", text]),
    ...files.flatMap(({ fsPath }) => ["--file", fsPath]),
    ...sloOption(),
  ];
  return options.length === 0 ? [] : [...options, "--slo-target", String(readSetting(SETTINGS.sloTarget))];
}

function sloOption(): readonly string[] {
  const objectives = objectivesOf(readSetting(SETTINGS.slo)).map(({ name, threshold }) => `${name}=${threshold}`);
  return objectives.length === 0 ? [] : ["--slo", objectives.join(",")];
}

/**
 * Of each folder of runs, among them those of the workspace, that has a starred run: its file, and that of the newest
 * run where it is another.
 */
async function starredRuns(runs: readonly RunInFolder[]) {
  const roots = (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const folders = new Set(
    runs.slice(0, MOST_RUNS).flatMap(({ directory }) => {
      const above = [directory];
      for (let at = directory; roots.some((root) => liesBelow(root, at)); above.push(at)) at = path.dirname(at);
      return above;
    }),
  );
  const found = await Promise.all(
    [...folders].map(async (folder) => {
      const notes = await readNotes(folder);
      const own = runs.flatMap(({ files: [file] }) =>
        file !== undefined && liesBelow(folder, file.path) ? [file.path] : [],
      );
      const isStarred = (file: string) => notes.get(runId(folder, file))?.star === true;
      const starred = own.find(isStarred);
      const [run] = own;
      return starred === undefined || run === undefined || run === starred ? [] : [{ folder, starred, run }];
    }),
  );
  return found.flat();
}

/** As notes name a run. */
function runId(folder: string, file: string): string {
  const { stem = path.basename(file) } = parseArtifactName(path.basename(file)) ?? {};
  return idBelow(folder, path.join(path.dirname(file), stem));
}

const keyOf = ({ text, file = "", line = 0 }: ListedCheck) => `${file}:${line}:${text}`;

const all = (items: Iterable<[id: string, item: TestItem]>) => [...items].map(([, item]) => item);

function leavesOf(item: TestItem): readonly TestItem[] {
  return item.children.size === 0 ? [item] : all(item.children).flatMap(leavesOf);
}

/** It was written by a command line of the same version. */
function isListed(value: unknown): value is ListedCheck {
  return isFields(value) && typeof value["text"] === "string";
}

/** As above. */
function isChecked(value: unknown): value is CheckJson {
  return isListed(value) && "passed" in value;
}
