import { t } from "@vscode/l10n";
import { Uri, window } from "vscode";
import { openRunFile } from "./open-file.js";

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
  const { artifactOf } = await import("../run-files.js");
  await openRunFile(await artifactOf(folder.fsPath));
}
