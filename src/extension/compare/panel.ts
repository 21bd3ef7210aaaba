import { Disposable, EventEmitter, Uri, type WebviewPanel } from "vscode";
import type {
  ComparisonHostRequests,
  ComparisonRequests,
  ComparisonViewEvents,
  ComparisonViewRequests,
} from "../../protocol/comparison.js";
import { ChannelServer, COMPARISON_GUARDS, type Assertion, type Handlers } from "../../protocol/index.js";
import type { ShownSetting } from "../settings/shown-setting.js";
import { webviewPort } from "../view/bridge.js";
import { pageOf, pageOptions } from "../view/page.js";
import type { ActiveComparison } from "./comparison.js";
import { titleOf } from "./page-state.js";
import { setPanelTitle } from "../workbench-text.js";

/** What the panel's owner answers; changed settings among it, which are kept. */
export type ComparisonPanelHost = Omit<Handlers<ComparisonHostRequests>, "assertions"> &
  Pick<Handlers<ComparisonRequests>, "configure">;

/**
 * A comparison in a webview panel. The page is built anew whenever it becomes visible; the comparison goes on
 * meanwhile.
 */
export class ComparisonPanel implements Disposable {
  private server: ChannelServer<ComparisonViewRequests, ComparisonViewEvents> | undefined;
  private readonly disposed = new EventEmitter<void>();
  private readonly subscriptions: Disposable;
  readonly onDidDispose = this.disposed.event;

  constructor(
    readonly panel: WebviewPanel,
    readonly comparison: ActiveComparison,
    extensionUri: Uri,
    private readonly assertions: ShownSetting<readonly Assertion[]>,
    private readonly host: ComparisonPanelHost,
  ) {
    panel.webview.options = pageOptions(extensionUri);
    panel.iconPath = Uri.joinPath(extensionUri, "media", "activity-bar.svg");
    this.subscriptions = Disposable.from(
      panel.onDidChangeViewState(() => this.connect()),
      panel.onDidDispose(() => this.dispose()),
      assertions.onDidChange((list) => this.server?.emit("assertions", { assertions: list })),
      comparison.onDidChange((state) => {
        setPanelTitle(this.panel, titleOf(state));
        this.server?.emit("state", state);
      }),
    );
    this.connect();
    panel.webview.html = pageOf(panel.webview, extensionUri, "comparison");
  }

  dispose(): void {
    this.disconnect();
    this.subscriptions.dispose();
    this.comparison.dispose();
    this.disposed.fire();
    this.disposed.dispose();
    this.panel.dispose();
  }

  /** A hidden page is gone: answers meant for it must not reach the one that takes its place. */
  private connect(): void {
    if (!this.panel.visible) this.disconnect();
    else
      this.server ??= new ChannelServer<ComparisonViewRequests, ComparisonViewEvents>(
        webviewPort(this.panel.webview),
        {
          ...this.comparison.requests(),
          ...this.host,
          assertions: () => this.assertions.current,
        },
        COMPARISON_GUARDS,
      );
  }

  private disconnect(): void {
    this.server?.dispose();
    this.server = undefined;
  }
}
