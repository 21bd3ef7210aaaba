import { t } from "@vscode/l10n";
import { Disposable, type WebviewPanel } from "vscode";
import { UserError } from "../../core/text/errors.js";
import type { StoredTotals } from "../../core/model/index.js";
import type {
  Assertion,
  EndpointCommand,
  Handlers,
  HostEvents,
  HostRequests,
  ViewEvents,
} from "../../protocol/index.js";
import type { EngineRun } from "../engine.js";
import type { ShownSetting } from "../settings/shown-setting.js";
import { objectivesOf, SETTINGS } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";
import { ViewBridge, webviewPort, type RunSource } from "./bridge.js";
import type { FolderPanelsParts } from "./folder-panels.js";
import type { LinkMember, LinkRelay } from "./link-relay.js";
import { buildPage, copyForPage, preparePanel, VisiblePage } from "./page.js";
import { setPanelTitle } from "../workbench-text.js";

/** What the panel's owner answers; the rest is the same for every run. */
export type RunPanelHost = Omit<
  Handlers<HostRequests>,
  "assertions" | "copy" | "objectives" | "exportReport" | "link" | "linkState" | "followLinked" | "openInstance"
>;

/** What a view's buttons do with the run it shows. */
export interface RunActions {
  captureCommand(params: HostRequests["captureCommand"]["params"], run: EngineRun | undefined): Promise<void>;
  endpointCommand(command: EndpointCommand, url: string, run: EngineRun): Promise<void>;
}

/** What all panels of this window share. */
export interface RunPanelParts extends FolderPanelsParts {
  readonly assertions: ShownSetting<readonly Assertion[]>;
  readonly objectives: ShownSetting<Readonly<Record<string, number>>>;
  readonly links: LinkRelay;
  readonly actions: RunActions;
  /** Shows one instance as a run of its own. */
  openInstance(totals: StoredTotals, instance: string): Promise<void>;
}

/**
 * A run view in a webview panel: page, bridge, and what it shows. The page is built anew whenever it becomes visible.
 */
export class RunPanel implements LinkMember {
  private readonly page: VisiblePage<ViewBridge>;
  private shown: { readonly source: RunSource; readonly host: RunPanelHost } | undefined;
  private readonly pending: ((bridge: ViewBridge) => void)[] = [];
  private readonly exportReport: () => Promise<void>;

  constructor(
    readonly panel: WebviewPanel,
    private readonly parts: RunPanelParts,
  ) {
    const { assertions, objectives, links, reports } = parts;
    preparePanel(panel, parts);
    links.add(this);
    this.exportReport = reports.offer(panel, (files, signal) => {
      if (this.shown === undefined)
        throw new UserError(t("The run is still being opened."), t("Try again in a moment."));
      const { source } = this.shown;
      return files.reportOfRun(source, {
        assertions: assertions.current,
        objectives: objectivesOf(objectives.current),
        thresholds: readSetting(SETTINGS.insightThresholds),
        signal,
      });
    });
    this.page = new VisiblePage(panel, () => this.answer());
    const subscriptions = Disposable.from(
      this.page,
      assertions.onDidChange((list) => this.tell("assertions", { assertions: list })),
      objectives.onDidChange((set) => this.tell("objectives", { objectives: objectivesOf(set) })),
    );
    panel.onDidDispose(() => {
      subscriptions.dispose();
      links.remove(this);
    });
  }

  get isActive(): boolean {
    return this.panel.active;
  }

  /** Reaches the page where it is there; one that is not asks when it is built. */
  tell<K extends keyof HostEvents>(name: K, payload: ViewEvents[K]): void {
    this.page.current?.send(name, payload);
  }

  /** Shows a run; the page starts over with its description. */
  show(title: string, source: RunSource, host: RunPanelHost): void {
    this.shown = { source, host };
    setPanelTitle(this.panel, title);
    this.page.disconnect();
    this.page.connect();
    buildPage(this.panel, this.parts.extensionUri, "run");
  }

  /** Reaches the page once it is visible and has its description. */
  send<K extends keyof HostEvents>(name: K, payload: ViewEvents[K]): void {
    const { current } = this.page;
    if (current === undefined) this.pending.push((bridge) => bridge.send(name, payload));
    else current.send(name, payload);
  }

  private answer(): ViewBridge | undefined {
    if (this.shown === undefined) return undefined;
    const { source, host } = this.shown;
    const bridge = new ViewBridge(webviewPort(this.panel.webview), source, {
      ...host,
      copy: copyForPage,
      findings: (query, signal, report) =>
        source.call("findings", { ...query, thresholds: readSetting(SETTINGS.insightThresholds) }, signal, report),
      assertions: () => this.parts.assertions.current,
      objectives: () => objectivesOf(this.parts.objectives.current),
      exportReport: this.exportReport,
      linkState: () => this.parts.links.stateOf(this),
      link: ({ linked, state }) => this.parts.links.link(this, linked, state),
      openInstance: async ({ instance }, signal, report) => {
        // What is asked of which store is the run's word, not the page's.
        const { header } = await source.call("describe", {}, signal, report);
        if (header.totals?.instances.includes(instance) === true)
          await this.parts.openInstance(header.totals, instance);
      },
      followLinked: (state) => this.parts.links.follow(this, state),
    });
    for (const send of this.pending.splice(0)) send(bridge);
    return bridge;
  }
}
