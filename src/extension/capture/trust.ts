import { t } from "@vscode/l10n";
import { commands, workspace } from "vscode";
import { confirm } from "../workbench-text.js";

const OF_CAPTURES = t(
  "A capture sends requests to endpoints and writes files. Trust the workspace, then start the capture again.",
);

/**
 * Whether a capture may begin: it sends requests and writes files. In a workspace that is not trusted the user is asked
 * to trust it first, and starts the capture again when that is done.
 * @param detail of something else that is done only in trusted workspaces
 */
export async function mayCapture(detail = OF_CAPTURES): Promise<boolean> {
  if (workspace.isTrusted) return true;
  const manage = t("Manage Workspace Trust");
  const chosen = await confirm(t("This workspace is not trusted."), detail, manage);
  if (chosen === manage) await commands.executeCommand("workbench.trust.manage");
  return false;
}
