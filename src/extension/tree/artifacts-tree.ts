import { t } from "@vscode/l10n";
import {
  Disposable,
  EventEmitter,
  RelativePattern,
  ThemeIcon,
  TreeItemCollapsibleState,
  Uri,
  window,
  workspace,
  type TreeDataProvider,
  type TreeItem,
} from "vscode";
import path from "node:path";
import { formatValue } from "../../core/catalog/display.js";
import type { OutputFolders } from "../capture/output-folder.js";
import { VIEW_IDS } from "../command-ids.js";
import type { Notifier } from "../notify.js";
import { fileUri } from "../file-uri.js";
import { watchFiles } from "../workbench-files.js";
import { treeItem } from "../workbench-text.js";
import { ARTIFACT_GLOB } from "../../core/artifacts/names.js";
import { groupArtifacts, type ArtifactFile, type ArtifactRun } from "./artifact-files.js";

export type ArtifactNode =
  { readonly kind: "run"; readonly run: ArtifactRun } | { readonly kind: "file"; readonly file: ArtifactFile };

/** Beyond this many files the oldest are of no use in a list. */
const LIMIT = 5000;
/** One run writes several files at once. */
const SETTLE_MS = 300;

/** The Artifacts tree: what lies in the workspace and in the output folder, newest run first. */
export class ArtifactsTree implements Disposable, TreeDataProvider<ArtifactNode> {
  private readonly changed = new EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscriptions: Disposable;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly folders: Pick<OutputFolders, "base">,
    private readonly notifier: Notifier,
  ) {
    const soon = () => this.refreshSoon();
    this.subscriptions = Disposable.from(
      window.createTreeView(VIEW_IDS.artifacts, { treeDataProvider: this, showCollapseAll: true, canSelectMany: true }),
      this.changed,
      watchFiles(ARTIFACT_GLOB, soon),
      workspace.onDidChangeWorkspaceFolders(soon),
    );
  }

  refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.changed.fire(), SETTLE_MS);
  }

  getTreeItem(node: ArtifactNode): TreeItem {
    return node.kind === "run" ? runItem(node.run) : fileItem(node.file);
  }

  async getChildren(node?: ArtifactNode): Promise<ArtifactNode[]> {
    if (node?.kind === "file") return [];
    if (node?.kind === "run") return node.run.files.map((file) => ({ kind: "file", file }));
    return (await this.runs()).map((run) => ({ kind: "run", run }));
  }

  /** What the tree shows: folders of artifacts, the newest first. */
  async runs(): Promise<readonly ArtifactRun[]> {
    return groupArtifacts(await this.find());
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
  }

  private async find(): Promise<ArtifactFile[]> {
    const searches = [workspace.findFiles(ARTIFACT_GLOB, "**/{node_modules,.git}/**", LIMIT)];
    const outside = this.outsideFolder();
    if (outside !== undefined)
      searches.push(workspace.findFiles(new RelativePattern(Uri.file(outside), ARTIFACT_GLOB), null, LIMIT));
    const uris = new Map((await Promise.all(searches)).flat().map((uri) => [uri.toString(), uri]));
    const files = await Promise.all([...uris.values()].map((uri) => this.describe(uri)));
    return files.filter((file) => file !== undefined);
  }

  /** An output folder that the workspace's own search does not reach. */
  private outsideFolder(): string | undefined {
    try {
      const base = this.folders.base();
      return base === undefined || workspace.getWorkspaceFolder(Uri.file(base)) !== undefined ? undefined : base;
    } catch (error) {
      this.notifier.log.debug(`output folder: ${String(error)}`);
      return undefined;
    }
  }

  /** Undefined for a file that went away in the meantime. */
  private async describe(uri: Uri): Promise<ArtifactFile | undefined> {
    try {
      const { mtime, size } = await workspace.fs.stat(uri);
      return { path: uri.fsPath, modified: mtime, bytes: size };
    } catch (error) {
      this.notifier.log.debug(`${uri.fsPath}: ${String(error)}`);
      return undefined;
    }
  }
}

function runItem({ directory, modified, files }: ArtifactRun): TreeItem {
  const item = treeItem({
    label: path.basename(directory),
    description: [...new Set(files.map((file) => path.extname(file.path).slice(1)))].join(", "),
    tooltip: `${directory}\n${new Date(modified).toLocaleString()}`,
    state: TreeItemCollapsibleState.Collapsed,
  });
  item.id = directory;
  item.resourceUri = fileUri(directory);
  item.iconPath = new ThemeIcon("archive");
  item.contextValue = "artifactRun";
  return item;
}

function fileItem({ path: file, bytes, modified }: ArtifactFile): TreeItem {
  const item = treeItem({
    label: path.basename(file),
    description: formatValue(bytes, "bytes"),
    tooltip: `${file}\n${new Date(modified).toLocaleString()}`,
    state: TreeItemCollapsibleState.None,
  });
  item.id = file;
  item.resourceUri = fileUri(file);
  item.contextValue = "artifactFile";
  item.command = { command: "vscode.open", title: t("Open"), arguments: [fileUri(file)] };
  return item;
}
