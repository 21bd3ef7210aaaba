import type { Memento, WebviewPanel } from "vscode";

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
