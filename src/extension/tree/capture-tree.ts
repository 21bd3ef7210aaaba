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
import type { EngineRun } from "../engine.js";
import { VIEW_IDS } from "../command-ids.js";
import type { Notifier } from "../notify.js";
import type { SeriesSummary } from "../../protocol/index.js";
import { treeItem } from "../workbench-text.js";
import { childrenOf, rowOf, type CaptureModel, type CaptureNode, type CaptureRow } from "./capture-model.js";
import { messageOf } from "../../core/text/errors.js";

/** The least time between two refreshes. */
const REFRESH_MS = 1000;

/** The Capture tree. It is drawn anew at most once a second, and not at all while it is hidden. */
export class CaptureTree implements Disposable, TreeDataProvider<CaptureNode> {
  private readonly changed = new EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  private readonly view: TreeView<CaptureNode>;
  private readonly subscriptions: Disposable;
  private run: EngineRun | undefined;
  private series = new Map<string, readonly SeriesSummary[]>();
  private seriesKnownFor = "";
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
    return row === undefined
      ? treeItem({ label: "", description: "", tooltip: "", state: TreeItemCollapsibleState.None })
      : drawnRow(node, row);
  }

  async getChildren(node?: CaptureNode): Promise<CaptureNode[]> {
    if (node?.kind === "family") await this.loadSeries([node.family]);
    const children = [...childrenOf(this.model, node)];
    // Values of the families about to be drawn.
    await this.loadSeries(children.flatMap((child) => (child.kind === "family" ? [child.family] : [])));
    return children;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
  }

  private schedule(): void {
    if (!this.view.visible || this.timer !== undefined) return;
    const wait = this.captures.latest === this.run ? Math.max(0, this.refreshedAt + REFRESH_MS - Date.now()) : 0;
    this.timer = setTimeout(() => this.notifier.run(this.refresh()), wait);
  }

  private async refresh(): Promise<void> {
    try {
      if (this.captures.latest !== this.run) {
        this.run = this.captures.latest;
        this.series = new Map();
        this.seriesKnownFor = "";
      }
      await this.loadFamilies();
      this.changed.fire();
    } finally {
      this.timer = undefined;
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
      families.map(async (family) => {
        try {
          series.set(family, await run.engine.client.call("series", { family }));
        } catch (error) {
          // The run ended meanwhile: the next report brings another.
          this.notifier.log.debug(`series of ${family}: ${messageOf(error)}`);
        }
      }),
    );
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
