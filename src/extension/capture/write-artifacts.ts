import { t } from "@vscode/l10n";
import path from "node:path";
import { commands, env, UIKind, Uri, workspace } from "vscode";
import { UserError } from "../../core/text/errors.js";
import { ENGINE_ENDED } from "../../engine/client.js";
import type { ExportedFile, ExportOptions } from "../../protocol/index.js";
import { deleteJournal } from "../../files/journal/files.js";
import { artifactName, RICHEST_FIRST } from "../../core/artifacts/names.js";
import { runFolderName, freePath } from "../../files/folders.js";
import type { Notifier } from "../notify.js";
import { withEngineProgress } from "../progress.js";
import { SETTINGS } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";
import { confirm } from "../workbench-text.js";
import { isCancelled, problemWords, words } from "../words.js";
import type { OutputFolders } from "./output-folder.js";
import { existingNames } from "./export-folder.js";
import type { Captures } from "./captures.js";
import type { EngineRun } from "../engine.js";
import type { Problem } from "../../core/model/index.js";

export interface WriteParts {
  readonly folders: Pick<OutputFolders, "base" | "choose" | "ensure">;
  readonly notifier: Notifier;
  /** Files have been written or replaced. */
  onWritten(): void;
}

/** What to write; the directory is made when it does not exist. */
export type ArtifactRequest = Omit<ExportOptions, "verify">;

/** The artifacts every capture ends with, as the settings have them. @throws UserError */
export function defaultArtifacts(run: EngineRun, base: string): ArtifactRequest {
  const prefix = readSetting(SETTINGS.prefix);
  const formats = readSetting(SETTINGS.formats);
  // Only JSONL has room for the events of servers.
  const withEvents = run.header?.events === undefined ? formats : [...new Set([...formats, "jsonl" as const])];
  return {
    directory: path.join(base, runFolderName(run.startedAt, run.label)),
    formats: withEvents,
    summary: readSetting(SETTINGS.summaryFile),
    ...(prefix === "" ? {} : { prefix }),
  };
}

/**
 * Writes the artifacts of a run that just ended where the settings say, asking for a folder when nothing does.
 * The journal stays until this has succeeded.
 */
export async function saveRun(parts: WriteParts, run: EngineRun): Promise<void> {
  try {
    const base = await parts.folders.ensure();
    if (base === undefined) throw new UserError(t("The capture has not been saved: no folder was chosen."));
    const request = defaultArtifacts(run, base);
    // Two runs within one second with one label must not share a folder.
    const directory = await freePath((suffix) => request.directory + suffix);
    await writeArtifacts(parts, run, { ...request, directory });
  } catch (error) {
    offerAnotherWay(parts, run, error, () => saveRun(parts, run));
  }
}

export interface ShowParts extends WriteParts {
  readonly captures: Captures;
  showRun(run: EngineRun): void;
}

/** Shows a run that was read from elsewhere, and writes its artifacts. A running capture keeps the view. */
export async function showAndSave(parts: ShowParts, run: EngineRun): Promise<void> {
  const hold = run.hold();
  try {
    if (parts.captures.active === undefined) {
      parts.captures.setLatest(run);
      parts.showRun(run);
    }
    await saveRun(parts, run);
  } finally {
    hold.dispose();
  }
}

/** Writes artifacts with progress and Cancel; a failure ends in a message with Retry and Choose Another Folder. */
export async function writeArtifacts(parts: WriteParts, run: EngineRun, request: ArtifactRequest): Promise<void> {
  const { client } = run.engine;
  // Held so that closing the view or the next capture does not end the engine in the middle of a file.
  const hold = run.hold();
  try {
    const options = { ...request, csvSafe: readSetting(SETTINGS.csvSafe), verify: run.journalPath !== undefined };
    const { files, losses } = await withEngineProgress(
      client,
      { title: t("Writing server metrics"), request: "export" },
      (signal) => client.call("export", options, signal),
    );
    run.directory ??= request.directory;
    if (settles(request)) await discardJournal(run);
    parts.onWritten();
    announce(parts.notifier, request.directory, files);
    const lost = losses.filter(({ severity }) => severity !== "info").map(problemWords);
    // In one message: of several at once the workbench would leave some out.
    if (lost.length > 0) parts.notifier.warn(lost.join(" "));
  } catch (error) {
    offerAnotherWay(parts, run, error, () => writeArtifacts(parts, run, request), request);
  } finally {
    hold.dispose();
  }
}

/** Asks before files are replaced. */
export async function mayReplace(folder: string, names: readonly string[]): Promise<boolean> {
  const taken = await existingNames(folder, names);
  if (taken.length === 0) return true;
  const what = taken.length === 1 ? (taken[0] ?? "") : t`${taken.length} files`;
  const detail = t`${folder} holds ${taken.join(", ")} already. This cannot be undone.`;
  return (await confirm(t`Replace ${what}?`, detail, t("Replace"))) === t("Replace");
}

function offerAnotherWay(
  parts: WriteParts,
  run: EngineRun,
  error: unknown,
  retry: () => Promise<void>,
  request?: ArtifactRequest,
): void {
  const message = isCancelled(error) ? t("Writing the artifacts was cancelled.") : words(error);
  const kept =
    run.journalPath === undefined
      ? ""
      : t(
          " The capture is kept in memory while this window is open, and its journal until artifacts have been written.",
        );
  if (error instanceof UserError && error.code === ENGINE_ENDED) {
    // The run went with its engine: there is nothing left to try again with.
    parts.notifier.error(
      new UserError(
        message,
        run.journalPath === undefined ? undefined : t("Its journal is kept: recover it from there."),
      ),
      ...(run.journalPath === undefined
        ? []
        : [{ title: t("Recover"), run: () => commands.executeCommand("serverMetrics.recoverCaptures") }]),
    );
    return;
  }
  // Held for the message's life: a button pressed late must still find the run.
  const hold = run.hold();
  const elsewhere = async () => {
    const directory = await parts.folders.choose(t("Folder for the Artifacts"));
    if (directory === undefined) return;
    const elsewhere = { ...(request ?? defaultArtifacts(run, directory)), directory };
    const names = elsewhere.formats.map((format) => artifactName(format, elsewhere.prefix));
    if (await mayReplace(directory, names)) await writeArtifacts(parts, run, elsewhere);
  };
  const closed = parts.notifier.errorUntilClosed(
    new UserError(message + kept),
    { title: t("Retry"), run: retry },
    { title: t("Choose Another Folder…"), run: elsewhere },
  );
  void closed.then(() => {
    hold.dispose();
  });
}

/**
 * Whether nothing of the capture is lost without its journal: every sample is in the files, or the user wants no more
 * than these.
 */
function settles({ formats }: ArtifactRequest): boolean {
  return (
    formats.some((format) => format === "parquet" || format === "jsonl") ||
    readSetting(SETTINGS.formats).every((format) => formats.includes(format))
  );
}

/** Of a run that is written and read back, or has nothing to write: the journal has done its work. */
export async function discardJournal(run: EngineRun): Promise<void> {
  if (run.journalPath === undefined) return;
  await deleteJournal(run.journalPath);
  run.journalPath = undefined;
}

function announce(notifier: Notifier, directory: string, files: readonly ExportedFile[]): void {
  const names = files.map((file) => (file.format === "parquet" ? t("Parquet") : file.format.toUpperCase())).join(", ");
  // As in the tree: the file that tells most of the run.
  const [first] = RICHEST_FIRST.flatMap((format) => files.filter((file) => file.format === format)).concat(files);
  if (first === undefined) return;
  notifier.info(
    t`Server metrics written as ${names} to ${path.basename(directory)}.`,
    { title: t("Open"), run: () => commands.executeCommand("vscode.open", Uri.file(first.path)) },
    { title: t("Reveal"), run: () => reveal(Uri.file(first.path)) },
    { title: t("Copy Path"), run: () => env.clipboard.writeText(directory) },
  );
}

/** In the Explorer when the file is in the workspace, else in the system's file manager, where there is one. */
export async function reveal(uri: Uri): Promise<void> {
  if (workspace.getWorkspaceFolder(uri) !== undefined) await commands.executeCommand("revealInExplorer", uri);
  else if (env.uiKind === UIKind.Desktop && env.remoteName === undefined)
    await commands.executeCommand("revealFileInOS", uri);
  else await commands.executeCommand("vscode.open", uri);
}

/**
 * The final scrape, then the artifacts; where nothing has answered, none of it is kept. Does nothing when no capture
 * runs.
 */
export async function stopCapture(captures: Captures, parts: WriteParts): Promise<void> {
  if (captures.state.kind !== "capturing") return;
  const { run } = captures.state;
  captures.setState({ kind: "stopping", run });
  let nothing: Problem | null;
  try {
    // The status bar says so. No notification does: the workbench shows three within a moment, and a fourth not at all,
    // which would be what the end of a capture has to tell.
    nothing = await run.engine.client.call("stopCapture", {});
    await run.refresh();
  } finally {
    // The engine holds all scrapes even when the last one failed; a crashed engine has set the state itself.
    if (captures.active === run) captures.setState({ kind: "idle" });
  }
  if (nothing === null) return saveRun(parts, run);
  await discardJournal(run);
  parts.notifier.warn(problemWords(nothing));
}
