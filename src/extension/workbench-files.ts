import { Disposable, workspace, Uri, commands, window, type GlobPattern } from "vscode";
import { artifactFiles } from "./tree/arguments.js";
import { filePath, fileUri } from "./file-uri.js";
import { EDITOR_TYPES } from "./command-ids.js";
import { t } from "@vscode/l10n";
import path from "node:path";
import type { Notifier } from "./notify.js";

/** Tells when a file of a pattern is made, changed or deleted. */
export function watchFiles(pattern: GlobPattern, listener: (file: Uri) => void): Disposable {
  const watcher = workspace.createFileSystemWatcher(pattern);
  return Disposable.from(
    watcher,
    watcher.onDidCreate(listener),
    watcher.onDidChange(listener),
    watcher.onDidDelete(listener),
  );
}

const MOST_FILES = 100;

/** Files of the workspace by a pattern of their names, in the editor's own list of files. */
export function findFiles(names: string): Thenable<Uri[]> {
  return workspace.findFiles(`**/${names}`, "**/node_modules/**", MOST_FILES);
}

/** The files that a row of the Artifacts tree, or a file of the Explorer, stands for; none for anything else. */
export function selectedFiles(argument: unknown): readonly string[] {
  if (!(argument instanceof Uri)) return artifactFiles(argument);
  const file = filePath(argument);
  return file === undefined ? [] : [file];
}

/** Shows a file as a run, whatever its name; one that cannot be read says so in its editor. */
export async function openRunFile(path: string): Promise<void> {
  await commands.executeCommand("vscode.openWith", fileUri(path), EDITOR_TYPES.run, { preview: false });
}

/** The folder that was clicked, else one that is asked for; undefined when the user declines. */
export async function chosenFolder(clicked: unknown, openLabel: string): Promise<Uri | undefined> {
  if (clicked instanceof Uri) return clicked;
  const chosen = await window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, openLabel });
  return chosen?.[0];
}

/**
 * **Open Folder as Run**: the run that a folder holds, its servers' artifact with the client's results beside it, or
 * those alone. The folder is asked for unless one is clicked.
 * @throws UserError when it holds no run or several
 */
export async function openRunFolder(clicked: unknown): Promise<void> {
  const folder = await chosenFolder(clicked, t("Open Run"));
  if (folder === undefined) return;
  const { artifactOf } = await import("./run-files.js");
  await openRunFile(await artifactOf(folder.fsPath));
}

/** What views are saved as. */
export const FILE_FORMATS = {
  markdown: { name: t("Markdown"), extension: "md" },
  csv: { name: "CSV", extension: "csv" },
  json: { name: "JSON", extension: "json" },
  parquet: { name: "Parquet", extension: "parquet" },
} as const;

/** A text that is to be saved, and what it is called. */
interface SavedText {
  readonly title: string;
  readonly folder: string;
  /** Without its extension. */
  readonly file: string;
  readonly format: keyof typeof FILE_FORMATS;
  readonly text: string | Uint8Array;
  /** What was written, at the beginning of a sentence. */
  readonly what: string;
}

/** Asks where to save a text, writes it and says so. */
export async function saveText(notifier: Notifier, saved: SavedText): Promise<void> {
  const { title, folder, file, format, text, what } = saved;
  const { name, extension } = FILE_FORMATS[format];
  const uri = await window.showSaveDialog({
    title,
    defaultUri: Uri.joinPath(Uri.file(folder), `${file}.${extension}`),
    filters: { [name]: [extension] },
  });
  if (uri === undefined) return;
  await workspace.fs.writeFile(uri, typeof text === "string" ? new TextEncoder().encode(text) : text);
  notifier.info(t`${what} written to ${path.posix.basename(uri.path)}.`, {
    title: t("Open"),
    run: () => commands.executeCommand("vscode.open", uri),
  });
}
