import { t } from "@vscode/l10n";
import { differenceTrack } from "../../../src/core/compare/slices/difference-track.js";
import { joinedText } from "../../../src/core/catalog/joining.js";
import { NS_PER_SECOND } from "../../../src/core/model/index.js";
import { groupBy, mean } from "../../../src/core/math/index.js";
import { joinLines } from "../../../src/core/query/lines.js";
import type { ChartData, ChartLine } from "../../../src/protocol/index.js";
import { lineStyle, paletteIndex, PALETTE_SIZE } from "../../charts/line-styles.js";
import type { LegendEntry } from "../../charts/legend.js";
import { legendValues, toPoints } from "../../charts/lines.js";
import type { ChartModel, DrawnLine } from "../../charts/drawing.js";
import type { ChartTheme } from "../../charts/theme.js";
import { distinguishingNames, fullName } from "../../format/text.js";
import type { Viewport } from "../../state/run-store.js";
import type { Alignment, ChartQuantity } from "../layout.js";
import { secondsOf, type AlignedRun, MAX_JOINED, type Answered } from "./alignment.js";
import type { RunColors } from "../run-colors.js";

/** Where charts of compared runs lie in time. */
export interface ComparedAxis {
  readonly viewport: Viewport | undefined;
  readonly whole: Viewport;
  readonly alignment: Alignment;
}

/** What is drawn of one column of the comparison. */
export interface RunLines {
  readonly run: AlignedRun;
  readonly label: string;
  readonly unit: string | undefined;
  readonly lines: readonly DrawnLine[];
  /** Each run of a set by itself, thin: `lines` are their mean. */
  readonly repeats: readonly DrawnLine[];
  readonly legend: readonly LegendEntry[];
}

/** A run, or a set of repeats: what they have of a row, at times of the common axis in nanoseconds. */
export interface Side extends Pick<Answered<ChartData>, "run" | "column" | "seriesCount"> {
  readonly label: string;
  readonly unit: string | undefined;
  readonly apart: string | undefined;
  /** Of repeats the mean of each series. */
  readonly lines: readonly ChartLine[];
  /** Of repeats what that is the mean of, by `lines`. */
  readonly repeats: readonly (readonly { readonly run: AlignedRun; readonly line: ChartLine }[])[];
}

/** The answers by the columns of the comparison. @param labels of the columns */
export function sidesOf(answers: readonly Answered<ChartData>[], look: LineChoice, labels: readonly string[]): Side[] {
  return [...groupBy(answers, ({ column }) => column).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { run, column, seriesCount, data } = first;
    const runs = own.map((answer) => ({
      run: answer.run,
      lines: chosenLines(answer, look).map((line) => ({
        ...line,
        times: line.times.map((time) => time - answer.run.zero),
      })),
    }));
    const side = { run, column, seriesCount, unit: data?.unit, apart: data?.apart };
    if (own.length === 1) return [{ ...side, label: run.label, lines: runs[0]?.lines ?? [], repeats: [] }];
    const most = Math.max(...runs.map(({ lines }) => lines.length));
    const repeats = Array.from({ length: most }, (_, i) =>
      runs.flatMap(({ run, lines: { [i]: line } }) => (line === undefined ? [] : [{ run, line }])),
    );
    const lines = repeats.flatMap((series) => meanOf(series.map(({ line }) => line)));
    return [{ ...side, label: labels[column] ?? run.label, lines, repeats }];
  });
}

function meanOf(lines: readonly ChartLine[]): readonly ChartLine[] {
  const [first] = lines;
  if (first === undefined) return [];
  const { series, endpointUrl, labels, quantity } = first;
  const averages = lines.flatMap(({ average }) => average ?? []);
  return [
    {
      ...{ series, endpointUrl, labels, quantity, ...joinLines(lines, "mean") },
      ...(averages.length < lines.length ? {} : { average: mean(averages) }),
    },
  ];
}

/** Of a histogram's lines the one that is looked at, of others all, taken together where that can be done. */
function chosenLines({ data, seriesCount }: Answered<ChartData>, { quantity, join }: LineChoice): readonly ChartLine[] {
  const chosen = (data?.lines ?? []).filter(
    (line) => line.quantity === "value" || line.quantity === "rate" || line.quantity === quantity,
  );
  const [first] = chosen;
  if (join === undefined || first === undefined || chosen.length === 1 || seriesCount > MAX_JOINED) return chosen;
  const { series, endpointUrl, quantity: joined } = first;
  return [{ series, endpointUrl, labels: [], quantity: joined, ...joinLines(chosen, join) }];
}

/** What of a row's series is drawn. */
export interface LineChoice {
  readonly quantity: ChartQuantity;
  readonly join: "sum" | "mean" | undefined;
}

/** What one line of several series is. */
export function togetherText(join: LineChoice["join"], seriesCount: number): string {
  return join === undefined ? t`${seriesCount} series combined` : t`${joinedText(join, seriesCount)} series`;
}

/** Of the runs of a set, whose mean is what is looked at: thinner. */
const REPEAT_STYLE = { width: 0.9 };

/** Each run or set has one colour, from the 13th on with dashes; several series of it differ by their dashes. */
export function runLines(
  sides: readonly Side[],
  look: LineChoice,
  hidden: ReadonlySet<string>,
  theme: ChartTheme,
  colors: Pick<RunColors, "of">,
): RunLines[] {
  return sides.map(({ run, label, unit, seriesCount, lines, repeats }) => {
    const together = lines.length === 1 && seriesCount > 1 ? togetherText(look.join, seriesCount) : undefined;
    const names = distinguishingNames(lines);
    const made = lines.map((line, i) => {
      const key = `${run.id}/${line.series}`;
      const series = names[i] ?? "";
      const drawn = {
        key,
        name: series === "" ? label : `${label} · ${series}`,
        color: theme.palette[paletteIndex(colors.of(run.id))] ?? theme.foreground,
        style: lineStyle("value", colors.of(run.id) + i * PALETTE_SIZE),
        hidden: hidden.has(key),
        points: toPoints(line, 0),
      };
      return { drawn, line, series };
    });
    return {
      run,
      label,
      unit,
      lines: made.map(({ drawn }) => drawn),
      repeats: made.flatMap(({ drawn, series }, i) =>
        (repeats[i] ?? []).map((own) => ({
          ...drawn,
          key: `${drawn.key}/${own.run.id}`,
          name: series === "" ? own.run.label : `${own.run.label} · ${series}`,
          style: { ...drawn.style, ...REPEAT_STYLE },
          points: toPoints(own.line, 0),
        })),
      ),
      legend: made.map(({ drawn, line }, i) => {
        const runs = repeats[i] ?? [];
        const of = runs.length === 0 ? "" : t`, mean of ${runs.map((own) => own.run.label).join(", ")}`;
        return { ...drawn, title: `${label}${of}\n${together ?? fullName(line)}`, ...legendValues(line) };
      }),
    };
  });
}

/** Room for all that is drawn of any run, so that charts beside each other have one scale. */
export function commonRange(all: readonly RunLines[]): NonNullable<ChartModel["range"]> {
  let [low, high] = [0, 0];
  for (const { lines, repeats } of all) {
    for (const { points, hidden } of [...lines, ...repeats]) {
      if (hidden) continue;
      for (const { y } of points) {
        if (y < low) low = y;
        if (y > high) high = y;
      }
    }
  }
  return { low, high };
}

/** Marks and phases are drawn where they are those of every line: beside each other, or of the baseline. */
function placed(
  run: AlignedRun,
  { viewport, whole, alignment }: ComparedAxis,
  theme: ChartTheme,
): Omit<ChartModel, "lines" | "unit"> {
  const { header, zero } = run;
  const phases = alignment === "profiling";
  return {
    axis: viewport ?? whole,
    whole,
    captureStart: phases ? secondsOf(0, run) : 0,
    profilingEnd: header.profilingEnd === undefined ? undefined : secondsOf(header.profilingEnd, run),
    marks: header.marks.map((mark) => ({ time: secondsOf(mark.time, run), label: mark.label })),
    originMs: header.originMs,
    profilingStart: zero,
    theme,
  };
}

/** One run's chart of several beside each other. */
export function sideModel(one: RunLines, all: readonly RunLines[], axis: ComparedAxis, theme: ChartTheme): ChartModel {
  return {
    ...placed(one.run, axis, theme),
    lines: [...one.lines, ...one.repeats],
    unit: one.unit,
    range: commonRange(all),
  };
}

/** All runs in one chart. The end of profiling is drawn only where it is about the same in all. */
export function overlaidModel(all: readonly RunLines[], axis: ComparedAxis, theme: ChartTheme): ChartModel | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const place = placed(first.run, axis, theme);
  const end = place.profilingEnd ?? NaN;
  const together = all.every(
    ({ run }) => Math.abs(secondsOf(run.header.profilingEnd ?? NaN, run) - end) <= END_TOLERANCE,
  );
  return {
    ...place,
    profilingEnd: together ? end : undefined,
    lines: [...all.flatMap(({ lines }) => lines), ...all.flatMap(({ repeats }) => repeats)],
    unit: all.find((one) => one.unit !== undefined)?.unit,
  };
}

/** Seconds. */
const END_TOLERANCE = 2;

/** Why there is no difference over time, in a sentence; undefined where there is one, and without a candidate. */
export function differenceMissing(
  sides: readonly Side[],
  { quantity }: LineChoice,
  differences: readonly DrawnLine[],
): string | undefined {
  if (differences.length > 0 || sides.length < 2) return undefined;
  const several = sides.filter(({ lines }) => lines.length > 1);
  const separate = several.find(({ apart }) => apart !== undefined);
  if (separate !== undefined)
    return t`No difference is drawn of ${quantity}: in ${separate.label} ${separate.apart ?? ""}.`;
  if (several.length > 0) return t`No difference is drawn: more than ${MAX_JOINED} series on a side are not combined.`;
  const without = sides.filter(({ lines }) => lines.every(({ values }) => values.every(Number.isNaN)));
  // Where a candidate has lines beside the baseline's, the others are compared elsewhere.
  const [baseline, ...candidates] = sides;
  if (baseline !== undefined && (without.includes(baseline) || candidates.every((one) => without.includes(one))))
    return t`No difference is drawn: ${without.map(({ label }) => label).join(", ")} ${without.length === 1 ? t("has") : t("have")} no values here.`;
  return t("No difference is drawn: the runs have no time in common on this axis.");
}

/** Every candidate less the baseline over time; empty where a side is not one line. */
export function differenceLines(sides: readonly Side[], theme: ChartTheme, colors: Pick<RunColors, "of">): DrawnLine[] {
  const trackable = ({ lines: [line, ...more] }: Side) => (line === undefined || more.length > 0 ? undefined : line);
  const baseline = sides.find(({ column }) => column === 0);
  const reference = baseline === undefined ? undefined : trackable(baseline);
  if (baseline === undefined || reference === undefined) return [];
  return sides.flatMap((side) => {
    const line = side === baseline ? undefined : trackable(side);
    if (line === undefined) return [];
    // In wall-clock time runs seldom have any in common.
    const track = differenceTrack(reference, line);
    if (track.values.every(Number.isNaN)) return [];
    return [
      {
        key: `${side.run.id}/difference`,
        name: t`${side.label} minus ${baseline.label}`,
        color: theme.palette[paletteIndex(colors.of(side.run.id))] ?? theme.foreground,
        style: lineStyle("value", colors.of(side.run.id)),
        hidden: false,
        points: Array.from(track.times, (time, i) => ({ x: time / NS_PER_SECOND, y: track.values[i] ?? NaN })),
      },
    ];
  });
}

/** Under the runs' own charts. */
export function differenceChart(lines: readonly DrawnLine[], overlaid: ChartModel): ChartModel {
  return { ...overlaid, marks: [], profilingEnd: undefined, lines };
}
