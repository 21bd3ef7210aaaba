import { t } from "@vscode/l10n";
import { randomBytes } from "node:crypto";
import { env, l10n, Uri, type Disposable, type WebviewPanel } from "vscode";
import type { HostRequests } from "../../protocol/index.js";
import { SETTINGS } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";
import { flashStatus } from "../workbench-text.js";
import type { LeftTabs } from "./left-tabs.js";
import { viewHtml, type PageParts } from "./html.js";

/** Makes a panel one of this host's, gives it our icon, and says what its page may do and load. */
export function preparePanel(
  panel: WebviewPanel,
  { extensionUri, leftTabs }: { readonly extensionUri: Uri; readonly leftTabs: LeftTabs },
): void {
  leftTabs.add(panel);
  panel.webview.options = { enableScripts: true, localResourceRoots: [Uri.joinPath(extensionUri, "dist")] };
  panel.iconPath = Uri.joinPath(extensionUri, "media", "activity-bar.svg");
}

/** Builds the page of a panel, with a nonce of its own. */
export function buildPage({ webview }: WebviewPanel, extensionUri: Uri, view: PageParts["view"]): void {
  const uri = (file: string) => webview.asWebviewUri(Uri.joinPath(extensionUri, "dist", file)).toString();
  webview.html = viewHtml({
    cspSource: webview.cspSource,
    nonce: randomBytes(16).toString("base64"),
    script: uri("webview.js"),
    styles: [uri("webview.css")],
    view,
    language: env.language,
    texts: l10n.bundle,
  });
}

/** Answers every page's `copy`. */
export async function copyForPage({ text, what, safeText }: HostRequests["copy"]["params"]): Promise<void> {
  await env.clipboard.writeText(safeText !== undefined && readSetting(SETTINGS.csvSafe) ? safeText : text);
  flashStatus("check", t`Copied ${what}`, 3000);
}

/**
 * Answers a page that is built anew whenever its panel becomes visible. A hidden page is gone: answers meant for it
 * must not reach the one that takes its place.
 */
export class VisiblePage<Server extends { dispose(): void }> implements Disposable {
  private server: Server | undefined;
  private readonly following: Disposable;

  /** @param answer begins to answer; undefined: there is nothing to ask yet */
  constructor(
    private readonly panel: WebviewPanel,
    private readonly answer: () => Server | undefined,
  ) {
    this.following = panel.onDidChangeViewState(() => this.connect());
    this.connect();
  }

  /** What answers the page; undefined while it is hidden. */
  get current(): Server | undefined {
    return this.server;
  }

  connect(): void {
    if (this.panel.visible) this.server ??= this.answer();
    else this.disconnect();
  }

  disconnect(): void {
    this.server?.dispose();
    this.server = undefined;
  }

  dispose(): void {
    this.following.dispose();
    this.disconnect();
  }
}
