import { parseDuration, UserError } from "../text/index.js";
import { cellOf } from "./columns.js";
import type { CellValue, LibraryRun } from "./runs.js";

/** @param what of it, as the sentence goes on */
function unreadable(what: string): UserError {
  return new UserError(
    `The filter cannot be read: ${what}.`,
    "Conditions are like ttft.p99 < 500ms; see docs/library.md.",
  );
}

type Test = (run: LibraryRun) => boolean;

/** What is searched by a word alone. */
const SEARCHED: readonly string[] = [
  "run",
  "label",
  "note",
  "tags",
  "server",
  "version",
  "model",
  "commit",
  "branch",
  "load",
];

const TOKEN =
  /\s*(?:(\(|\))|(and|or|not)(?=[\s()]|$)|((?:"[^"]*"|[^\s()"<>=!~])+)(?:\s*(<=|>=|!=|!~|=|<|>|~)\s*("[^"]*"|[^\s()]+))?)/gy;

interface Token {
  readonly text: string;
  readonly operator?: string;
  readonly value?: string;
}

/**
 * Reads a filter: words that a run must have (`nightly`), and conditions on columns (`ttft.p99 < 500ms`,
 * `tags ~ nightly`, `scheduler_config.max_num_seqs = 64`, `"vllm:num_requests_running avg" > 10`) with `and` (which may
 * be left out), `or`, `not` and parentheses. `=` and `!=` compare the whole text or the number, `~` and `!~` a part of
 * the text, in any case. A run that has nothing in a column meets no condition on it but `!=` and `!~`.
 * @throws UserError
 */
export function parseFilter(filter: string): Test {
  const tokens = tokensOf(filter);
  let at = 0;
  const either = (): Test => {
    const tests = [both()];
    while (tokens[at]?.text === "or") {
      at++;
      tests.push(both());
    }
    return (run) => tests.some((test) => test(run));
  };
  const both = (): Test => {
    const tests = [one()];
    for (let next = tokens[at]; next !== undefined && next.text !== ")" && next.text !== "or"; next = tokens[at]) {
      if (next.text === "and" && next.operator === undefined) at++;
      tests.push(one());
    }
    return (run) => tests.every((test) => test(run));
  };
  const one = (): Test => {
    const token = tokens[at++];
    if (token === undefined)
      throw unreadable("the filter ends where a condition was expected, such as ttft.p99 < 500ms");
    if (token.operator !== undefined) return conditionOf(token);
    if (token.text === "not") {
      const test = one();
      return (run) => !test(run);
    }
    if (token.text === "(") {
      const test = either();
      if (tokens[at++]?.text !== ")") throw unreadable("a parenthesis is not closed");
      return test;
    }
    if (token.text === ")" || token.text === "and" || token.text === "or")
      throw unreadable(`a condition was expected before "${token.text}"`);
    const word = token.text.toLowerCase();
    return (run) => SEARCHED.some((column) => textOf(cellOf(run, column)).includes(word));
  };
  if (tokens.length === 0) return () => true;
  const test = either();
  if (at < tokens.length) throw unreadable(`"${tokens[at]?.text ?? ""}" was not expected`);
  return test;
}

function tokensOf(filter: string): readonly Token[] {
  const tokens: Token[] = [];
  const text = filter.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const [, bracket, word, name, operator, value] = TOKEN.exec(text) ?? [];
    const found = bracket ?? word ?? name;
    if (found === undefined)
      throw unreadable(`"${text.slice(from).trim()}" cannot be read: COLUMN < VALUE was expected`);
    tokens.push({
      text: unquoted(found),
      ...(operator === undefined || value === undefined ? {} : { operator, value: unquoted(value) }),
    });
  }
  return tokens;
}

function unquoted(text: string): string {
  return text.replaceAll('"', "");
}

function conditionOf({ text: column, operator = "=", value = "" }: Token): Test {
  const isIn = (run: LibraryRun) => textOf(cellOf(run, column)).includes(value.toLowerCase());
  switch (operator) {
    case "~":
      return isIn;
    case "!~":
      return (run) => !isIn(run);
    case "=":
      return (run) => isEqual(cellOf(run, column), column, value);
    case "!=":
      return (run) => !isEqual(cellOf(run, column), column, value);
    default: {
      const number = numberOf(value, column);
      if (number === undefined)
        throw unreadable(`${column} ${operator} needs a number, a time or a date behind it, not "${value}"`);
      const holds = ORDER[operator] ?? (() => false);
      return (run) => {
        const cell = cellOf(run, column);
        const own = typeof cell === "number" ? cell : Number(cell === "" ? undefined : cell);
        return Number.isFinite(own) && holds(own, number);
      };
    }
  }
}

const ORDER: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

/** Of tags and the like any of the list may be meant. */
function isEqual(cell: CellValue, column: string, value: string): boolean {
  if (cell === undefined) return value === "";
  if (typeof cell === "number") return cell === numberOf(value, column);
  return cell === value || cell.split(", ").includes(value);
}

/** A time of a latency in seconds (`500ms`), a date of the time (`2026-11-26`), or a number. */
function numberOf(value: string, column: string): number | undefined {
  if (value === "") return undefined;
  if (column === "time") {
    const time = Date.parse(value);
    return Number.isNaN(time) ? undefined : time;
  }
  const number = Number(value);
  if (!Number.isNaN(number)) return number;
  return parseDuration(value);
}

function textOf(cell: CellValue): string {
  return cell === undefined ? "" : String(cell).toLowerCase();
}
