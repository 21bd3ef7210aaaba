import { displayUnit, shownUnit, statisticUnit, titledName } from "../catalog/index.js";
import { runName, textOfCell, TIME, type CellValue, type LibraryRun } from "./runs.js";
import { clientLoad, requestedLoad, type RunTraits } from "../model/index.js";

/** A column that every library has. */
interface Column {
  /** As a head. */
  readonly title: string;
  /** Of its numbers; `TIME` of times. */
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
    time: { title: "Time (UTC)", unit: TIME, of: ({ about, modified }) => about?.startMs ?? modified },
    run: { title: "Run", of: ({ id }) => runName(id) },
    experiment: { title: "Experiment", of: ({ experiment }) => experiment },
    state: { title: "State", of: ({ running }) => running },
    label: { title: "Label", of: ({ about, note }) => note.label ?? about?.label },
    star: { title: "Star", of: ({ note }) => (note.star === true ? "★" : undefined) },
    tags: { title: "Tags", of: ({ note }) => text(note.tags) },
    note: { title: "Note", of: ({ note }) => note.note },
    archived: { title: "Archived", of: ({ note }) => (note.archived === true ? "archived" : undefined) },
    server: { title: "Server", of: ({ measured }) => text(measured?.servers) },
    version: { title: "Version", of: ({ about }) => about?.provenance["servers[0].version"] },
    model: { title: "Model", of: ({ measured }) => text(measured?.models) },
    load: { title: "Load", of: (run) => requestedLoad(traitsOf(run)) },
    duration: { title: "Duration", unit: "seconds", of: ({ about }) => about?.seconds },
    ...figures("", ""),
    ...figures("client.", "Client "),
    findings: { title: "Findings", of: ({ judged }) => judged?.findings },
    finding: { title: "Main finding", of: ({ judged }) => judged?.finding },
    slo: { title: "SLO attainment", unit: "ratio", of: ({ judged }) => judged?.slo },
    verdict: { title: "Against the starred run", of: ({ judged }) => judged?.verdict },
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
  ...["star", "time", "run", "experiment", "state", "label", "tags", "server", "version", "load", "duration"],
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

/** Columns of what is computed only when they are shown. */
export const JUDGED_COLUMNS = ["findings", "finding", "slo", "verdict"] as const;
export type JudgedColumn = (typeof JUDGED_COLUMNS)[number];

/** Kinds of columns. */
export type ColumnGroup = "Runs" | "Settings" | "Metrics";

/** All columns that some run has something in: those of every library, settings that differ first, and statistics. */
export function libraryColumns(runs: readonly LibraryRun[]): readonly (readonly [name: string, group: ColumnGroup])[] {
  const changed = changedSettings(runs);
  const settings = new Set(changed);
  const metrics = new Set<string>();
  for (const { about, measured } of runs) {
    for (const all of [about?.configured, about?.provenance, measured?.facts])
      for (const path of Object.keys(all ?? {})) settings.add(settingName(path));
    for (const name of measured?.values.keys() ?? []) if (!COLUMNS.has(name)) metrics.add(name);
  }
  const group = (names: Iterable<string>, of: ColumnGroup) => [...names].map((name) => [name, of] as const);
  return [
    ...group(
      [...COLUMNS.keys()].filter((column) => runs.some((run) => cellOf(run, column) !== undefined)),
      "Runs",
    ),
    ...group(settings, "Settings"),
    ...group([...metrics].sort(), "Metrics"),
  ];
}

function settingName(path: string): string {
  return path.replace(/^servers\[0\]\.settings\./, "");
}

/** Whether any run can have such a column. */
export function isColumn(runs: readonly LibraryRun[], column: string): boolean {
  return COLUMNS.has(column) || runs.some((run) => cellOf(run, column) !== undefined);
}

/**
 * Those that some run has something in, and the settings that differ between the runs.
 * @param always columns that have their place also while they are empty
 */
export function defaultColumns(runs: readonly LibraryRun[], always: readonly string[] = []): readonly string[] {
  const has = (column: string) => runs.some((run) => cellOf(run, column) !== undefined);
  // Beside the servers' own they would say the same.
  const client = has("requests") || has("tokens") ? [] : ["client.requests", "client.tokens"];
  const told = BY_DEFAULT.flatMap((column) => (column === "client.ttft.p99" ? [...client, column] : [column])).filter(
    (column) => always.includes(column) || has(column),
  );
  return [...told, ...toldOnce(runs, changedSettings(runs)).slice(0, MOST_CHANGED)];
}

/** Without settings that say what one before them says: vLLM tells `num_gpu_blocks` by its API and by its metrics. */
function toldOnce(runs: readonly LibraryRun[], settings: readonly string[]): readonly string[] {
  const said = new Set<string>();
  return settings.filter((name) => {
    const before = said.size;
    said.add(JSON.stringify([name.split(/[. ]/).at(-1), ...runs.map((run) => cellOf(run, name))]));
    return said.size > before;
  });
}

/** Settings of which the runs that have them do not all have one value, those of the most runs first. */
export function changedSettings(runs: readonly LibraryRun[]): readonly string[] {
  const seen = new Map<string, { readonly values: Set<string>; runs: number }>();
  for (const { about, measured } of runs)
    for (const settings of [about?.configured, about?.provenance, measured?.facts])
      for (const [path, value] of Object.entries(settings ?? {})) {
        if (TOLD.test(path)) continue;
        const name = settingName(path);
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

/** What tells whether a run is a repeat of others. */
export function traitsOf({ about, measured }: LibraryRun): RunTraits {
  const value = (name: string) => measured?.values.get(name);
  return {
    configured: new Map(Object.entries(about?.configured ?? {})),
    provenance: new Map(Object.entries(about?.provenance ?? {})),
    facts: new Map(Object.entries(measured?.facts ?? {})),
    servers: measured?.servers ?? [],
    models: measured?.models ?? [],
    seconds: about?.seconds ?? NaN,
    requestRate: value("requests") ?? NaN,
    clientLoad: clientLoad([{ concurrency: value("client.concurrency"), requestRate: value("client.rate") }]),
  };
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
  return textOfCell(cell, unitOf(column));
}

const STATISTIC = /^(\S+) (total|rate|count|avg|max|p50|p90|p99)$/;

/** Longer ones are words. */
const MOST_SYMBOL = 4;

/** The family and the statistic that a column is of; undefined of any other column. */
export function statisticOf(column: string): { readonly family: string; readonly statistic: string } | undefined {
  const [, family, statistic] = STATISTIC.exec(column) ?? [];
  return family === undefined || statistic === undefined ? undefined : { family, statistic };
}

/** The unit of a column's numbers, where it is a symbol: a word at each cell would be noise. */
export function unitOf(column: string): string | undefined {
  const known = COLUMNS.get(column);
  if (known !== undefined) return known.unit;
  const found = statisticOf(column);
  if (found === undefined) return undefined;
  const unit = statisticUnit(found.statistic, shownUnit({ name: found.family, description: "" }));
  return displayUnit(unit).symbol.length <= MOST_SYMBOL ? unit : undefined;
}

/** What servers say of themselves in a metric: the family has room in no head. */
const FACT = /^\S+_info (\S+)$/;

/** As a head: the title of one that every library has, of a metric its title and statistic, else its name. */
export function titleOf(column: string): string {
  const found = statisticOf(column);
  if (found !== undefined) return `${titledName(found.family).title} ${found.statistic}`;
  return COLUMNS.get(column)?.title ?? FACT.exec(column)?.[1] ?? column;
}
