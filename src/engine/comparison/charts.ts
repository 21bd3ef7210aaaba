import { rowSide, seriesBehind, type Comparison, type ComparisonRow } from "../../core/compare/index.js";
import type { LabelledSeries, SeriesId } from "../../core/model/index.js";
import {
  chartSteps,
  divideLines,
  heatmapSteps,
  seriesSummaries,
  type ChartData,
  type ChartQuery,
  type HeatmapData,
  type SliceEstimates,
  type StoredRun,
} from "../../core/query/index.js";
import type { Run } from "../../core/store/index.js";
import type {
  ComparisonRequests,
  IdentifiedComparison,
  RowAnswer,
  RowQuestion,
  RunId,
} from "../../protocol/comparison.js";
import type { Answers } from "../answers.js";
import { runSteps } from "../stepper.js";

/** A result with the ids of its runs. @param sets of its columns: their runs, by what the result calls them */
export function identified(comparison: Comparison, sets: readonly ReadonlyMap<string, RunId>[]): IdentifiedComparison {
  const setIds = [comparison.baseline, ...comparison.candidates].map(({ runs }, s) =>
    runs.flatMap(({ label }) => sets[s]?.get(label) ?? []),
  );
  return { ...comparison, setIds, runIds: setIds.flatMap(([first]) => first ?? []) };
}

/** What charts of a row are made from. */
export interface RowSource {
  readonly comparison: IdentifiedComparison;
  /** Of a run that has been read. */
  readonly answersOf: (run: RunId) => Answers | undefined;
}

type Stretch = NonNullable<RowQuestion["runs"][number]["window"]>;

/** Series of one family in a run. */
interface RowPart {
  readonly family: string;
  readonly series: readonly SeriesId[];
  readonly run: Run | StoredRun;
  readonly kept: SliceEstimates;
}

/** @throws UserError; the signal's reason */
export function rowLines(
  source: RowSource,
  { maxPoints, maxSeries, maxJoined, ...question }: ComparisonRequests["runChart"]["params"],
  signal: AbortSignal,
): Promise<readonly RowAnswer<ChartData>[]> {
  return askRow(source, question, signal, async ({ type }, [own, ...below], stretch) => {
    const base = { maxPoints, ...stretch };
    const { family, series } = own;
    if (below.length > 0) return ratioLine(base, [own, ...below], signal);
    if (type === "histogram") return chartOf(own, { ...base, family, series, maxSeries, together: true }, signal);
    const most = series.length <= maxJoined ? maxJoined : maxSeries;
    return chartOf(own, { ...base, family, series: series.slice(0, most), maxSeries: most }, signal);
  });
}

function chartOf({ run, kept }: RowPart, query: ChartQuery, signal: AbortSignal): Promise<ChartData> {
  return runSteps(chartSteps(run, query, kept), signal);
}

/** One line of a ratio: the rates of the first part's series divided by those of the others. */
async function ratioLine(
  base: Stretch & Pick<ChartQuery, "maxPoints">,
  parts: readonly RowPart[],
  signal: AbortSignal,
): Promise<ChartData> {
  const charts: ChartData[] = [];
  for (const part of parts) {
    const { family, series } = part;
    charts.push(await chartOf(part, { ...base, family, series, maxSeries: series.length }, signal));
  }
  const [above, ...below] = charts;
  const [first] = above?.lines ?? [];
  if (above === undefined || first === undefined) return { family: "", lines: [], seriesTotal: 0 };
  const divided = divideLines(
    above.lines,
    below.flatMap(({ lines }) => lines),
  );
  const { series, endpointUrl } = first;
  return { ...above, unit: "ratio", lines: [{ series, endpointUrl, labels: [], quantity: "value", ...divided }] };
}

/** @throws UserError; the signal's reason */
export function rowHeatmaps(
  source: RowSource,
  { maxColumns, ...question }: ComparisonRequests["runHeatmap"]["params"],
  signal: AbortSignal,
): Promise<readonly RowAnswer<HeatmapData>[]> {
  return askRow(source, question, signal, (_row, [{ run, family, series }], stretch) =>
    runSteps(heatmapSteps(run, { family, series, maxColumns, ...stretch }), signal),
  );
}

async function askRow<T>(
  { comparison: { rows, setIds }, answersOf }: RowSource,
  question: RowQuestion,
  signal: AbortSignal,
  /** @param parts the row's series; of a ratio then what those are divided by */
  ask: (row: ComparisonRow, parts: readonly [RowPart, ...RowPart[]], stretch: Stretch) => Promise<T>,
): Promise<readonly RowAnswer<T>[]> {
  const row = rows.find(({ id }) => id === question.row);
  if (row === undefined) return [];
  const found: RowAnswer<T>[] = [];
  for (const { run, window } of question.runs) {
    const column = setIds.findIndex((set) => set.includes(run));
    const side = column < 0 ? undefined : rowSide(row, column, setIds[column]?.indexOf(run));
    const answers = answersOf(run);
    if (side === undefined || answers === undefined) continue;
    const own = await partOf(answers, side.family, side.series, signal);
    const answer = { run, column, seriesCount: own.series.length };
    if (own.series.length === 0 || window === undefined) found.push(answer);
    else {
      const below: RowPart[] = [];
      for (const [family, series] of side.below ?? []) below.push(await partOf(answers, family, series, signal));
      found.push({ ...answer, data: await ask(row, [own, ...below], window) });
    }
  }
  return found;
}

async function partOf(
  answers: Answers,
  family: string,
  wanted: readonly LabelledSeries[],
  signal: AbortSignal,
): Promise<RowPart> {
  const run = await answers.of([family], signal);
  const series = wanted.length === 0 ? [] : seriesBehind(seriesSummaries(run, family), wanted);
  return { family, series, run, kept: answers.kept };
}
