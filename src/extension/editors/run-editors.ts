import { t } from "@vscode/l10n";
import {
  Disposable,
  TabInputCustom,
  TabInputText,
  Uri,
  commands,
  window,
  type CustomReadonlyEditorProvider,
  type Tab,
  type WebviewPanel,
} from "vscode";
import path from "node:path";
import { UserError } from "../../core/text/errors.js";
import { CONTEXT_KEYS, EDITOR_TYPES } from "../command-ids.js";
import type { RunFiles } from "../../files/open/siblings.js";
import type { RunHeader } from "../../protocol/index.js";
import { isArtifact } from "../../core/artifacts/names.js";
import { filePath } from "../file-uri.js";
import { closed } from "../view/left-tabs.js";
import { loadRunLayout, saveRunLayout } from "../view/layouts.js";
import { copyForPage } from "../view/page.js";
import { RunPanel, type RunPanelHost, type RunPanelParts } from "../view/run-panel.js";
import { openRunFile } from "../workbench-files.js";
import { RunDocument, type DocumentParts } from "./run-document.js";
import { layoutOf, linkTo, type LinkContext, type RunLink } from "./run-link.js";

/** Custom editors that show a file as a run: by default those named as artifacts are, and any other by choice. */
export class RunEditors implements Disposable, CustomReadonlyEditorProvider<RunDocument> {
  private readonly documents = new Set<RunDocument>();
  private readonly registrations: Disposable;

  constructor(
    private readonly panelParts: RunPanelParts,
    private readonly parts: DocumentParts,
  ) {
    // A page is built anew when it is shown: kept ones would cost a browser frame each.
    const register = (type: string) =>
      window.registerCustomEditorProvider(type, this, { supportsMultipleEditorsPerDocument: true });
    const types = Object.values(EDITOR_TYPES);
    this.registrations = Disposable.from(...types.map(register));
    for (const type of types) panelParts.leftTabs.replace(type, (tab) => void reopen(tab));
  }

  async openCustomDocument(uri: Uri): Promise<RunDocument> {
    const document: RunDocument = new RunDocument(uri, await runOf(uri), {
      ...this.parts,
      onDispose: () => this.documents.delete(document),
      onFollowing: () => this.reportFollowed(),
    });
    this.documents.add(document);
    return document;
  }

  resolveCustomEditor(document: RunDocument, webview: WebviewPanel): void {
    if (hasTab(document.uri) && this.revealOther(document)) {
      // Not before the workbench has what it waits for.
      setImmediate(() => {
        webview.dispose();
      });
      return;
    }
    const panel = new RunPanel(webview, this.panelParts);
    document.attach(panel, (title, source) => panel.show(title, source, this.host(document)));
  }

  /** Shows a file as a run, in place of its text where that is in front. */
  async openAsRunView(argument: unknown): Promise<void> {
    const uri = fileOf(argument);
    await this.swap(uri, isArtifact(path.posix.basename(uri.path)) ? EDITOR_TYPES.run : EDITOR_TYPES.anyFile);
  }

  /** Shows a file as text, in place of its run. */
  async openAsText(argument: unknown): Promise<void> {
    await this.swap(fileOf(argument), "default");
  }

  /** **Add Client Results…** to the run of an editor: files of its client. */
  async addClient(argument: unknown): Promise<void> {
    const document = this.document(argument);
    const chosen = await window.showOpenDialog({
      canSelectMany: true,
      canSelectFolders: true,
      openLabel: t("Add"),
      title: t("Results of AIPerf, GuideLLM, vllm bench serve, inference-perf or llm-d, or their folder"),
    });
    if (chosen !== undefined) await document.addClient(chosen.map(({ fsPath }) => fsPath));
  }

  /** What is known of the run in the editor in front; undefined where there is none, or it could not be read. */
  async shownRun(): Promise<RunHeader | undefined> {
    return this.documentOf(uriInFront())?.header();
  }

  /** Shows what a link names, in a page built anew. @throws UserError */
  async openLink(uri: Uri, link: RunLink): Promise<void> {
    const run = await runOf(uri);
    const [shown = uri.fsPath] = run.paths;
    const { memory: layouts } = this.panelParts;
    for (const open of this.documents)
      if (open.run.id === run.id) for (const tab of tabsOf(open.uri)) await window.tabGroups.close(tab);
    await saveRunLayout(layouts, run.id, shown, layoutOf(link, loadRunLayout(layouts, run.id, shown)));
    await openRunFile(shown);
  }

  /** **Copy Link**: to the run of an editor, with its charts and the time they show. */
  async copyLink(context: LinkContext, argument: unknown): Promise<void> {
    const document = this.document(argument);
    const layout = loadRunLayout(this.panelParts.memory, document.run.id, document.shownFile);
    await copyForPage({ text: linkTo(context, document.uri, layout), what: t("the link to the run") });
  }

  dispose(): void {
    this.registrations.dispose();
    for (const document of this.documents) document.dispose();
  }

  /** The tab that shows the same run already. */
  private revealOther(document: RunDocument): boolean {
    const [best] = document.run.paths;
    // What is not on disk has no files that could be another's, too.
    if (best === undefined) return false;
    return [...this.documents].some(
      (other) =>
        other !== document &&
        other.run.paths[0] === best &&
        // A preview is just being replaced by this one.
        hasTab(other.uri) &&
        other.reveal(),
    );
  }

  /** For the commands of each editor's title. */
  private reportFollowed(): void {
    const followed = [...this.documents].filter((document) => document.isFollowed).map(({ uri }) => uri.fsPath);
    void commands.executeCommand("setContext", CONTEXT_KEYS.followedFiles, followed);
  }

  private documentOf(uri: Uri | undefined): RunDocument | undefined {
    return [...this.documents].find((one) => one.uri.toString() === uri?.toString());
  }

  /** The run of an editor. @throws UserError where there is none */
  document(argument: unknown): RunDocument {
    const uri = fileOf(argument);
    const document = this.documentOf(uri);
    if (document === undefined)
      throw new UserError(
        t`${path.posix.basename(uri.path)} is not open as a run.`,
        t("Use “Open as Run View” first."),
      );
    return document;
  }

  /**
   * Opens the file in another kind of editor and closes the one in front, unless that is pinned or has changes of the
   * user's.
   */
  private async swap(uri: Uri, editor: string): Promise<void> {
    const tab = window.tabGroups.activeTabGroup.activeTab;
    const isReplaced = uriInFront()?.toString() === uri.toString() && tab?.isDirty === false && !tab.isPinned;
    // As a preview it might take the place of the tab that is closed next.
    await commands.executeCommand("vscode.openWith", uri, editor, { preview: false });
    if (isReplaced) await window.tabGroups.close(tab, true);
  }

  private host(document: RunDocument): RunPanelHost {
    const { id } = document.run;
    return {
      captureCommand: async (params) => {
        if (params.command === "exportAs") await document.exportAs();
        else await this.panelParts.actions.captureCommand(params, undefined);
      },
      // A saved run's endpoints are not asked any more.
      endpointCommand: () => null,
      showFile: (file) => document.showFile(file.path),
      loadLayout: () => loadRunLayout(this.panelParts.memory, id, document.shownFile),
      saveLayout: (layout) => saveRunLayout(this.panelParts.memory, id, document.shownFile, layout),
    };
  }
}

async function runOf(uri: Uri): Promise<RunFiles> {
  const file = filePath(uri);
  if (file === undefined) return { id: uri.toString(), name: path.posix.basename(uri.path), paths: [] };
  const { artifactOf, runFilesOf } = await import("../run-files.js");
  // What is wrong with it is said by the engine that reads it.
  return runFilesOf(await artifactOf(file).catch(() => file));
}

/** Whether a file's run has a tab of its own, and is not one side of a comparison of texts. */
function hasTab(uri: Uri): boolean {
  return tabsOf(uri).length > 0;
}

function tabsOf(uri: Uri): readonly Tab[] {
  return window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.filter(({ input }) => input instanceof TabInputCustom && input.uri.toString() === uri.toString()),
  );
}

/** An editor that an ended extension host has left is resolved anew by the workbench only when it is opened anew. */
async function reopen(tab: Tab): Promise<void> {
  const { input, isPreview: preview } = tab;
  const { viewColumn, isActive } = tab.group;
  if (!(input instanceof TabInputCustom) || !(await closed(tab))) return;
  const options = { viewColumn, preview, preserveFocus: !isActive };
  await commands.executeCommand("vscode.openWith", input.uri, input.viewType, options);
}

/** The file a command is about: that of its menu, or the one in front. @throws UserError when there is none */
export function fileOf(argument: unknown): Uri {
  const uri = argument instanceof Uri ? argument : uriInFront();
  if (uri === undefined) throw new UserError(t("No file is open in the active editor."), t("Open one first."));
  return uri;
}

function uriInFront(): Uri | undefined {
  const input = window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof TabInputCustom || input instanceof TabInputText ? input.uri : undefined;
}
