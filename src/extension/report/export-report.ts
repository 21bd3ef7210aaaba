import { t } from "@vscode/l10n";
import path from "node:path";
import { env, Uri, window, workspace, type WebviewPanel } from "vscode";
import { REDACTIONS, revealedBy, revealedText, type Redaction } from "../../core/report/redact.js";
import { UserError } from "../../core/text/errors.js";
import type { Report } from "../../protocol/index.js";
import type { Notifier } from "../notify.js";
import type * as RunFiles from "../run-files.js";
import { openedFolder } from "../settings/read.js";
import { pickMany, showProgress, type PickRow } from "../workbench-text.js";

const TITLE = t("Export Report");

type Files = typeof RunFiles;

type MakeReport = (files: Files, signal: AbortSignal) => Promise<Report>;

/** Who is offered the report of what a panel shows. */
export type ReportOffer = Pick<ReportExporter, "offer">;

/** **Export Report…**: asks what to hide and where to, and writes what a view shows as one file. */
export class ReportExporter {
  private readonly offered = new Map<WebviewPanel, () => Promise<void>>();

  /** @param extensionUri where the views' code lies, in `dist` */
  constructor(
    private readonly extensionUri: Uri,
    private readonly notifier: Notifier,
  ) {}

  /** The report of what a panel shows, for its page and for the command. */
  offer(panel: WebviewPanel, make: MakeReport): () => Promise<void> {
    const run = () => this.export(make);
    this.offered.set(panel, run);
    panel.onDidDispose(() => this.offered.delete(panel));
    return run;
  }

  /** That of the panel in front. @throws UserError where it has none */
  async ofActive(): Promise<void> {
    const [, run] = [...this.offered].find(([{ active }]) => active) ?? [];
    if (run === undefined)
      throw new UserError(
        t("There is nothing to report in front."),
        t("Open a run, a comparison or a folder of runs first."),
      );
    await run();
  }

  private async export(make: MakeReport): Promise<void> {
    const { extensionUri, notifier } = this;
    const files = await import("../run-files.js");
    const report = await showProgress(t("Making the report"), (_tell, signal) => make(files, signal));
    const hidden = await askHidden(report);
    if (hidden === undefined) return;
    const target = await window.showSaveDialog({
      title: TITLE,
      defaultUri: Uri.file(path.join(openedFolder() ?? path.parse(extensionUri.fsPath).root, nameOf(report, hidden))),
      filters: { HTML: ["html"], Markdown: ["md"] },
    });
    if (target === undefined) return;
    const shown = files.hiding(report, hidden);
    const isMarkdown = /\.md$/i.test(target.path);
    const text = isMarkdown
      ? files.reportMarkdown(shown)
      : files.reportHtml(shown, await files.readReportParts(Uri.joinPath(extensionUri, "dist").fsPath));
    await workspace.fs.writeFile(target, new TextEncoder().encode(text));
    notifier.info(t`The report was written to ${path.posix.basename(target.path)}.`, {
      title: isMarkdown ? t("Open") : t("Open in Browser"),
      run: () => (isMarkdown ? window.showTextDocument(target) : env.openExternal(target)),
    });
  }
}

/** Undefined when given up. */
async function askHidden(report: Report): Promise<readonly Redaction[] | undefined> {
  const lines = revealedText(revealedBy(report), []);
  const rows: (PickRow & { readonly hides: Redaction })[] = REDACTIONS.map((kind, i) => ({
    hides: kind,
    label: t`Hide ${kind}`,
    detail: lines[i]?.slice(`${kind}: `.length) ?? "",
  }));
  const picked = await pickMany(rows, {
    title: TITLE,
    placeHolder: t("What the report reveals. Choose what to hide"),
  });
  return picked?.map(({ hides }) => hides);
}

/** What is hidden is not in the file's name either. */
function nameOf({ about: { title }, view }: Report, hidden: readonly Redaction[]): string {
  const name = hidden.length > 0 ? view : title.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "");
  return `${name === "" ? view : name}-report.html`;
}
