import path from "node:path";
import { window, workspace, type Memento } from "vscode";
import { SETTINGS } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";

const REMEMBERED = "serverMetrics.folderWithoutWorkspace";

/** Finds where runs are written, and remembers the folder chosen when no workspace says so. */
export class OutputFolders {
  constructor(private readonly globalState: Memento) {}

  /** The folder that holds all runs; undefined when there is no workspace and none has been chosen yet. */
  base(): string | undefined {
    const configured = readSetting(SETTINGS.outputFolder);
    if (path.isAbsolute(configured)) return configured;
    const folder = workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
    if (folder !== undefined) return path.join(folder.uri.fsPath, configured);
    return this.globalState.get<string>(REMEMBERED);
  }

  /** As `base`, but asks for a folder once when there is none. @returns undefined when the user declines. */
  async ensure(): Promise<string | undefined> {
    const known = this.base();
    if (known !== undefined) return known;
    const chosen = await this.choose("Folder for Server Metrics Captures");
    if (chosen !== undefined) await this.globalState.update(REMEMBERED, chosen);
    return chosen;
  }

  async choose(title: string, openLabel = "Write Artifacts Here"): Promise<string | undefined> {
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
