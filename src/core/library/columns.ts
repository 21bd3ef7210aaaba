import { formatValue } from "../catalog/index.js";
import type { CellValue, LibraryRun } from "./types.js";

/** A column that every library has. */
interface Column {
  /** As a head. */
  readonly title: string;
  /** Of its numbers. */
  readonly unit?: string;
  readonly of: (run: LibraryRun) => CellValue;
}

const text = (values: readonly string[] | undefined): string | undefined =>
  values === undefined || values.length === 0 ? undefined : values.join(", ");
const measured = (title: string, name: string, unit?: string): Column => ({
  title,
  ...(unit === undefined ? {} : { unit }),
  of: ({ measured }) => measured?.values.get(name),
});

/** Paths under which load generators keep the load that they were set to. */
const LOADS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\.)concurrency$/i, "concurrency"],
  [/(?:^|\.)request_?rate$/i, "requests/s"],
];

const LATENCIES = { latency: "latency", ttft: "TTFT", itl: "ITL" } as const;
const PERCENTILES = ["p50", "p90", "p99"] as const;

/** Key figures of the servers, or of the benchmark client. */
function figures(prefix: string, whose: string): Readonly<Record<string, Column>> {
  const title = (text: string) => (whose + text).replace(/^./, (first) => first.toUpperCase());
  return Object.fromEntries([
    [`${prefix}requests`, measured(title("requests/s"), `${prefix}requests`)],
    [`${prefix}tokens`, measured(title("tokens/s"), `${prefix}tokens`)],
    ...Object.entries(LATENCIES).flatMap(([name, text]) =>
      ["", ...PERCENTILES].map((p) => {
        const column = prefix + name + (p === "" ? "" : `.${p}`);
        return [column, measured(title(`${text} ${p}`.trimEnd()), column, "seconds")] as const;
      }),
    ),
  ]);
}

/** Names of the columns of key figures. */
export const KEY_FIGURES: readonly string[] = [
  ...Object.keys({ ...figures("", ""), ...figures("client.", "") }),
  ...["client.concurrency", "client.rate"],
];

const COLUMNS: ReadonlyMap<string, Column> = new Map(
  Object.entries<Column>({
    time: { title: "Time (UTC)", of: ({ about, modified }) => about?.startMs ?? modified },
    run: { title: "Run", of: ({ id }) => id.replace(/\/server_metrics_export$/, "") },
    label: { title: "Label", of: ({ about, note }) => note.label ?? about?.label },
    star: { title: "Star", of: ({ note }) => (note.star === true ? "★" : undefined) },
    tags: { title: "Tags", of: ({ note }) => text(note.tags) },
    note: { title: "Note", of: ({ note }) => note.note },
    archived: { title: "Archived", of: ({ note }) => (note.archived === true ? "archived" : undefined) },
    server: { title: "Server", of: ({ measured }) => text(measured?.servers) },
    version: { title: "Version", of: ({ about }) => about?.provenance["servers[0].version"] },
    model: { title: "Model", of: ({ measured }) => text(measured?.models) },
    load: { title: "Load", of: loadOf },
    duration: { title: "Duration", unit: "seconds", of: ({ about }) => about?.seconds },
    ...figures("", ""),
    ...figures("client.", "Client "),
    commit: { title: "Commit", of: ({ about }) => commitText(about?.provenance ?? {}) },
    branch: { title: "Branch", of: ({ about }) => about?.provenance["git.branch"] },
    host: { title: "Host", of: ({ about }) => about?.provenance["machine.host"] },
    formats: {
      title: "Formats",
      of: ({ files }) => text([...new Set(files.map((file) => file.replace(/^.*\./, "")))].sort()),
    },
    problem: { title: "Problem", of: ({ problem }) => problem },
  }),
);

/** Shown where none are chosen, as far as some run has something in them. */
const BY_DEFAULT: readonly string[] = [
  ...["star", "time", "run", "label", "tags", "server", "version", "load", "duration"],
  ...["requests", "tokens", "ttft.p99", "itl.p99", "latency.p99"],
  ...["client.ttft.p99", "client.latency.p99", "commit", "note", "problem"],
];
/** Changed settings that are shown by default. */
const MOST_CHANGED = 6;
/** Told by a column of their own, or never twice the same. */
const TOLD =
  /^(?:label$|git\.|neighbours\.|machine\.host$|command\.line$|servers\[\d+\]\.(?:version$|command$)|server_metrics\[)/;

/**
 * A cell by the name of its column: one of `COLUMNS`, a setting by its path (`scheduler_config.max_num_seqs`,
 * `git.branch`), or a family and a statistic (`vllm:num_requests_running avg`).
 */
export function cellOf(run: LibraryRun, column: string): CellValue {
  const known = COLUMNS.get(column);
  if (known !== undefined) return known.of(run);
  const { about, measured } = run;
  return (
    measured?.values.get(column) ??
    about?.configured[column] ??
    about?.provenance[column] ??
    about?.provenance[`servers[0].settings.${column}`] ??
    measured?.facts[column]
  );
}

/** Whether any run can have such a column. */
export function isColumn(runs: readonly LibraryRun[], column: string): boolean {
  return COLUMNS.has(column) || runs.some((run) => cellOf(run, column) !== undefined);
}

/** Those that some run has something in, and the settings that differ between the runs. */
export function defaultColumns(runs: readonly LibraryRun[]): readonly string[] {
  const told = BY_DEFAULT.filter((column) => runs.some((run) => cellOf(run, column) !== undefined));
  return [...told, ...changedSettings(runs).slice(0, MOST_CHANGED)];
}

/** Settings of which the runs that have them do not all have one value, those of the most runs first. */
export function changedSettings(runs: readonly LibraryRun[]): readonly string[] {
  const seen = new Map<string, { readonly values: Set<string>; runs: number }>();
  for (const { about, measured } of runs)
    for (const settings of [about?.configured, about?.provenance, measured?.facts])
      for (const [path, value] of Object.entries(settings ?? {})) {
        if (TOLD.test(path)) continue;
        const name = path.replace(/^servers\[0\]\.settings\./, "");
        const one = seen.get(name) ?? { values: new Set(), runs: 0 };
        one.values.add(value);
        one.runs++;
        seen.set(name, one);
      }
  return (
    [...seen]
      // What each run has another value of tells nothing of a configuration.
      .filter(([, { values, runs: having }]) => values.size > 1 && (values.size < having || having < 4))
      .sort(([, a], [, b]) => b.runs - a.runs)
      .map(([name]) => name)
  );
}

/** As the client's result has it, the settings that the load generator keeps, or its command line. */
function loadOf({ about, measured }: LibraryRun): string | undefined {
  const [concurrency, rate] = ["concurrency", "rate"].map((name) => measured?.values.get(`client.${name}`));
  if (concurrency !== undefined) return `concurrency ${concurrency}`;
  if (rate !== undefined) return `requests/s ${rate}`;
  for (const [path, unit] of LOADS)
    for (const [name, value] of Object.entries(about?.configured ?? {})) if (path.test(name)) return `${unit} ${value}`;
  const line = about?.provenance["command.line"];
  const [, name, value] = /\s--?(concurrency|request-rate|max-concurrency|rate)[=\s]+(\S+)/.exec(line ?? "") ?? [];
  return name === undefined || value === undefined ? undefined : `${name.replace("-", " ")} ${value}`;
}

const SHORT_COMMIT = 10;

/** A commit as it is shown: its first digits, "+" behind it where files were changed. */
function commitText(provenance: Readonly<Record<string, string>>): string | undefined {
  const commit = provenance["git.commit"];
  if (commit === undefined) return undefined;
  return commit.slice(0, SHORT_COMMIT) + (provenance["git.changed[0]"] === undefined ? "" : "+");
}

/** A cell as it is shown: times in UTC, numbers with their unit. */
export function cellText(cell: CellValue, column: string): string {
  if (typeof cell !== "number") return cell ?? "";
  if (column === "time") return new Date(cell).toISOString().slice(0, 16).replace("T", " ");
  return formatValue(cell, COLUMNS.get(column)?.unit);
}

/** As a head: the title of one that every library has, else its name. */
export function titleOf(column: string): string {
  return COLUMNS.get(column)?.title ?? column;
}
