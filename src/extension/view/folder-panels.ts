import { t } from "@vscode/l10n";
import path from "node:path";
import { Uri, ViewColumn, window, type Disposable, type Memento, type WebviewPanel } from "vscode";
import { fieldsOf } from "../../core/text/json.js";
import type { ReportOffer } from "../report/export-report.js";
import { setPanelTitle } from "../workbench-text.js";
import type { PageParts } from "./html.js";
import { type LeftTabs, OpenPanels } from "./left-tabs.js";
import { chosenFolder } from "../workbench-files.js";
import { buildPage, preparePanel } from "./page.js";

export interface FolderPanelsParts {
  readonly extensionUri: Uri;
  readonly memory: Memento;
  readonly leftTabs: LeftTabs;
  readonly reports: ReportOffer;
}

/** What panels of one kind show of their folders. */
export interface FolderView {
  readonly viewType: string;
  /** Where the open ones are kept. */
  readonly memoryKey: string;
  readonly view: PageParts["view"];
  /** "Runs", before the folder's name. */
  readonly title: string;
  /** Answers a panel's page. */
  readonly answer: (panel: WebviewPanel, folder: string) => Disposable;
}

/** Panels that show a folder of runs each, or a file. The workbench brings them back after a reload of the window. */
export class FolderPanels {
  private readonly open: OpenPanels;
  private readonly shown = new Map<string, WebviewPanel>();

  constructor(
    private readonly parts: FolderPanelsParts,
    private readonly kind: FolderView,
  ) {
    this.open = new OpenPanels(parts.memory, kind.memoryKey);
    parts.leftTabs.restore(kind.viewType, (panel, state) => this.restore(panel, state));
  }

  /** Shows a clicked folder, else that of `known`, else one that is asked for. */
  async openFolder(clicked: unknown, known?: string): Promise<void> {
    const given = clicked instanceof Uri ? clicked.fsPath : known;
    const folder = given ?? (await chosenFolder(undefined, t`Open ${this.kind.title}`))?.fsPath;
    if (folder !== undefined) this.reveal(folder, ViewColumn.Active);
  }

  /** Shows a folder, or a file: in its own panel, where it has one. */
  reveal(folder: string, column: ViewColumn): void {
    const there = this.shown.get(folder);
    if (there !== undefined) return there.reveal();
    const options = { retainContextWhenHidden: true };
    this.show(window.createWebviewPanel(this.kind.viewType, "", column, options), folder);
  }

  /** What the panel in front shows; undefined where it is none of these. */
  get inFront(): string | undefined {
    return [...this.shown].find(([, { active }]) => active)?.[0];
  }

  /** A panel that is brought back, with what its page kept or what it is known to have shown. */
  private restore(panel: WebviewPanel, state?: unknown): void {
    const known = this.open.take(panel.title);
    const folder = folderOf(state ?? known);
    if (folder === undefined) panel.dispose();
    else this.show(panel, folder);
  }

  private show(panel: WebviewPanel, folder: string): void {
    preparePanel(panel, this.parts);
    setPanelTitle(panel, `${this.kind.title} ${path.basename(folder)}`);
    this.open.keep(panel, { folder });
    this.shown.set(folder, panel);
    const answering = this.kind.answer(panel, folder);
    panel.onDidDispose(() => {
      answering.dispose();
      if (this.shown.get(folder) === panel) this.shown.delete(folder);
    });
    buildPage(panel, this.parts.extensionUri, this.kind.view);
  }
}

/** The folder, or the file, that a page kept with its state; undefined when it kept something else. */
function folderOf(state: unknown): string | undefined {
  const { folder, file = folder } = fieldsOf(state);
  return typeof file === "string" && file !== "" ? file : undefined;
}
