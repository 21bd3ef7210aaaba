import { t } from "@vscode/l10n";
import { spawn } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { window, workspace } from "vscode";
import { bareShellWord } from "../../core/text/shell-word.js";
import type { Notifier } from "../notify.js";
import { openTerminal } from "../workbench-text.js";

/** The command line's question about a folder, to be completed. */
export function sqlCommand(folder: string): string {
  return `npx server-metrics sql ${bareShellWord(folder)} "SELECT * FROM runs"`;
}

/** Opens DuckDB in a terminal, with the views of a folder's runs; without it, the statements that make them. */
export async function openSql(notifier: Notifier, views: string): Promise<void> {
  if (!(await isThere("duckdb"))) {
    await window.showTextDocument(await workspace.openTextDocument({ language: "sql", content: views }));
    notifier.info(t("The command duckdb was not found. These statements make the views runs, samples and statistics."));
    return;
  }
  const file = path.join(await mkdtemp(path.join(tmpdir(), "server-metrics-sql-")), "views.sql");
  await writeFile(file, views);
  openTerminal("DuckDB", "duckdb", ["-init", file]);
}

function isThere(command: string): Promise<boolean> {
  return new Promise((resolve) => {
    spawn(command, ["--version"], { stdio: "ignore" })
      .once("error", () => resolve(false))
      .once("close", (code) => resolve(code === 0));
  });
}
