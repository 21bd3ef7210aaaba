import type { ComparisonRow, RowAnswer, RowQuestion } from "../../../src/protocol/comparison.js";
import type { ChartData, HeatmapData } from "../../../src/protocol/index.js";
import type { Viewport } from "../../state/run-store.js";
import type { ComparisonPageClient } from "../store.js";
import { windowOf, type AlignedRun } from "./alignment.js";

/** More lines of one run are a thicket. */
const MAX_SERIES = 6;
/**
 * More lines are not taken together in a chart: the first ones stand for them. Of histograms the engine takes together
 * any number.
 */
export const MAX_JOINED = 50;
const MAX_POINTS = 1000;
/** Columns of a heatmap: a few pixels each. */
const MAX_COLUMNS = 120;

/** What was answered of one run; no data when the row has nothing of it, or the stretch shows nothing of it. */
export interface Answered<T> extends Omit<RowAnswer<T>, "run"> {
  readonly run: AlignedRun;
}

interface Question {
  readonly client: ComparisonPageClient;
  readonly row: ComparisonRow;
  readonly runs: readonly AlignedRun[];
  /** Undefined: all of every run. */
  readonly viewport: Viewport | undefined;
  readonly abort: AbortSignal;
}

/**
 * Lines of a row's series in every run, those of histograms as one: at most 1,000 points each in the stretch asked for.
 */
export async function askLines(question: Question): Promise<Answered<ChartData>[]> {
  const { client, abort, runs } = question;
  const limits = { maxPoints: MAX_POINTS, maxSeries: MAX_SERIES, maxJoined: MAX_JOINED };
  return answered(runs, await client.call("runChart", { ...stretches(question), ...limits }, abort));
}

/** Observations by bucket and time of a row's series, added up, in every run. */
export async function askHeatmaps(question: Question): Promise<Answered<HeatmapData>[]> {
  const { client, abort, runs } = question;
  return answered(runs, await client.call("runHeatmap", { ...stretches(question), maxColumns: MAX_COLUMNS }, abort));
}

function stretches({ row, runs, viewport }: Question): RowQuestion {
  return {
    row: row.id,
    runs: runs.map((run) => {
      const window = windowOf(run, viewport);
      return { run: run.id, ...(window === undefined ? {} : { window }) };
    }),
  };
}

function answered<T>(runs: readonly AlignedRun[], answers: readonly RowAnswer<T>[]): Answered<T>[] {
  return answers.flatMap(({ run: id, ...answer }) => {
    const run = runs.find((one) => one.id === id);
    return run === undefined ? [] : [{ ...answer, run }];
  });
}
