import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { packReport, type Report } from "../../protocol/index.js";

/** The views' own code, as it is bundled beside this program. */
export interface ReportParts {
  readonly script: Uint8Array;
  readonly styles: readonly string[];
}

/**
 * A report as one page that asks nobody for anything: views, style and answers are in it. Only its own two scripts may
 * run, which it names by their SHA-256; nothing may be loaded. What comes from servers and files is packed, so that no
 * text of theirs stands in the page itself but its title, which is escaped.
 */
export function reportHtml({ document: _, ...report }: Report, { script, styles }: ReportParts): string {
  const policy = [
    "default-src 'none'",
    `script-src ${[LOADER, script].map((one) => `'sha256-${createHash("sha256").update(one).digest("base64")}'`).join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "font-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${htmlText(report.about.title)}</title>
<style>
${styles.join("\n")}
</style>
</head>
<body class="report">
<div id="root" data-view="${report.view}"><noscript>This report draws itself: allow scripts to run in it. Nothing is loaded or sent.</noscript></div>
<script type="text/plain" id="report-answers">${packed(packReport(report))}</script>
<script type="text/plain" id="report-views">${packed(script)}</script>
<script>${LOADER}</script>
</body>
</html>
`;
}

/** Unpacks the answers, then the views, which look for them (webview-ui/report/host.ts). */
const LOADER = `(async () => {
const unpacked = (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};
window.serverMetricsReport = await unpacked("report-answers");
const script = document.createElement("script");
script.textContent = await unpacked("report-views");
document.body.append(script);
})();`;

function packed(content: string | Uint8Array): string {
  return gzipSync(content, { level: 9 }).toString("base64");
}

function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}
