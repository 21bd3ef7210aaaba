import {
  TabInputCustom,
  TabInputWebview,
  window,
  type Disposable,
  type Tab,
  type WebviewPanel,
  type Memento,
} from "vscode";

/** Within this time the workbench hands over the tabs that it brings back after a reload of the window. */
const HANDED_OVER_MS = 2000;

/**
 * The tabs that an ended extension host has left. Where the host alone ends and is started anew, its tabs stay as they
 * were and are never handed over: what they show goes on saying what it said, and no button does anything. Only tabs in
 * sight are looked at, because one that the workbench brings back is handed over when it comes into sight.
 */
export class LeftTabs implements Disposable {
  /** Panels of this host. */
  private readonly own = new Set<WebviewPanel>();
  private readonly replacements = new Map<string, (tab: Tab) => void>();
  /** Names of tabs that were there at the first look: a later one is of this host. */
  private left: Set<string> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly subscriptions: Disposable[];

  constructor() {
    this.lookLater();
    this.subscriptions = [
      window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
        if ([...opened, ...changed].some((tab) => tab.isActive && this.nameOf(tab) !== undefined)) this.lookLater();
      }),
    ];
  }

  /** A panel of this host: its tab is not left. */
  add(panel: WebviewPanel): void {
    this.own.add(panel);
    panel.onDidDispose(() => this.own.delete(panel));
  }

  /** @param replace gets a tab of this type that was left: it may be gone meanwhile */
  replace(viewType: string, replace: (tab: Tab) => void): void {
    this.replacements.set(viewType, replace);
  }

  /** @param restore gets a panel that the workbench brings back, with what its page kept, or one in place of a tab */
  restore(viewType: string, restore: (panel: WebviewPanel, state?: unknown) => void): void {
    this.subscriptions.push(
      window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: (panel, state) => Promise.resolve(restore(panel, state)),
      }),
    );
    this.replace(viewType, (tab) => {
      void panelInPlaceOf(tab, viewType).then((panel) => panel && restore(panel));
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private lookLater(): void {
    this.timer ??= setTimeout(() => this.look(), HANDED_OVER_MS);
  }

  private look(): void {
    this.timer = undefined;
    const groups = window.tabGroups.all;
    const names = new Set(groups.flatMap(({ tabs }) => tabs.flatMap((tab) => this.nameOf(tab) ?? [])));
    this.left = new Set([...names].filter((name) => this.left?.has(name) ?? true));
    for (const { activeTab: tab, viewColumn } of groups) {
      const name = tab === undefined ? undefined : this.nameOf(tab);
      if (tab === undefined || name === undefined || !this.left.has(name)) continue;
      if (![...this.own].some((panel) => panel.visible && panel.viewColumn === viewColumn))
        this.replacements.get(typeOf(tab))?.(tab);
    }
  }

  /** Tells tabs of ours apart, as far as the workbench does; undefined of any other. */
  private nameOf(tab: Tab): string | undefined {
    const type = typeOf(tab);
    if (!this.replacements.has(type)) return undefined;
    return `${type} ${tab.input instanceof TabInputCustom ? tab.input.uri.toString() : tab.label}`;
  }
}

/** Of a panel the workbench puts a word of its own before it: "mainThreadWebview-serverMetrics.liveView". */
function typeOf({ input }: Tab): string {
  if (input instanceof TabInputCustom) return input.viewType;
  return input instanceof TabInputWebview ? input.viewType.replace(/^[^-]*-/, "") : "";
}

/** A panel in the place of a tab that was left; undefined when that is gone already. */
async function panelInPlaceOf(tab: Tab, viewType: string): Promise<WebviewPanel | undefined> {
  const { viewColumn, isActive } = tab.group;
  // First, so that it takes the place in the row of tabs.
  const panel = window.createWebviewPanel(
    viewType,
    tab.label,
    { viewColumn, preserveFocus: !isActive },
    { enableScripts: true },
  );
  if (await closed(tab)) return panel;
  panel.dispose();
  return undefined;
}

/** The workbench may have closed it meanwhile. */
export async function closed(tab: Tab): Promise<boolean> {
  return window.tabGroups.close(tab, true).then(
    (done) => done,
    () => false,
  );
}

/** Of tabs that were closed while no extension host ran, something stays. */
const MAX_KEPT = 50;

interface Kept {
  readonly title: string;
  readonly state: unknown;
}

/**
 * What panels of one type show, kept while they are open. Of a tab that an ended extension host has left, the workbench
 * tells no more than the title: of several with one title, each gets what one of them showed.
 */
export class OpenPanels {
  private readonly own = new Map<object, Kept>();
  private before: readonly Kept[];

  /** @param key in `memory`, of this type alone */
  constructor(
    private readonly memory: Pick<Memento, "get" | "update">,
    private readonly key: string,
  ) {
    this.before = memory.get<readonly Kept[]>(key, []);
  }

  /** Keeps what the panel shows under its title of now, in place of what was kept of it. */
  keep(panel: Pick<WebviewPanel, "title" | "onDidDispose">, state: unknown): void {
    const known = this.own.get(panel);
    if (known?.title === panel.title && JSON.stringify(known.state) === JSON.stringify(state)) return;
    if (known === undefined)
      panel.onDidDispose(() => {
        this.own.delete(panel);
        this.save();
      });
    this.own.set(panel, { title: panel.title, state });
    this.save();
  }

  /** What a panel with this title showed in an earlier host, once for each; undefined when nothing is known. */
  take(title: string): unknown {
    const found = this.before.find((kept) => kept.title === title);
    this.before = this.before.filter((kept) => kept !== found);
    return found?.state;
  }

  private save(): void {
    // Without it such a tab is closed instead of shown anew: nothing is lost.
    this.memory.update(this.key, [...this.before, ...this.own.values()].slice(-MAX_KEPT)).then(undefined, () => {});
  }
}
