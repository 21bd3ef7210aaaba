import { commands, Uri } from "vscode";
import { pickOne } from "./workbench-text.js";

/** Pages of docs/ in the README's order, each with its heading. */
export const PAGES = [
  {
    file: "guides.md",
    label: "Guides: ten questions",
    detail: "Is my server the limit? Which flag next? Open a colleague's run",
  },
  { file: "editor.md", label: "In VS Code", detail: "Captures, live view, files, comparisons, agents" },
  { file: "command-line.md", label: "Command line", detail: "Each command, and how it is used in CI" },
  { file: "findings.md", label: "Findings", detail: "What is looked for in a run, and with which thresholds" },
  { file: "settings.md", label: "Settings", detail: "Each setting, and where credentials are kept" },
  { file: "troubleshooting.md", label: "Troubleshooting", detail: "What you see, and what it may be" },
  { file: "reliability.md", label: "Reliability", detail: "What is promised, and how it is tested" },
  { file: "files.md", label: "Files", detail: "Each field, column and convention, and how to read them" },
  { file: "reports.md", label: "Reports", detail: "A run as one HTML file that opens anywhere" },
  { file: "library.md", label: "Runs of a folder", detail: "Runs as a table, with notes" },
  { file: "sql.md", label: "SQL over the runs of a folder", detail: "What DuckDB can be asked about all runs" },
  {
    file: "experiments.md",
    label: "Experiments: decide between two configurations",
    detail: "A plan of runs in turns, and what they decide",
  },
  { file: "scale.md", label: "Scale", detail: "What a capture, an export and a comparison cost" },
  { file: "sources.md", label: "Sources", detail: "Iteration statistics of TensorRT-LLM, stores, other extensions" },
  {
    file: "compatibility.md",
    label: "Compatibility",
    detail: "Servers and load generators that were tried, and what was checked",
  },
  { file: "glossary.md", label: "Glossary", detail: "The terms of the views and the command line" },
] as const;

/** Shows a page of the documentation that comes with the extension. @param folder the extension's own */
export async function openDocumentation(folder: Uri): Promise<void> {
  const page = await pickOne([...PAGES], { title: "Documentation", matchOnDetail: true });
  if (page !== undefined)
    await commands.executeCommand("markdown.showPreview", Uri.joinPath(folder, "docs", page.file));
}
