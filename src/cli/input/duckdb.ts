import { spawn } from "node:child_process";
import { messageOf, isFields, isList, UserError } from "../../core/text/index.js";

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
