import { differenceTrack } from "../../../src/core/compare/slices/difference-track.js";
import { joinedText } from "../../../src/core/catalog/joining.js";
import { NS_PER_SECOND } from "../../../src/core/model/index.js";
import { joinLines } from "../../../src/core/query/join-lines.js";
import type { ChartData, ChartLine } from "../../../src/protocol/index.js";
import { lineStyle, paletteIndex, PALETTE_SIZE } from "../../charts/colors.js";
import type { LegendEntry } from "../../charts/legend.js";
import { legendValues, toPoints } from "../../charts/lines.js";
import type { ChartModel, DrawnLine } from "../../charts/drawing.js";
import type { ChartTheme } from "../../charts/theme.js";
import { distinguishingNames, fullName } from "../../format/text.js";
import type { Viewport } from "../../state/run-store.js";
import type { Alignment, ChartQuantity } from "../layout.js";
import { secondsOf, type AlignedRun } from "./alignment.js";
import { MAX_JOINED, type Answered } from "./asked.js";
import type { RunColors } from "../run-colors.js";

/** Where charts of compared runs lie in time. */
export interface ComparedAxis {
  readonly viewport: Viewport | undefined;
  readonly whole: Viewport;
  readonly alignment: Alignment;
}

/** One run's part of a chart. */
export interface RunLines {
  readonly run: AlignedRun;
  readonly column: number;
  readonly unit: string | undefined;
  readonly lines: readonly DrawnLine[];
  readonly legend: readonly LegendEntry[];
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
  return join === undefined ? `${seriesCount} series combined` : `${joinedText(join, seriesCount)} series`;
}

/** Each run has one colour; several series of a run differ by their dashes. */
export function runLines(
  answers: readonly Answered<ChartData>[],
  look: LineChoice,
  hidden: ReadonlySet<string>,
  theme: ChartTheme,
  colors: Pick<RunColors, "of">,
): RunLines[] {
  return answers.map((answer) => {
    const { run, column, data, seriesCount } = answer;
    const chosen = chosenLines(answer, look);
    const together = chosen.length === 1 && seriesCount > 1 ? togetherText(look.join, seriesCount) : undefined;
    const names = distinguishingNames(chosen);
    const made = chosen.map((line, i) => {
      const key = `${run.id}/${line.series}`;
      const series = names[i] ?? "";
      return {
        drawn: {
          key,
          name: series === "" ? run.label : `${run.label} · ${series}`,
          color: theme.palette[paletteIndex(colors.of(run.id))] ?? theme.foreground,
          style: lineStyle("value", i * PALETTE_SIZE),
          hidden: hidden.has(key),
        },
        line,
      };
    });
    return {
      run,
      column,
      unit: data?.unit,
      lines: made.map(({ drawn, line }) => ({ ...drawn, points: toPoints(line, run.zero) })),
      legend: made.map(({ drawn, line }) => ({
        ...drawn,
        title: `${run.label}\n${together ?? fullName(line)}`,
        ...legendValues(line),
      })),
    };
  });
}

/** Room for all that is drawn of any run, so that charts beside each other have one scale. */
export function commonRange(all: readonly RunLines[]): NonNullable<ChartModel["range"]> {
  let [low, high] = [0, 0];
  for (const { lines } of all) {
    for (const { points, hidden } of lines) {
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
    ...(header.profilingEnd === undefined ? {} : { profilingEnd: secondsOf(header.profilingEnd, run) }),
    marks: header.marks.map((mark) => ({ time: secondsOf(mark.time, run), label: mark.label })),
    events: [],
    originMs: header.originMs,
    profilingStart: zero,
    theme,
  };
}

/** One run's chart of several beside each other. */
export function sideModel(one: RunLines, all: readonly RunLines[], axis: ComparedAxis, theme: ChartTheme): ChartModel {
  return {
    ...placed(one.run, axis, theme),
    lines: one.lines,
    ...(one.unit === undefined ? {} : { unit: one.unit }),
    range: commonRange(all),
  };
}

/** All runs in one chart. The end of profiling is drawn only where it is about the same in all. */
export function overlaidModel(all: readonly RunLines[], axis: ComparedAxis, theme: ChartTheme): ChartModel | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const { profilingEnd, ...place } = placed(first.run, axis, theme);
  const unit = all.find((one) => one.unit !== undefined)?.unit;
  const ends = all.map(({ run }) =>
    run.header.profilingEnd === undefined ? NaN : secondsOf(run.header.profilingEnd, run),
  );
  const together = profilingEnd !== undefined && ends.every((end) => Math.abs(end - profilingEnd) <= END_TOLERANCE);
  return {
    ...place,
    ...(together ? { profilingEnd } : {}),
    lines: all.flatMap(({ lines }) => lines),
    ...(unit === undefined ? {} : { unit }),
  };
}

/** Seconds. */
const END_TOLERANCE = 2;

/** Why there is no difference over time, in a sentence; undefined where there is one, and without a candidate. */
export function differenceMissing(
  answers: readonly Answered<ChartData>[],
  look: LineChoice,
  differences: readonly DrawnLine[],
): string | undefined {
  if (differences.length > 0 || answers.length < 2) return undefined;
  const several = answers.filter((answer) => chosenLines(answer, look).length > 1);
  const apart = several.find(({ data }) => data?.apart !== undefined);
  if (apart !== undefined)
    return `No difference is drawn of ${look.quantity}: in ${apart.run.label} ${apart.data?.apart}.`;
  if (several.length > 0) return `No difference is drawn: more than ${MAX_JOINED} series on a side are not combined.`;
  const without = answers.filter((answer) =>
    chosenLines(answer, look).every(({ values }) => values.every(Number.isNaN)),
  );
  // Where a candidate has lines beside the baseline's, the others are compared elsewhere.
  const [baseline, ...candidates] = answers;
  if (baseline !== undefined && (without.includes(baseline) || candidates.every((one) => without.includes(one))))
    return `No difference is drawn: ${without.map(({ run }) => run.label).join(", ")} ${without.length === 1 ? "has" : "have"} no values here.`;
  return "No difference is drawn: the runs have no time in common on this axis.";
}

/** Every candidate less the baseline over time; empty where a side is not one line. */
export function differenceLines(
  answers: readonly Answered<ChartData>[],
  look: LineChoice,
  theme: ChartTheme,
  colors: Pick<RunColors, "of">,
): DrawnLine[] {
  const lineOf = (answer: Answered<ChartData>): ChartLine | undefined => {
    const lines = chosenLines(answer, look);
    return lines.length === 1 ? lines[0] : undefined;
  };
  const baseline = answers.find(({ column }) => column === 0);
  const reference = baseline === undefined ? undefined : lineOf(baseline);
  if (baseline === undefined || reference === undefined) return [];
  return answers.flatMap((answer) => {
    const line = answer.column === 0 ? undefined : lineOf(answer);
    if (line === undefined) return [];
    // In wall-clock time runs seldom have any in common.
    const track = differenceTrack(
      { times: reference.times, values: reference.values, anchor: baseline.run.zero },
      { times: line.times, values: line.values, anchor: answer.run.zero },
    );
    if (track.values.every(Number.isNaN)) return [];
    return [
      {
        key: `${answer.run.id}/difference`,
        name: `${answer.run.label} minus ${baseline.run.label}`,
        color: theme.palette[paletteIndex(colors.of(answer.run.id))] ?? theme.foreground,
        style: lineStyle("value", 0),
        hidden: false,
        points: Array.from(track.times, (time, i) => ({ x: time / NS_PER_SECOND, y: track.values[i] ?? NaN })),
      },
    ];
  });
}

/** Under the runs' own charts. */
export function differenceChart(lines: readonly DrawnLine[], overlaid: ChartModel): ChartModel {
  const { marks: _marks, profilingEnd: _end, ...rest } = overlaid;
  return { ...rest, marks: [], lines };
}
