import {
  ChannelServer,
  COMPARISON_GUARDS,
  EXPERIMENT_GUARDS,
  LIBRARY_GUARDS,
  VIEW_GUARDS,
  type Message,
  type ParamGuards,
  type Port,
  type Relay,
  type ReportPage,
  type ReportedRuns,
  type ChartData,
  type ChartLine,
  type HeatmapData,
  type RecordedAnswer,
  type RunRequests,
  type SeriesChange,
  type SeriesSummary,
} from "../../src/protocol/index.js";
import type { HostApi } from "../channel.js";
import type { LibraryChoice } from "../../src/core/library/table.js";
import { offeredColumns, reportedLibrary, shownRuns, shownSweep } from "../../src/protocol/shown-runs.js";
import { t } from "@vscode/l10n";
import { comparisonDocument } from "../../src/core/compare/report/formats.js";
import type { ComparisonRequests, RowAnswer, RowQuestion } from "../../src/protocol/comparison.js";
import type { SeriesId } from "../../src/core/model/index.js";
import { groupBy } from "../../src/core/math/index.js";
import { documentMarkdown } from "../../src/core/text/document.js";
import { UserError } from "../../src/core/text/errors.js";

/** By any of the views. */
type Asked = Readonly<Record<string, { readonly params: unknown; readonly result: unknown }>>;

const GUARDS: { readonly [V in ReportPage["view"]]: ParamGuards<Asked> } = {
  run: VIEW_GUARDS,
  comparison: COMPARISON_GUARDS,
  experiment: EXPERIMENT_GUARDS,
  library: LIBRARY_GUARDS,
};

/** What a report's page has in place of VS Code: it answers from what was recorded. */
export function reportHost(report: ReportPage): HostApi {
  const listeners = new Set<(message: Message) => void>();
  const port: Port = {
    post: (message) => window.postMessage(message, "*"),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const recorded = recordedAnswers(report);
  const runs = resultIn<ReportedRuns>(report.answers.find(({ name }) => name === "runs"));
  const own = runs === undefined ? OWN : { ...OWN, ...reportedRuns(runs) };
  const relay: Relay = {
    ask: (name, params) =>
      Promise.resolve().then(() => (Object.hasOwn(own, name) ? own[name]?.(params) : recorded(name, params))),
  };
  new ChannelServer<Asked, Record<never, never>, string>(port, {}, GUARDS[report.view], relay);
  let state: unknown;
  return {
    postMessage: (message) => {
      // As the editor's: the sender goes on before it is answered.
      const sent = structuredClone(message) as Message;
      queueMicrotask(() => listeners.forEach((listener) => listener(sent)));
    },
    getState: () => state,
    setState: (next) => {
      state = next;
    },
  };
}

/** What is about the page, not about the run. */
const OWN: Readonly<Record<string, (params: unknown) => unknown>> = {
  copy: async (params) => {
    await navigator.clipboard.writeText((params as { readonly text: string }).text);
    return null;
  },
  linkState: () => ({ linked: false, others: 0 }),
  loadLayout: () => null,
  saveLayout: () => null,
  openFile: () => null,
  openRuns: () => null,
  capturing: () => null,
  saveLibraryLayout: () => null,
  loadComparisonLayout: () => null,
  saveComparisonLayout: () => null,
};

/** Answers the questions of a page of runs, any choice of which is made in the page itself. */
export function reportedRuns(reported: ReportedRuns): Readonly<Record<string, (params: unknown) => unknown>> {
  const all = reportedLibrary(reported);
  return {
    // Nothing is written in its cells: an empty column says nothing.
    libraryRuns: (choice) => shownRuns(reported.folder, all, choice as LibraryChoice, []),
    libraryColumns: () => offeredColumns(all),
    sweepRuns: (asked) => shownSweep(all, (asked as { readonly choice: LibraryChoice }).choice),
  };
}

/** A question as it came, checked by the guards of its page. */
interface Question {
  readonly family?: string | undefined;
  readonly series?: readonly SeriesId[] | undefined;
  readonly endpoints?: readonly string[] | undefined;
  readonly together?: boolean | undefined;
  readonly maxSeries?: number | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Answers the questions of a report's page from what was recorded. @throws UserError for what was not */
export function recordedAnswers({ answers }: Pick<ReportPage, "answers">): (name: string, params: unknown) => unknown {
  const byName = groupBy(answers, ({ name }) => name);
  const all = (name: string): readonly RecordedAnswer[] => byName.get(name) ?? [];
  const find = (name: string, wanted: Question): RecordedAnswer | undefined =>
    all(name).find(({ params }) => {
      const { family, together } = params as Question;
      return family === wanted.family && together === wanted.together;
    });
  const resultOf = <T>(name: string, wanted: Question): T | undefined => resultIn<T>(find(name, wanted));

  /** Whether a question leaves series of its family out: what was recorded of all of them is no answer then. */
  const isOfSome = (query: Question): boolean =>
    (query.series !== undefined || query.endpoints !== undefined) &&
    resultOf<readonly SeriesSummary[]>("series", { family: query.family })?.every(({ id, endpointUrl }) =>
      isAsked(query, id, endpointUrl),
    ) !== true;

  const chart = (query: Question): ChartData | undefined => {
    const own = all("chart").filter(({ params }) => (params as Question).family === query.family);
    const together = own.find(({ params }) => (params as Question).together === true);
    const apart = own.filter((one) => one !== together);
    // The one with the most series is that of a band.
    const most = apart.findLast(({ params }) => Number((params as Question).maxSeries) > 0);
    const isPart = isOfSome(query);
    const needsMost = isPart || (query.maxSeries ?? 0) > MOST_APART;
    // Of some series only their own lines are known.
    const asOne = query.together === true && !isPart;
    const data = resultIn<ChartData>((asOne ? together : needsMost ? most : apart[0]) ?? apart[0]);
    if (data === undefined) return undefined;
    const lines = isPart ? data.lines.filter((line) => isAsked(query, line.series, line.endpointUrl)) : data.lines;
    return { ...data, lines: lines.map((line) => stretchOf(line, query)) };
  };

  return (name, params) => {
    const query = params as Question;
    const { family } = query;
    if (name === "chart") return chart(query) ?? refuse();
    if (OF_ALL.has(name) && isOfSome(query)) return refuse();
    if (name === "heatmap") return columnsOf(resultOf<HeatmapData>(name, { family }) ?? refuse(), query);
    if (name === "report") {
      const { comparison } = resultOf<ComparisonRequests["comparison"]["result"]>("comparison", {}) ?? refuse();
      const { rows: wanted } = params as ComparisonRequests["report"]["params"];
      const rows = wanted === undefined ? undefined : comparison.rows.filter(({ id }) => wanted.includes(id));
      return { text: documentMarkdown(comparisonDocument(comparison, { rows })) };
    }
    if (name === "runChart")
      return ofRow<ChartData>(all(name), params as RowQuestion, (data, window) => ({
        ...data,
        lines: data.lines.map((line) => stretchOf(line, window)),
      }));
    if (name === "runHeatmap") return ofRow<HeatmapData>(all(name), params as RowQuestion, columnsOf);
    if (name === "changes") return resultOf<readonly SeriesChange[]>(name, { family }) ?? [];
    if (name === "series") return resultOf<readonly SeriesSummary[]>(name, { family }) ?? [];
    if (name === "statistics" && family !== undefined) return ofFamily(all(name), family) ?? refuse();
    const key = keyOf(params);
    const exact = all(name).find((one) => keyOf(one.params) === key);
    const first = ALONE.has(name) ? all(name)[0] : undefined;
    const answer = exact ?? (family === undefined ? undefined : find(name, { family })) ?? first;
    if (answer === undefined) return refuse();
    if ("error" in answer.outcome) {
      const { code, message, remedy } = answer.outcome.error;
      throw new UserError(message, remedy, { code });
    }
    return answer.outcome.result;
  };
}

/** Undefined of an error, too. */
function resultIn<T>(answer: RecordedAnswer | undefined): T | undefined {
  return answer !== undefined && "result" in answer.outcome ? (answer.outcome.result as T) : undefined;
}

/** Recorded once, for whatever settings hold: the first is the answer. */
const ALONE: ReadonlySet<string> = new Set(["check", "slo"]);

/** Sums over series, recorded of all of a family. */
const OF_ALL: ReadonlySet<string> = new Set(["heatmap", "distribution", "vector"]);

function isAsked({ series, endpoints }: Question, id: SeriesId, endpointUrl: string): boolean {
  return series?.includes(id) !== false && endpoints?.includes(endpointUrl) !== false;
}

/** As many lines a chart has where its series are drawn one by one. */
const MOST_APART = 20;

function refuse(): never {
  throw new UserError(t("This report does not hold it."), t("Open the run itself with Server Metrics."), {
    code: "not-in-report",
  });
}

function keyOf(params: unknown): string {
  return JSON.stringify(params, (_key, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** The answers about the row's runs that are asked for, each in its stretch. */
function ofRow<T>(
  own: readonly RecordedAnswer[],
  question: RowQuestion,
  cut: (data: T, window: Question) => T,
): readonly RowAnswer<T>[] {
  const answer = own.find(({ params }) => (params as RowQuestion).row === question.row);
  const all = resultIn<readonly RowAnswer<T>[]>(answer) ?? refuse();
  return question.runs.flatMap(({ run, window }) =>
    all
      .filter((one) => one.run === run)
      .map(({ data, ...rest }) => ({
        ...rest,
        ...(data === undefined || window === undefined ? {} : { data: cut(data, window) }),
      })),
  );
}

/** The recorded points of a stretch, and one beyond each end; nobody knows the average there. */
function stretchOf(line: ChartLine, { from, to }: Question): ChartLine {
  if (from === undefined && to === undefined) return line;
  const { average: _average, ...rest } = line;
  const after = line.times.findIndex((time) => time >= (from ?? -Infinity));
  const beyond = line.times.findIndex((time) => time > (to ?? Infinity));
  const [first, last] = [
    Math.max(0, (after < 0 ? line.times.length : after) - 1),
    beyond < 0 ? line.times.length : beyond + 1,
  ];
  const cut = (values: Float64Array) => values.slice(first, last);
  return {
    ...rest,
    times: cut(line.times),
    values: cut(line.values),
    ...(line.bounds === undefined ? {} : { bounds: { lower: cut(line.bounds.lower), upper: cut(line.bounds.upper) } }),
  };
}

/** The recorded columns of a stretch. */
function columnsOf(data: HeatmapData, { from = -Infinity, to = Infinity }: Question): HeatmapData {
  const columns = [...data.edges.keys()]
    .slice(0, -1)
    .filter((i) => (data.edges[i + 1] ?? 0) > from && (data.edges[i] ?? 0) < to);
  const [first = 0] = columns;
  const rows = data.uppers.length;
  return {
    ...data,
    edges: data.edges.slice(first, first + columns.length + 1),
    rates: data.rates.slice(first * rows, (first + columns.length) * rows),
  };
}

function ofFamily(tables: readonly RecordedAnswer[], family: string): RunRequests["statistics"]["result"] | undefined {
  const isOwn = (row: { readonly family: string }) => row.family === family;
  const found = tables
    .map((one) => resultIn<RunRequests["statistics"]["result"]>(one))
    .find((table) => table?.rows.some(isOwn));
  return found === undefined ? undefined : { ...found, rows: found.rows.filter(isOwn) };
}
