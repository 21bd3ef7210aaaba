import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { libraryViews } from "../../core/library/index.js";
import { csvLine } from "../../core/text/csv-line.js";
import { readLibrary } from "../../files/library/library.js";
import { readFolder } from "../input/memory.js";
import { terminalWidth, textTable } from "../print/table.js";
import { note, print } from "../print/terminal.js";
import { spawn } from "node:child_process";
import { messageOf, isFields, isList, UserError } from "../../core/text/index.js";

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

/** A row of an answer, its values as JSON has them. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * Rows of the last of some statements, by DuckDB where it is: the package `@duckdb/node-api` beside this program, else
 * the command `duckdb`. Undefined where neither is found: none is shipped.
 * @throws UserError with DuckDB's words for a statement that fails
 */
export async function duckdbRows(sql: string): Promise<readonly SqlRow[] | undefined> {
  const api = await import("@duckdb/node-api").catch(() => undefined);
  if (api === undefined) return rowsByCommand(sql);
  const instance = await api.DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } catch (error) {
    throw refused(messageOf(error));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function rowsByCommand(sql: string): Promise<readonly SqlRow[] | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn("duckdb", ["-json", "-bail"], { stdio: ["pipe", "pipe", "pipe"] });
    let [answer, words] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (answer += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (words += text));
    child.once("error", () => resolve(undefined));
    child.stdin.on("error", () => undefined).end(sql);
    child.once("close", (code) => {
      if (code !== 0) return reject(refused(words.trim()));
      const rows: unknown = answer.trim() === "" ? [] : JSON.parse(answer);
      resolve(isList(rows) ? rows.filter(isFields) : []);
    });
  });
}

function refused(words: string): UserError {
  return new UserError(`DuckDB refuses the statement: ${words}`, "docs/sql.md has the views and examples.");
}
