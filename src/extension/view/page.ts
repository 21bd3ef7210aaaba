import { t } from "@vscode/l10n";
import { randomBytes } from "node:crypto";
import { env, l10n, Uri, type Webview } from "vscode";
import type { HostRequests } from "../../protocol/index.js";
import { SETTINGS } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";
import { flashStatus } from "../workbench-text.js";
import { viewHtml, type PageParts } from "./html.js";

/** What a page of ours may do and load. */
export function pageOptions(extensionUri: Uri) {
  return { enableScripts: true, localResourceRoots: [Uri.joinPath(extensionUri, "dist")] };
}

/** The page of a webview, with a nonce of its own. */
export function pageOf(webview: Webview, extensionUri: Uri, view: PageParts["view"]): string {
  const uri = (file: string) => webview.asWebviewUri(Uri.joinPath(extensionUri, "dist", file)).toString();
  return viewHtml({
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
