import { t } from "@vscode/l10n";
import {
  Disposable,
  EventEmitter,
  ThemeColor,
  ThemeIcon,
  TreeItemCollapsibleState,
  window,
  type TreeDataProvider,
  type TreeItem,
  type TreeView,
} from "vscode";
import type { Captures } from "../capture/captures.js";
import type { EngineRun } from "../capture/engine-run.js";
import { VIEW_IDS } from "../command-ids.js";
import type { Notifier } from "../notify.js";
import type { SeriesSummary } from "../../protocol/index.js";
import { treeItem } from "../workbench-text.js";
import { childrenOf, rowOf, type CaptureModel, type CaptureNode, type CaptureRow } from "./capture-model.js";
import { messageOf } from "../../core/text/error-text.js";

/** The least time between two refreshes. */
const REFRESH_MS = 1000;

/**
 * The Capture tree. Only rows that VS Code has drawn are looked at again, only those whose text or children changed are
 * refreshed, at most once a second, and not at all while the tree is hidden.
 */
export class CaptureTree implements Disposable, TreeDataProvider<CaptureNode> {
  private readonly changed = new EventEmitter<CaptureNode | undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  private readonly view: TreeView<CaptureNode>;
  private readonly subscriptions: Disposable;
  private run: EngineRun | undefined;
  private series = new Map<string, readonly SeriesSummary[]>();
  private seriesKnownFor = "";
  /** Rows as last drawn, by id. */
  private readonly drawn = new Map<string, { readonly node: CaptureNode; row: string; children: string | undefined }>();
  private rootIds: string | undefined;
  private refreshing = false;
  private timer: NodeJS.Timeout | undefined;
  private refreshedAt = 0;

  constructor(
    private readonly captures: Captures,
    private readonly notifier: Notifier,
  ) {
    this.view = window.createTreeView(VIEW_IDS.capture, { treeDataProvider: this });
    this.subscriptions = Disposable.from(
      this.view,
      this.changed,
      captures.onDidChange(() => this.schedule()),
      this.view.onDidChangeVisibility(() => this.schedule()),
      this.view.onDidCollapseElement(({ element }) => this.forgetBelow(element)),
    );
  }

  get model(): CaptureModel {
    return { header: this.run?.header, families: this.run?.families ?? [], series: this.series };
  }

  /** The run the rows are of. */
  get shownRun(): EngineRun | undefined {
    return this.run;
  }

  getTreeItem(node: CaptureNode): TreeItem {
    const row = rowOf(this.model, node);
    if (row === undefined)
      return treeItem({ label: "", description: "", tooltip: "", state: TreeItemCollapsibleState.None });
    this.drawn.set(node.id, { node, row: JSON.stringify(row), children: this.drawn.get(node.id)?.children });
    return drawnRow(node, row);
  }

  async getChildren(node?: CaptureNode): Promise<CaptureNode[]> {
    if (node?.kind === "family") await this.loadSeries([node.family]);
    const children = [...childrenOf(this.model, node)];
    const ids = children.map(({ id }) => id).join("\n");
    if (node === undefined) this.rootIds = ids;
    else {
      const drawn = this.drawn.get(node.id);
      if (drawn !== undefined) drawn.children = ids;
    }
    // Values of the families about to be drawn.
    await this.loadSeries(children.flatMap((child) => (child.kind === "family" ? [child.family] : [])));
    return children;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
  }

  private schedule(): void {
    if (!this.view.visible || this.timer !== undefined || this.refreshing) return;
    const wait = this.captures.latest === this.run ? Math.max(0, this.refreshedAt + REFRESH_MS - Date.now()) : 0;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.notifier.run(this.refresh());
    }, wait);
  }

  private async refresh(): Promise<void> {
    this.refreshing = true;
    try {
      if (this.captures.latest !== this.run) {
        this.run = this.captures.latest;
        this.series = new Map();
        this.seriesKnownFor = "";
        this.drawn.clear();
        await this.loadFamilies();
        this.changed.fire(undefined);
      } else {
        await this.loadFamilies();
        await this.loadSeries(
          [...this.drawn.values()].flatMap(({ node }) => (node.kind === "family" ? [node.family] : [])),
        );
        this.fireChanged();
      }
    } finally {
      this.refreshing = false;
      this.refreshedAt = Date.now();
    }
  }

  /** Which endpoint a family is at is known by its series; asked again only when series have appeared. */
  private async loadFamilies(): Promise<void> {
    const { run } = this;
    if (run === undefined || (run.header?.endpoints.length ?? 0) < 2) return;
    const key = run.families.map(({ name, seriesCount }) => `${name} ${seriesCount}`).join("\n");
    if (key === this.seriesKnownFor) return;
    await this.loadSeries(run.families.map(({ name }) => name));
    this.seriesKnownFor = key;
  }

  private async loadSeries(families: readonly string[]): Promise<void> {
    const { run, series } = this;
    if (run === undefined) return;
    await Promise.all(
      [...new Set(families)].map(async (family) => {
        try {
          series.set(family, await run.engine.client.call("series", { family }));
        } catch (error) {
          // The run ended meanwhile: the next report brings another.
          this.notifier.log.debug(`series of ${family}: ${messageOf(error)}`);
        }
      }),
    );
  }

  private fireChanged(): void {
    const { model } = this;
    const root = childrenOf(model, undefined);
    if (root.map(({ id }) => id).join("\n") !== this.rootIds) {
      this.changed.fire(undefined);
      return;
    }
    for (const [id, drawn] of [...this.drawn]) {
      const row = rowOf(model, drawn.node);
      if (row === undefined) {
        this.drawn.delete(id);
        continue;
      }
      const sameRow = JSON.stringify(row) === drawn.row;
      const sameChildren =
        drawn.children === undefined ||
        childrenOf(model, drawn.node)
          .map((child) => child.id)
          .join("\n") === drawn.children;
      if (!sameRow || !sameChildren) this.changed.fire(drawn.node);
    }
  }

  private forgetBelow(node: CaptureNode): void {
    for (const id of [...this.drawn.keys()]) if (id.startsWith(`${node.id}/`)) this.drawn.delete(id);
    const drawn = this.drawn.get(node.id);
    if (drawn !== undefined) drawn.children = undefined;
  }
}

function drawnRow(node: CaptureNode, row: CaptureRow): TreeItem {
  const { Collapsed, Expanded, None } = TreeItemCollapsibleState;
  const item = treeItem({
    label: row.label,
    description: row.description,
    tooltip: row.tooltip,
    state: !row.expandable ? None : node.kind === "endpoint" && row.folded !== true ? Expanded : Collapsed,
    spoken: `${row.name ?? row.label}, ${row.description}`,
  });
  item.id = node.id;
  item.iconPath = new ThemeIcon(row.icon, row.color === undefined ? undefined : new ThemeColor(row.color));
  item.contextValue = row.context;
  if (node.kind === "family" || node.kind === "series")
    item.command = { command: "serverMetrics.capture.showInChart", title: t("Show in Chart"), arguments: [node] };
  return item;
}
