import type { Comparison, ComparisonRow } from "../../../src/protocol/comparison.js";
import type { ChartData, HeatmapData } from "../../../src/protocol/index.js";
import type { Viewport } from "../../state/run-store.js";
import type { ComparisonClient } from "../store.js";
import { windowOf, type AlignedRun } from "./alignment.js";
import { seriesOf, sideOf } from "./sides.js";

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
export interface Answered<T> {
  readonly run: AlignedRun;
  /** Place of its colour: 0 the baseline. */
  readonly column: number;
  /** Series behind the row in this run; `data` may show fewer. */
  readonly seriesCount: number;
  readonly data?: T;
}

interface Question {
  readonly client: ComparisonClient;
  readonly comparison: Comparison;
  readonly row: ComparisonRow;
  readonly runs: readonly AlignedRun[];
  /** Undefined: all of every run. */
  readonly viewport: Viewport | undefined;
  readonly abort: AbortSignal;
}

/**
 * Lines of a row's series in every run, those of histograms as one: at most 1,000 points each in the stretch asked for.
 */
export function askLines(question: Question): Promise<Answered<ChartData>[]> {
  return askEach(question, ({ client, abort, row }, run, { family, series }, window) => {
    const base = { family, maxPoints: MAX_POINTS, ...window };
    if (row.type === "histogram")
      return client.call("runChart", { run, query: { ...base, series, maxSeries: MAX_SERIES, together: true } }, abort);
    const maxSeries = series.length <= MAX_JOINED ? MAX_JOINED : MAX_SERIES;
    return client.call("runChart", { run, query: { ...base, series: series.slice(0, maxSeries), maxSeries } }, abort);
  });
}

/** Observations by bucket and time of a row's series, added up, in every run. */
export function askHeatmaps(question: Question): Promise<Answered<HeatmapData>[]> {
  return askEach(question, ({ client, abort }, run, what, window) =>
    client.call("runHeatmap", { run, query: { ...what, maxColumns: MAX_COLUMNS, ...window } }, abort),
  );
}

type What = { readonly family: string; readonly series: readonly ReturnType<typeof seriesOf>[number]["id"][] };

function askEach<T>(
  question: Question,
  ask: (question: Question, run: number, what: What, window: NonNullable<ReturnType<typeof windowOf>>) => Promise<T>,
): Promise<Answered<T>[]> {
  const { client, comparison, row, runs, viewport, abort } = question;
  return Promise.all(
    runs.flatMap((run): Promise<Answered<T>>[] => {
      const found = sideOf(row, comparison, run.label);
      // Added a moment ago: it is not compared yet.
      if (found === undefined) return [];
      return [
        (async () => {
          const { side, family, column } = found;
          const window = windowOf(run, viewport);
          if (side.series.length === 0) return { run, column, seriesCount: 0 };
          const series = seriesOf(
            await client.call("runSeries", { run: run.position, family }, abort),
            side.series,
          ).map(({ id }) => id);
          if (series.length === 0 || window === undefined) return { run, column, seriesCount: series.length };
          return {
            run,
            column,
            seriesCount: series.length,
            data: await ask(question, run.position, { family, series }, window),
          };
        })(),
      ];
    }),
  );
}
