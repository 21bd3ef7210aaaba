import { t } from "@vscode/l10n";
import path from "node:path";
import { commands, Disposable, EventEmitter, RelativePattern, Uri, workspace, window, type Memento } from "vscode";
import { UserError } from "../../core/text/index.js";
import { figureColumn } from "../../core/library/measured.js";
import { ChannelServer, LIBRARY_GUARDS } from "../../protocol/index.js";
import {
  SWEEP_PLOT,
  type LibraryEvents,
  type LibraryHostEvents,
  type LibraryLayout,
  type LibraryViewRequests,
  type RunningCapture,
} from "../../protocol/library.js";
import type { Captures } from "../capture/captures.js";
import { FolderEngine, type EngineRun, type SpawnEngine } from "../engine.js";
import { MEMORY_KEYS, VIEW_TYPES } from "../command-ids.js";
import type { Comparisons } from "../compare/comparisons.js";
import { writeExperiment } from "../experiment/new-experiment.js";
import type { Notifier } from "../notify.js";
import { objectivesOf, SETTINGS } from "../settings/definitions.js";
import { onSettings, openedFolder, readSetting } from "../settings/read.js";
import { webviewPort } from "../view/bridge.js";
import { FolderPanels, type FolderPanelsParts } from "../view/folder-panels.js";
import { LayoutMemory } from "../view/layouts.js";
import { chosenFolder, FILE_FORMATS, openRunFile, saveText } from "../workbench-files.js";
import { copyForPage } from "../view/page.js";
import { readdir, mkdtemp, writeFile } from "node:fs/promises";
import { plural } from "../../core/text/plural.js";
import { parseArtifactName, SUMMARY_HEAD, summaryName } from "../../core/artifacts/names.js";
import { headOf } from "../../files/bytes.js";
import { liesBelow } from "../../files/opener.js";
import { isThere } from "../../files/folders.js";
import { confirm, openTerminal } from "../workbench-text.js";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { bareShellWord } from "../../core/text/shell-word.js";

interface RunsPanelsParts extends FolderPanelsParts {
  readonly spawnEngine: SpawnEngine;
  readonly cliPath: string;
  readonly comparisons: Pick<Comparisons, "compareRuns">;
  readonly notifier: Notifier;
  readonly captures: Captures;
  readonly showRun: (run: EngineRun) => void;
}

const layouts = new LayoutMemory<LibraryLayout>("serverMetrics.libraryLayouts", 50);

/** Of its folder, where it is open already. */
const sweepAsked = new EventEmitter<string>();

function capturing({ active }: Captures): RunningCapture | null {
  if (active?.header === undefined) return null;
  const { header, tiles, label, startedAt } = active;
  const figures = tiles.flatMap(({ family, statistic, value }) => {
    const column = figureColumn(family, statistic);
    return column === undefined || Number.isNaN(value) ? [] : [[column, value] as const];
  });
  return {
    ...Object.fromEntries(figures),
    time: startedAt.getTime(),
    duration: Math.round(header.elapsedSeconds ?? 0),
    server: [...new Set(header.endpoints.flatMap(({ servers }) => servers))].join(", "),
    ...(label === undefined ? {} : { label }),
  };
}

/** The experiment whose runs lie in a folder, by its file beside that. @throws UserError where there is none */
async function showExperiment(out: string): Promise<void> {
  const found = await workspace.findFiles(
    new RelativePattern(Uri.file(path.dirname(out)), `${path.basename(out)}{.experiment,}.{yaml,yml,json}`),
  );
  const [file] = found;
  if (file === undefined)
    throw new UserError(
      t("There is no run in {0} any more, and no file of an experiment beside it.", out),
      t("Open the experiment's file, and choose Show."),
    );
  await commands.executeCommand("serverMetrics.showExperiment", file);
}

/** **Show Runs**: the runs of a folder as a table. */
export function runsPanels(parts: RunsPanelsParts): FolderPanels {
  const { memory, notifier } = parts;
  return new FolderPanels(parts, {
    viewType: VIEW_TYPES.library,
    memoryKey: MEMORY_KEYS.libraries,
    view: "library",
    title: t("Runs"),
    answer: (panel, folder) => {
      const changed = () => server.emit("libraryChanged", {});
      const reader = new FolderEngine(folder, parts.spawnEngine, (engine) => {
        engine.client.on("libraryChanged", changed);
        // Nobody asks while it reads: the page does, and has another read on.
        void engine.crashed.then((reason) => reason !== undefined && changed());
      });
      const { ask } = reader;
      const filesOf = (runs: readonly string[]) => ask((client, of) => client.call("filesOfRuns", { ...of, runs }));
      const firstOf = async (runs: readonly string[]) => (await filesOf(runs)).flatMap(([first]) => first ?? []);
      const judging = () => ({
        thresholds: readSetting(SETTINGS.insightThresholds),
        objectives: objectivesOf(readSetting(SETTINGS.slo)),
      });
      const views = () => ask((client, of) => client.call("libraryViews", of));
      const server = new ChannelServer<LibraryViewRequests, LibraryEvents & LibraryHostEvents>(
        webviewPort(panel.webview),
        {
          libraryRuns: (choice, signal) =>
            ask((client, of) => client.call("libraryRuns", { ...of, choice, judging: judging() }, signal)),
          libraryColumns: (_, signal) => ask((client, of) => client.call("libraryColumns", of, signal)),
          libraryHistory: (history, signal) =>
            ask((client, of) => client.call("libraryHistory", { ...of, ...history }, signal)),
          sweepRuns: (chosen, signal) => ask((client, of) => client.call("sweepRuns", { ...of, ...chosen }, signal)),
          noteRuns: (noted) => ask((client, of) => client.call("noteRuns", { ...noted, ...of })),
          openRuns: async ({ runs }) => {
            for (const [i, [file]] of (await filesOf(runs)).entries())
              await (file === undefined ? showExperiment(path.join(folder, runs[i] ?? "")) : openRunFile(file));
          },
          openFile: (file) => openRunFile(file.path),
          compareRuns: async ({ runs }) => {
            await parts.comparisons.compareRuns(
              undefined,
              (await firstOf(runs)).map((file) => Uri.file(file)),
            );
          },
          repeatRuns: async ({ runs }) => {
            await writeExperiment(parts.cliPath, "repeats", ["--from", ...(await firstOf(runs))]);
          },
          saveRuns: async ({ format, choice }) => {
            const csvSafe = readSetting(SETTINGS.csvSafe);
            const text = await ask((client, of) => client.call("libraryText", { ...of, format, choice, csvSafe }));
            return saveText(notifier, {
              title: t`Save the Runs as ${FILE_FORMATS[format].name}`,
              folder: openedFolder() ?? folder,
              file: "runs",
              format,
              text: typeof text === "string" ? `${text}\n` : text,
              what: t("The table was"),
            });
          },
          exportReport: parts.reports.offer(panel, async (files, signal) => {
            const { plot } = layouts.load(memory, folder) ?? {};
            const runs = await ask((client, of) => client.call("reportedRuns", of, signal));
            return files.reportOfRuns(runs, { signal, ...(plot === undefined ? {} : { plot }) });
          }),
          deleteRuns: async ({ runs }) => {
            if (!(await deleteRuns(folder, await filesOf(runs)))) return;
            const edit = { label: "", note: "", tags: [], star: false, archived: false };
            return ask((client, of) => client.call("noteRuns", { ...of, runs, edit }));
          },
          querySql: async ({ how }) => {
            if (how === "open") await openSql(notifier, await views());
            else await copyForPage({ text: sqlCommand(folder), what: t("the command") });
          },
          capturing: () => capturing(parts.captures),
          showCapture: () => {
            if (parts.captures.active !== undefined) parts.showRun(parts.captures.active);
          },
          copy: copyForPage,
          loadLibraryLayout: () => layouts.load(memory, folder),
          saveLibraryLayout: (layout) => layouts.save(memory, folder, layout),
        },
        LIBRARY_GUARDS,
      );
      const following = parts.captures.onDidChange(() => server.emit("capturing", capturing(parts.captures)));
      const judged = onSettings([SETTINGS.slo, SETTINGS.insightThresholds], changed);
      const swept = sweepAsked.event((of) => of === folder && server.emit("sweepAsked", {}));
      return Disposable.from(server, reader, following, judged, swept);
    },
  });
}

/** **Open Sweep…**: the runs of a folder with throughput against latency. */
export async function openSweep(panels: FolderPanels, memory: Memento, clicked: unknown): Promise<void> {
  const uri = await chosenFolder(clicked, t("Open Sweep"));
  if (uri === undefined) return;
  const folder = uri.fsPath;
  const { plot = SWEEP_PLOT, ...layout } = layouts.load(memory, folder) ?? { choice: {}, widths: {} };
  await layouts.save(memory, folder, { ...layout, plot: { ...plot, kind: "sweep" } });
  sweepAsked.fire(folder);
  await panels.openFolder(uri);
}

const MOST_NAMED = 10;
const TO_TRASH = t("Move to Trash");
const FOR_GOOD = t("Delete Permanently");

/**
 * Asks, and moves the files of runs to the trash; where there is none, as over Remote-SSH, asks once more and deletes
 * them. Folders that hold nothing else then go, too.
 * @param runs files of each
 * @returns whether they were deleted
 */
async function deleteRuns(folder: string, runs: readonly (readonly string[])[]): Promise<boolean> {
  const artifacts = runs.flat();
  const files = [...artifacts, ...(await summariesOf(artifacts))];
  const named = files.slice(0, MOST_NAMED).map((file) => path.relative(folder, file));
  const left = files.length - named.length;
  const lines = [...named, ...(left > 0 ? [t`and ${plural(left, t("more file"), t("more files"))}`] : [])];
  const runsText = plural(runs.length, t("run"), t("runs"));
  if ((await confirm(t`Delete ${runsText}?`, lines, TO_TRASH)) !== TO_TRASH) return false;
  let useTrash = true;
  const remove = (target: string) => workspace.fs.delete(Uri.file(target), { useTrash });
  const [first, ...others] = files;
  if (first === undefined) return true;
  try {
    await remove(first);
  } catch (error) {
    if (!(await isThere(first))) throw error;
    if ((await confirm(t`There is no trash here. Delete ${runsText} for good?`, lines, FOR_GOOD)) !== FOR_GOOD)
      return false;
    useTrash = false;
    await remove(first);
  }
  for (const file of others) await remove(file);
  for (const directory of new Set(files.map((file) => path.dirname(file)))) {
    const names = liesBelow(folder, directory) ? await readdir(directory).catch(() => [""]) : [""];
    if (names.length === 0) await remove(directory);
  }
  return true;
}

/** The summaries beside these artifacts. A file of that name that a person wrote is none. */
async function summariesOf(artifacts: readonly string[]): Promise<readonly string[]> {
  const paths = artifacts.map((file) =>
    path.join(path.dirname(file), summaryName(parseArtifactName(path.basename(file))?.prefix)),
  );
  const heads = [...new Set(paths)].map(async (file) => {
    const head = await headOf(file, SUMMARY_HEAD.length, {}).catch(() => undefined);
    return new TextDecoder().decode(head) === SUMMARY_HEAD ? [file] : [];
  });
  return (await Promise.all(heads)).flat();
}

/** The command line's question about a folder, to be completed. */
function sqlCommand(folder: string): string {
  return `npx server-metrics sql ${bareShellWord(folder)} "SELECT * FROM runs"`;
}

/** Opens DuckDB in a terminal, with the views of a folder's runs; without it, the statements that make them. */
async function openSql(notifier: Notifier, views: string): Promise<void> {
  if (!(await isInstalled("duckdb"))) {
    await window.showTextDocument(await workspace.openTextDocument({ language: "sql", content: views }));
    notifier.info(t("The command duckdb was not found. These statements make the views runs, samples and statistics."));
    return;
  }
  const file = path.join(await mkdtemp(path.join(tmpdir(), "server-metrics-sql-")), "views.sql");
  await writeFile(file, views);
  openTerminal("DuckDB", "duckdb", ["-init", file]);
}

function isInstalled(command: string): Promise<boolean> {
  return new Promise((resolve) => {
    spawn(command, ["--version"], { stdio: "ignore" })
      .once("error", () => resolve(false))
      .once("close", (code) => resolve(code === 0));
  });
}
