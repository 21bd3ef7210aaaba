import { t } from "@vscode/l10n";
import path from "node:path";
import { commands, Uri, window, workspace } from "vscode";
import type { Notifier } from "../notify.js";

/** A text that is to be saved, and what it is called. */
export interface SavedText {
  readonly title: string;
  readonly folder: string;
  readonly file: string;
  /** Of the files: "CSV". */
  readonly kind: string;
  readonly extension: string;
  readonly text: string | Uint8Array;
  /** What was written, at the beginning of a sentence. */
  readonly what: string;
}

/** Asks where to save a text, writes it and says so. */
export async function saveText(notifier: Notifier, saved: SavedText): Promise<void> {
  const { title, folder, file, kind, extension, text, what } = saved;
  const uri = await window.showSaveDialog({
    title,
    defaultUri: Uri.joinPath(Uri.file(folder), file),
    filters: { [kind]: [extension] },
  });
  if (uri === undefined) return;
  await workspace.fs.writeFile(uri, typeof text === "string" ? new TextEncoder().encode(text) : text);
  notifier.info(t`${what} written to ${path.posix.basename(uri.path)}.`, {
    title: t("Open"),
    run: () => commands.executeCommand("vscode.open", uri),
  });
}
