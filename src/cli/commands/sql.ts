import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { libraryViews } from "../../core/library/index.js";
import { csvLine } from "../../core/text/csv-line.js";
import { readLibrary } from "../../files/library/library.js";
import { duckdbRows, type SqlRow } from "../input/duckdb.js";
import { readFolder } from "../input/folder.js";
import { terminalWidth, textTable } from "../print/table.js";
import { note, print } from "../print/terminal.js";

/** Without DuckDB there is no answer. */
const NOT_ANSWERED = 3;

/** `sql`: asks DuckDB about the runs of a folder. */
export function sqlCommand(setExit: (code: number) => void): CommandUnknownOpts {
  return new Command("sql")
    .summary("ask DuckDB about the runs of a folder")
    .description(
      "Makes the views runs, samples and statistics of all runs below a folder and answers a statement about them by DuckDB, where it is installed (@duckdb/node-api or the command duckdb). Without it, and without a statement, the statements that make the views are printed.",
    )
    .argument("<folder>", "the folder that holds the runs")
    .argument("[statement]", "SQL, such as 'SELECT run, ttft_p99 FROM runs ORDER BY 2'")
    .addOption(new Option("--json", "print JSON").conflicts("csv"))
    .option("--csv", "print CSV")
    .action(async (folder, statement, flags) => {
      const runs = await readFolder("reading runs", (reading) => readLibrary(folder, reading));
      const views = libraryViews(runs.filter(({ files }) => files.length > 0));
      if (statement === undefined) return print(views);
      const rows = await duckdbRows(`${views}\n${statement}`);
      if (rows !== undefined) return print(rowsText(rows, flags));
      note(
        "note: DuckDB was not found: npm install -g @duckdb/node-api, or the command duckdb. These are the statements.",
      );
      print(`${views}\n${statement}`);
      setExit(NOT_ANSWERED);
    });
}

function rowsText(rows: readonly SqlRow[], { json, csv }: { readonly json?: true; readonly csv?: true }): string {
  if (json === true) return JSON.stringify(rows, null, 2);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => names.map((name) => cellText(row[name])));
  if (csv === true) return [names, ...cells].map((line) => csvLine(line)).join("\n");
  return textTable(
    names.map((title) => ({ title, wrapFrom: 12 })),
    cells,
    terminalWidth(),
  ).text;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
