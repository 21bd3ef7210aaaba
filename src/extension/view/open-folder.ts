import { t } from "@vscode/l10n";
import { Uri, window } from "vscode";
import { openRunFile } from "./open-file.js";

/**
 * **Open Folder as Run**: the run that a folder holds, its servers' artifact with the client's results beside it, or
 * those alone. The folder is asked for unless one is clicked.
 * @throws UserError when it holds no run or several
 */
export async function openRunFolder(clicked: unknown): Promise<void> {
  const [uri] =
    clicked instanceof Uri
      ? [clicked]
      : ((await window.showOpenDialog({
          canSelectFiles: false,
          canSelectFolders: true,
          openLabel: t("Open Run"),
        })) ?? []);
  if (uri === undefined) return;
  const { artifactOf } = await import("../run-files.js");
  await openRunFile(await artifactOf(uri.fsPath));
}
