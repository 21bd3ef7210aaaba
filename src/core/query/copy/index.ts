import { duckdb } from "./duckdb.js";
import { jq } from "./jq.js";
import { pandas } from "./pandas.js";
import { promql } from "./promql.js";
import type { CopiedQuery, QueryFile, QueryLanguage, QuerySubject } from "./subject.js";

export { QUERY_LANGUAGES, type CopiedQuery, type QueryFile, type QueryLanguage, type QuerySubject } from "./subject.js";

const READERS = { duckdb, pandas, jq } as const;

/** Which file a language reads best, when a run has several. */
const PREFERRED: { readonly [L in keyof typeof READERS]: readonly QueryFile["format"][] } = {
  duckdb: ["parquet", "jsonl", "json"],
  pandas: ["parquet", "jsonl", "json", "csv"],
  jq: ["jsonl", "json"],
};

/**
 * A query that gives what a view shows of a family, as it can be run. Of several files the one that the language reads
 * best is taken; PromQL asks a Prometheus that scrapes the same servers.
 * @param files those that hold the run; empty for a capture that has not been written
 */
export function copyQuery(language: QueryLanguage, subject: QuerySubject, files: readonly QueryFile[]): CopiedQuery {
  if (language === "promql") return promql(subject);
  const readable = files.filter(isReadable);
  if (readable.length === 0 && files.length > 0)
    return { kind: "none", reason: "The file is packed: unpack it, and query what it unpacks to." };
  const holding = subject.family.countedAverage === true ? readable.filter(holdsValues) : readable;
  if (holding.length === 0 && readable.length > 0)
    return {
      kind: "none",
      reason:
        "The server calls this average a counter, and the file holds how it rose: its values are in a JSONL file.",
    };
  const preferred = PREFERRED[language].flatMap((format) => holding.filter((file) => file.format === format));
  const [file] = [...preferred, ...holding];
  if (file === undefined)
    return { kind: "none", reason: "This capture has no file yet: stop it, and query its artifacts." };
  return READERS[language](subject, file);
}

/** The values of a counter as its server exposed them; other artifacts hold what it rose by. */
function holdsValues({ format }: QueryFile): boolean {
  return format === "jsonl" || format === "journal" || format === "scrape-log" || format === "snapshot";
}

/** Of packed files all three languages read lines of gzip alone. */
function isReadable({ path, format }: QueryFile): boolean {
  return !/\.(?:gz|zst)$/i.test(path) || (/\.gz$/i.test(path) && (format === "jsonl" || format === "journal"));
}
