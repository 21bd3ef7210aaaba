import { rowSide, seriesBehind, type ComparisonRow, type RowSide } from "../../core/compare/index.js";
import type { SeriesId } from "../../core/model/index.js";
import { divideLines, type ChartData, type ChartQuery, type HeatmapData } from "../../core/query/index.js";
import type {
  ComparisonRequests,
  IdentifiedComparison,
  RowAnswer,
  RowQuestion,
  RunId,
} from "../../protocol/comparison.js";
import type { Answers, FamilyAnswers } from "../answers.js";
import { runSteps } from "../stepper.js";

/** What charts of a row are made from. */
export interface RowSource {
  readonly comparison: IdentifiedComparison;
  /** Of a run that has been read. */
  readonly answersOf: (run: RunId) => Answers | undefined;
}

type Stretch = NonNullable<RowQuestion["runs"][number]["window"]>;

interface RowSeries {
  readonly family: string;
  readonly series: readonly SeriesId[];
  /** Of a ratio what those are divided by. */
  readonly below?: readonly RowPart[];
}

/** Series of one family, and what answers about them. */
interface RowPart extends Pick<RowSeries, "family" | "series"> {
  readonly answers: FamilyAnswers;
}

/** @throws UserError; the signal's reason */
export function rowLines(
  source: RowSource,
  { maxPoints, maxSeries, maxJoined, ...question }: ComparisonRequests["runChart"]["params"],
  signal: AbortSignal,
): Promise<readonly RowAnswer<ChartData>[]> {
  return askRow(source, question, signal, async (answers, { type }, { below, ...own }, stretch) => {
    const base = { maxPoints, ...stretch };
    const { series } = own;
    if (below !== undefined) return ratioLine(base, [{ answers, ...own }, ...below], signal);
    if (type === "histogram") return runSteps(answers.chart({ ...base, ...own, maxSeries, together: true }), signal);
    const most = series.length <= maxJoined ? maxJoined : maxSeries;
    return runSteps(answers.chart({ ...base, ...own, series: series.slice(0, most), maxSeries: most }), signal);
  });
}

/** One line of a ratio: the rates of the first part's series divided by those of the others. */
async function ratioLine(
  base: Stretch & Pick<ChartQuery, "maxPoints">,
  parts: readonly RowPart[],
  signal: AbortSignal,
): Promise<ChartData> {
  const charts: ChartData[] = [];
  for (const { answers, family, series } of parts)
    charts.push(await runSteps(answers.chart({ ...base, family, series, maxSeries: series.length }), signal));
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
  return askRow(source, question, signal, (answers, _row, { family, series }, stretch) =>
    runSteps(answers.heatmap({ family, series, maxColumns, ...stretch }), signal),
  );
}

async function askRow<T>(
  { comparison: { rows, setIds }, answersOf }: RowSource,
  question: RowQuestion,
  signal: AbortSignal,
  ask: (answers: FamilyAnswers, row: ComparisonRow, what: RowSeries, stretch: Stretch) => Promise<T>,
): Promise<readonly RowAnswer<T>[]> {
  const row = rows.find(({ id }) => id === question.row);
  if (row === undefined) return [];
  const found: RowAnswer<T>[] = [];
  for (const { run, window } of question.runs) {
    const column = setIds.findIndex((set) => set.includes(run));
    const side = column < 0 ? undefined : rowSide(row, column, setIds[column]?.indexOf(run));
    const answers = await answersOf(run)?.of(side?.family ?? row.family, signal);
    if (side === undefined || answers === undefined) continue;
    const series = side.series.length === 0 ? [] : seriesBehind(answers.series(side.family), side.series);
    const answer = { run, column, seriesCount: series.length };
    if (series.length === 0 || window === undefined) found.push(answer);
    else {
      const below = await partsOf(side, answersOf(run), signal);
      const data = await ask(answers, row, { family: side.family, series, ...below }, window);
      found.push({ ...answer, data });
    }
  }
  return found;
}

async function partsOf(
  { below }: RowSide,
  answers: Answers | undefined,
  signal: AbortSignal,
): Promise<Pick<RowSeries, "below">> {
  if (below === undefined || answers === undefined) return {};
  const parts: RowPart[] = [];
  for (const [family, wanted] of below) {
    const found = await answers.of(family, signal);
    parts.push({ family, series: seriesBehind(found.series(family), wanted), answers: found });
  }
  return { below: parts };
}
