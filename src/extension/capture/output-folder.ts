import { t } from "@vscode/l10n";
import { existsSync } from "node:fs";
import path from "node:path";
import { window, workspace, type Memento } from "vscode";
import { SETTINGS } from "../settings/definitions.js";
import { isOfWorkspace, openedFolder, readSetting, userValue } from "../settings/read.js";

const REMEMBERED = "serverMetrics.folderWithoutWorkspace";

/** Where agents find runs. */
export interface AgentRoot {
  readonly folder: string;
  /** A folder that it must really lie in, wherever links lead; absent: anywhere. */
  readonly inside?: string;
}

/** Finds where runs are written, and remembers the folder chosen when no workspace says so. */
export class OutputFolders {
  constructor(private readonly globalState: Memento) {}

  /** The folder that holds all runs; undefined when there is no workspace and none has been chosen yet. */
  base(): string | undefined {
    const configured = readSetting(SETTINGS.outputFolder);
    if (path.isAbsolute(configured)) return configured;
    const folder = openedFolder();
    if (folder !== undefined) return path.join(folder, configured);
    return this.globalState.get<string>(REMEMBERED);
  }

  /** The folder whose runs are listed: that of captures, or all that is open where it is not there yet. */
  ofRuns(): string | undefined {
    const folder = this.base();
    return folder !== undefined && existsSync(folder) ? folder : openedFolder();
  }

  /**
   * As `base`, for agents. What a repository says of it, by its settings or by links, must not lead out of it: only the
   * user's own settings name a folder elsewhere.
   */
  forAgents(): AgentRoot | undefined {
    const folder = this.base();
    if (folder === undefined) return undefined;
    const opened = openedFolder();
    if (opened === undefined && isOfWorkspace(SETTINGS.outputFolder)) return undefined;
    return opened === undefined || (path.isAbsolute(folder) && userValue(SETTINGS.outputFolder) === folder)
      ? { folder }
      : { folder, inside: opened };
  }

  /** As `base`, but asks for a folder once when there is none. @returns undefined when the user declines. */
  async ensure(): Promise<string | undefined> {
    const known = this.base();
    if (known !== undefined) return known;
    const chosen = await this.choose(t("Folder for Server Metrics Captures"));
    if (chosen !== undefined) await this.globalState.update(REMEMBERED, chosen);
    return chosen;
  }

  async choose(title: string, openLabel = t("Write Artifacts Here")): Promise<string | undefined> {
    const base = this.base();
    const chosen = await window.showOpenDialog({
      title,
      openLabel,
      canSelectFiles: false,
      canSelectFolders: true,
      canSelectMany: false,
      ...(base === undefined || workspace.workspaceFolders?.[0] === undefined
        ? {}
        : { defaultUri: workspace.workspaceFolders[0].uri }),
    });
    return chosen?.[0]?.fsPath;
  }
}
