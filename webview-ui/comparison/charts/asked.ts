import type { ComparisonRow, RowAnswer, RowQuestion } from "../../../src/protocol/comparison.js";
import type { Viewport } from "../../state/run-store.js";
import { windowOf, type AlignedRun } from "./alignment.js";

/** More lines of one run are a thicket. */
const MAX_SERIES = 6;
/**
 * More lines are not taken together in a chart: the first ones stand for them. Of histograms the engine takes together
 * any number.
 */
export const MAX_JOINED = 50;

/** What was answered of one run; no data when the row has nothing of it, or the stretch shows nothing of it. */
export interface Answered<T> extends Omit<RowAnswer<T>, "run"> {
  readonly run: AlignedRun;
}

/** At most 1,000 points of each line in the stretch asked for. */
export const LINE_LIMITS = { maxPoints: 1000, maxSeries: MAX_SERIES, maxJoined: MAX_JOINED };
/** Columns of a heatmap: a few pixels each. */
export const HEATMAP_LIMITS = { maxColumns: 120 };

/** About a row's series in every run. @param viewport undefined: all of every run */
export function rowQuestion(
  row: ComparisonRow,
  runs: readonly AlignedRun[],
  viewport: Viewport | undefined,
): RowQuestion {
  return {
    row: row.id,
    runs: runs.map((run) => {
      const window = windowOf(run, viewport);
      return { run: run.id, ...(window === undefined ? {} : { window }) };
    }),
  };
}

/** Answers with their runs. */
export function answered<T>(runs: readonly AlignedRun[], answers: readonly RowAnswer<T>[]): Answered<T>[] {
  return answers.flatMap(({ run: id, ...answer }) => {
    const run = runs.find((one) => one.id === id);
    return run === undefined ? [] : [{ ...answer, run }];
  });
}
