import { displayName } from "../../model/index.js";
import { duckdb } from "./duckdb.js";
import { quoted, conditions, labelColumns, type CopiedQuery, type QueryFile, type QuerySubject } from "./subject.js";

/** Python that leaves its answer in `result`. DuckDB, as a package beside pandas, reads all but the CSV's tables. */
export function pandas(subject: QuerySubject, file: QueryFile): CopiedQuery {
  if (file.format === "csv") return program(csvSection(subject, file));
  const query = duckdb(subject, file);
  if (query.kind === "none") return query;
  // Nothing is an escape in a raw string, and nothing ends it but three quotes.
  const sql = query.text.includes('"""') ? quoted(query.text) : `r"""\n${query.text}"""`;
  return program(["# pip install duckdb pandas", "import duckdb", `result = duckdb.sql(${sql}).df()`]);
}

function program(lines: readonly string[]): CopiedQuery {
  return { kind: "query", text: [...lines, "print(result)", ""].join("\n") };
}

/** The rows of the metric in the one of the CSV's tables that has it. */
function csvSection(subject: QuerySubject, { path }: QueryFile): string[] {
  return [
    "import io, re",
    "import pandas as pd",
    `metric = ${quoted(subject.family.name)}`,
    `with open(${quoted(path)}, encoding="utf-8", newline="") as file:`,
    '    sections = re.split(r"(?:\\r?\\n){2,}", file.read())',
    "tables = []",
    "for section in sections:",
    `    rows = "\\n".join(line for line in section.splitlines() if not line.startswith("#"))`,
    "    if rows:",
    // Words such as "0" and "NA" are values of labels too.
    `        tables.append(pd.read_csv(io.StringIO(rows), dtype=str, keep_default_na=False))`,
    `result = next(table[table["Metric"] == metric] for table in tables if "Metric" in table and (table["Metric"] == metric).any())`,
    ...chosenCsvRows(subject),
    `numbers = [name for name in result if name not in ("Endpoint", "Type", "Metric", "Unit", "Description", "Key", "Value", "buckets"${labelColumns(
      subject,
    )
      .map((name) => `, ${quoted(name)}`)
      .join("")})]`,
    "result = result.assign(**{name: pd.to_numeric(result[name]) for name in numbers})",
  ];
}

/** A CSV calls an endpoint by its display name, and an absent label is an empty cell. */
function chosenCsvRows(subject: QuerySubject): string[] {
  const columns = labelColumns(subject);
  const chosen = conditions(subject, columns).map(({ endpointUrl, labels }) =>
    [
      `(result["Endpoint"] == ${quoted(displayName(endpointUrl))})`,
      ...labels.map(([name, value]) => `(result[${quoted(name)}] == ${quoted(value ?? "")})`),
    ].join(" & "),
  );
  return chosen.length === 0 ? [] : [`result = result[${chosen.map((one) => `(${one})`).join("\n    | ")}]`];
}
