import * as z from "zod";
import { UserError } from "../../core/text/errors.js";
import { familyUnit, formatValue, shownUnit, statisticUnit, titledName } from "../../core/catalog/index.js";
import { ASSERTED } from "../../core/compare/index.js";
import {
  epochNs,
  NS_PER_SECOND,
  RATES_FROM_FIRST_INSIDE,
  secondsToNs,
  statisticOf,
  type SeriesResult,
} from "../../core/model/index.js";
import { lastBoundBelow, runEntries, timesliceTable, type ResultEntry } from "../../core/query/index.js";
import { complete, type RunWindow } from "../../core/stats/index.js";
import { withList, type AnswerFields } from "../answer.js";
import {
  familyNamed,
  statisticNamed,
  statisticsOf,
  FAMILY,
  matchesChoice,
  OFFSET,
  PHASE,
  RUN,
  SERIES,
  seriesName,
  unitWords,
  windowOf,
} from "../words.js";
import type { OpenedWithSamples, OpenedWithStatistics, RunReader } from "../reader.js";
import { defineTool } from "../tool.js";

const seconds = () => z.number().min(0).optional();

const INPUT = z.strictObject({
  run: RUN,
  family: FAMILY,
  ...SERIES,
  statistic: z
    .string()
    .min(1)
    .optional()
    .describe("One statistic, such as avg, max, p99, total, rate or count (default: all of the metric's)"),
  phase: PHASE,
  from_seconds: seconds().describe("Start of a window, seconds after the start of profiling"),
  to_seconds: seconds().describe("End of that window (default: the end of the run)"),
  slices: z.boolean().optional().describe("true: values over time, one row per timeslice, of one series"),
  slice_seconds: z.number().positive().optional().describe("Length of these slices (default: the run's own)"),
  offset: OFFSET,
});
type Query = z.output<typeof INPUT>;

export const queryMetric = defineTool({
  name: "query_metric",
  title: "Query a metric",
  description:
    "Statistics of one metric in a run, one entry per series: over all of profiling, one phase, or a window; with " +
    'slices: true, its values over time. Values are full numbers in the unit that is named beside them; ">= 5" is a ' +
    "percentile beyond the last bucket, of which only that bucket's bound is known.",
  input: INPUT,
  answer: async (query, { runs }) => {
    const own = query.from_seconds !== undefined || query.to_seconds !== undefined || query.slice_seconds !== undefined;
    const source = own ? await fromSamples(runs, query) : await fromStatistics(runs, query);
    const names = [...new Set(source.entries.map(({ key }) => key.family.name))];
    const family = familyNamed(names, query.family, source.id);
    const all = source.entries.filter(({ key }) => key.family.name === family);
    const chosen = all.filter(({ key }) => matchesChoice(query, key));
    const [first] = chosen;
    if (first === undefined)
      throw new UserError(
        `None of the ${all.length} series of ${family} has these labels.`,
        `One is ${JSON.stringify(all.slice(0, 1).map(({ key }) => seriesName(key))[0] ?? {})}. Leave labels and endpoint out for all.`,
      );
    const { type } = first.key.family;
    const unit = shownUnit(first.key.family) ?? familyUnit(first.key.family);
    const statistic = query.statistic === undefined ? undefined : statisticNamed(query.statistic, type, family);
    const head: AnswerFields = {
      run: source.id,
      file: source.file,
      family,
      title: titledName(family).title,
      type,
      ...(query.phase === undefined ? {} : { phase: query.phase }),
      window: windowOf(source.window),
      ...(source.isReferenceAssumed && type !== "gauge" ? { note: `${RATES_FROM_FIRST_INSIDE}.` } : {}),
    };
    if (query.slices === true) return slicesOf(head, chosen, source, unit, query.offset);
    const statistics = statistic === undefined ? statisticsOf(type) : [statistic];
    const units = [...new Set(statistics.map((key) => unitWords(key, unit)))];
    return withList(
      {
        ...head,
        ...(statistic === undefined ? {} : { statistic }),
        ...(units.length === 1
          ? { unit: units[0] }
          : { units: Object.fromEntries(statistics.map((key) => [key, unitWords(key, unit)])) }),
      },
      "series",
      chosen.map((entry) => seriesAnswer(entry, statistics, unit)),
      { offset: query.offset ?? 0 },
    );
  },
});

interface QueriedRun extends Pick<OpenedWithStatistics, "id" | "file" | "window" | "isReferenceAssumed"> {
  readonly entries: readonly ResultEntry[];
}

async function fromStatistics(runs: RunReader, { run, phase }: Query): Promise<QueriedRun> {
  const view = await runs.statistics(run, phase);
  return { ...view, entries: [...view.entries()] };
}

async function fromSamples(runs: RunReader, query: Query): Promise<QueriedRun> {
  const view = await runs.samples(query.run, query.phase);
  const window = windowAsked(view, query);
  const { run } = view.opened;
  return {
    id: view.id,
    file: view.file,
    window,
    entries: [...runEntries(run, window, query.slice_seconds ?? run.sliceSeconds)],
    isReferenceAssumed: run.fileStatistics?.assumedReference !== undefined,
  };
}

/** @throws UserError for one that is empty */
function windowAsked({ window }: OpenedWithSamples, { from_seconds: from, to_seconds: to }: Query): RunWindow {
  if (from === undefined && to === undefined) return window;
  const at = (offset: number) => epochNs(window.start + BigInt(secondsToNs(offset)));
  const length = Number(window.end - window.start) / NS_PER_SECOND;
  const [start, end] = [from ?? 0, to ?? length];
  if (start >= end || start >= length)
    throw new UserError(
      `There is no window from ${start} s to ${end} s: profiling lasts ${length.toFixed(1)} s.`,
      "from_seconds and to_seconds count from the start of profiling.",
    );
  return { start: at(start), end: to === undefined ? window.end : at(end), kind: "exact" };
}

function seriesAnswer(entry: ResultEntry, statistics: readonly string[], unit: string | undefined): AnswerFields {
  const result = entry.result();
  const name = seriesName(entry.key);
  if (result === undefined) return { ...name, note: "no sample in this window" };
  const [only] = statistics;
  if (statistics.length === 1 && only !== undefined) {
    const value = statisticOf(result, only);
    return Number.isNaN(value)
      ? { ...name, value: null, note: "nothing was observed" }
      : { ...name, value, text: formatValue(value, statisticUnit(only, unit)), ...boundsOf(result, only) };
  }
  const values = statistics.flatMap((key) => {
    const value = statisticOf(result, key);
    return Number.isNaN(value) ? [] : [[key, value] as const];
  });
  return { ...name, statistics: Object.fromEntries(values), ...noteOf(result) };
}

/** Of an estimated percentile what is certain: the bucket that it must lie in. */
function boundsOf(result: SeriesResult, statistic: string): AnswerFields {
  if (result.kind !== "histogram" || !statistic.endsWith("_estimate")) return {};
  const percentiles = ASSERTED.histogram.filter((key) => key.endsWith("_estimate"));
  const estimate = result.estimates?.[percentiles.indexOf(statistic)];
  if (estimate === undefined) return noteOf(result);
  const { lower, upper, interval } = estimate;
  return {
    certainly_between: [lower, Number.isFinite(upper) ? upper : "unbounded"],
    ...(Number.isNaN(interval[0]) ? {} : { interval_90_percent: interval }),
    ...noteOf(result),
  };
}

function noteOf(result: SeriesResult): AnswerFields {
  const note = result.kind === "histogram" ? result.estimateNote : undefined;
  return note === undefined ? {} : { note };
}

function slicesOf(
  head: AnswerFields,
  chosen: readonly ResultEntry[],
  { window }: QueriedRun,
  unit: string | undefined,
  offset: number | undefined,
): AnswerFields {
  const [entry] = chosen;
  if (entry === undefined || chosen.length > 1)
    throw new UserError(
      `${chosen.length} series match: slices are of one series.`,
      `Name labels or endpoint, such as ${JSON.stringify(chosen.slice(0, 2).map(({ key }) => seriesName(key)))}.`,
    );
  const table = complete(timesliceTable(chosen, { family: entry.key.family.name }, window.start));
  const rows = table.rows.map(({ start, end, complete: whole, values, estimates }) => [
    start / NS_PER_SECOND,
    end / NS_PER_SECOND,
    ...table.columns.map(({ key }) => {
      const bound = lastBoundBelow(estimates?.[key]);
      return bound === undefined ? (values[key] ?? NaN) : `>= ${bound}`;
    }),
    ...(whole ? [] : ["incomplete"]),
  ]);
  if (rows.length === 0)
    throw new UserError(
      "This file contains no slices.",
      "Give slice_seconds to compute them from samples, or ask for statistics.",
    );
  return withList(
    {
      ...head,
      ...seriesName(entry.key),
      columns: ["start_seconds", "end_seconds", ...table.columns.map(({ key }) => key)],
      units: Object.fromEntries(table.columns.map(({ key }) => [key, unitWords(key, unit)])),
      times: "seconds after the start of the window",
    },
    "slices",
    rows,
    { offset: offset ?? 0 },
  );
}
