import path from "node:path";
import { env, Uri, window, workspace } from "vscode";
import { REDACTIONS, revealedBy, revealedText, type Redaction } from "../../core/report/redact.js";
import type { Report } from "../../protocol/index.js";
import type { Notifier } from "../notify.js";
import type * as RunFiles from "../run-files.js";
import { openedFolder } from "../settings/read.js";
import { pickMany, showProgress, type PickRow } from "../workbench-text.js";

const TITLE = "Export Report";

type Files = typeof RunFiles;

/** **Export Report…**: asks what to hide and where to, and writes what a view shows as one file. */
export type ExportReport = (make: (files: Files, signal: AbortSignal) => Promise<Report>) => Promise<null>;

/** @param extensionUri where the views' code lies, in `dist` */
export function reportExporter(extensionUri: Uri, notifier: Notifier): ExportReport {
  return async (make) => {
    const files = await import("../run-files.js");
    const report = await showProgress("Making the report", async (_tell, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => controller.abort());
      return make(files, controller.signal);
    });
    const hidden = await askHidden(report);
    if (hidden === undefined) return null;
    const target = await window.showSaveDialog({
      title: TITLE,
      defaultUri: Uri.file(path.join(openedFolder() ?? path.parse(extensionUri.fsPath).root, nameOf(report, hidden))),
      filters: { HTML: ["html"] },
    });
    if (target === undefined) return null;
    const parts = await files.readReportParts(Uri.joinPath(extensionUri, "dist").fsPath);
    const html = files.reportHtml(files.hiding(report, hidden), parts);
    await workspace.fs.writeFile(target, new TextEncoder().encode(html));
    notifier.info(`The report was written to ${path.posix.basename(target.path)}.`, {
      title: "Open in Browser",
      run: () => env.openExternal(target),
    });
    return null;
  };
}

/** Undefined when given up. */
async function askHidden(report: Report): Promise<readonly Redaction[] | undefined> {
  const lines = revealedText(revealedBy(report), []);
  const rows: (PickRow & { readonly hides: Redaction })[] = REDACTIONS.map((kind, i) => ({
    hides: kind,
    label: `Hide ${kind}`,
    detail: lines[i]?.slice(`${kind}: `.length) ?? "",
  }));
  const picked = await pickMany(rows, { title: TITLE, placeHolder: "What the report reveals. Choose what to hide" });
  return picked?.map(({ hides }) => hides);
}

/** What is hidden is not in the file's name either. */
function nameOf({ about: { title }, view }: Report, hidden: readonly Redaction[]): string {
  const name = hidden.length > 0 ? view : title.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "");
  return `${name === "" ? view : name}-report.html`;
}
