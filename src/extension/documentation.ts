import { t } from "@vscode/l10n";
import { commands, Uri } from "vscode";
import { pickOne } from "./workbench-text.js";

/** Pages of docs/ in the README's order, each with its heading. */
export const PAGES = [
  {
    file: "guides.md",
    label: t("Guides: ten questions"),
    detail: t("Is my server the limit? Which flag next? Open a colleague's run"),
  },
  { file: "editor.md", label: t("In VS Code"), detail: t("Captures, live view, files, comparisons, agents") },
  { file: "command-line.md", label: t("Command line"), detail: t("Each command, and how it is used in CI") },
  {
    file: "findings.md",
    label: t("Findings"),
    detail: t("What is looked for in a run, and with which thresholds"),
  },
  { file: "settings.md", label: t("Settings"), detail: t("Each setting, and where credentials are kept") },
  { file: "troubleshooting.md", label: t("Troubleshooting"), detail: t("What you see, and what it may be") },
  { file: "reliability.md", label: t("Reliability"), detail: t("What is promised, and how it is tested") },
  {
    file: "files.md",
    label: t("Files"),
    detail: t("Each field, column and convention, and how to read them"),
  },
  { file: "reports.md", label: t("Reports"), detail: t("A run as one HTML file that opens anywhere") },
  { file: "library.md", label: t("Runs of a folder"), detail: t("Runs as a table, with notes") },
  {
    file: "sql.md",
    label: t("SQL over the runs of a folder"),
    detail: t("What DuckDB can be asked about all runs"),
  },
  {
    file: "experiments.md",
    label: t("Experiments: decide between two configurations"),
    detail: t("A plan of runs in turns, and what they decide"),
  },
  { file: "scale.md", label: t("Scale"), detail: t("What a capture, an export and a comparison cost") },
  {
    file: "sources.md",
    label: t("Sources"),
    detail: t("Iteration statistics of TensorRT-LLM, stores, other extensions"),
  },
  {
    file: "compatibility.md",
    label: t("Compatibility"),
    detail: t("Servers and load generators that were tried, and what was checked"),
  },
  { file: "glossary.md", label: t("Glossary"), detail: t("The terms of the views and the command line") },
] as const;

/** Shows a page of the documentation that comes with the extension. @param folder the extension's own */
export async function openDocumentation(folder: Uri): Promise<void> {
  const page = await pickOne([...PAGES], { title: t("Documentation"), matchOnDetail: true });
  if (page !== undefined)
    await commands.executeCommand("markdown.showPreview", Uri.joinPath(folder, "docs", page.file));
}
