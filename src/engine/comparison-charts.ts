import { rowSide, seriesBehind, type ComparisonRow } from "../core/compare/index.js";
import type { SeriesId } from "../core/model/index.js";
import type { ChartData, HeatmapData } from "../core/query/index.js";
import type {
  ComparisonRequests,
  IdentifiedComparison,
  RowAnswer,
  RowQuestion,
  RunId,
} from "../protocol/comparison.js";
import type { Answers, FamilyAnswers } from "./answers.js";
import { runSteps } from "./stepper.js";

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
}

/** @throws FileError; the signal's reason */
export function rowLines(
  source: RowSource,
  { maxPoints, maxSeries, maxJoined, ...question }: ComparisonRequests["runChart"]["params"],
  signal: AbortSignal,
): Promise<readonly RowAnswer<ChartData>[]> {
  return askRow(source, question, signal, (answers, { type }, { family, series }, stretch) => {
    const base = { family, maxPoints, ...stretch };
    if (type === "histogram") return answers.chart({ ...base, series, maxSeries, together: true });
    const most = series.length <= maxJoined ? maxJoined : maxSeries;
    return answers.chart({ ...base, series: series.slice(0, most), maxSeries: most });
  });
}

/** @throws FileError; the signal's reason */
export function rowHeatmaps(
  source: RowSource,
  { maxColumns, ...question }: ComparisonRequests["runHeatmap"]["params"],
  signal: AbortSignal,
): Promise<readonly RowAnswer<HeatmapData>[]> {
  return askRow(source, question, signal, (answers, _row, what, stretch) =>
    answers.heatmap({ ...what, maxColumns, ...stretch }),
  );
}

async function askRow<T>(
  { comparison: { rows, runIds }, answersOf }: RowSource,
  question: RowQuestion,
  signal: AbortSignal,
  ask: (answers: FamilyAnswers, row: ComparisonRow, what: RowSeries, stretch: Stretch) => Generator<number, T>,
): Promise<readonly RowAnswer<T>[]> {
  const row = rows.find(({ id }) => id === question.row);
  if (row === undefined) return [];
  const found: RowAnswer<T>[] = [];
  for (const { run, window } of question.runs) {
    const column = runIds.indexOf(run);
    const side = column < 0 ? undefined : rowSide(row, column);
    const answers = await answersOf(run)?.of(side?.family ?? row.family, signal);
    if (side === undefined || answers === undefined) continue;
    const series = side.series.length === 0 ? [] : seriesBehind(answers.series(side.family), side.series);
    const answer = { run, column, seriesCount: series.length };
    if (series.length === 0 || window === undefined) found.push(answer);
    else {
      const data = await runSteps(ask(answers, row, { family: side.family, series }, window), signal);
      found.push({ ...answer, data });
    }
  }
  return found;
}
