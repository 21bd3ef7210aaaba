import { t } from "@vscode/l10n";
import { groupBy } from "../../src/core/math/index.js";
import { splitValue } from "../../src/core/catalog/display.js";
import type { ChartData, ChartLine, RunHeader, SeriesChange } from "../../src/protocol/index.js";
import type { Threshold } from "../assertions/assertions.js";
import { distinguishingNames, fullName } from "../format/text.js";
import { relativeSeconds } from "../format/time.js";
import type { Viewport } from "../state/run-store.js";
import type { ColorBook } from "../state/color-book.js";
import type { Band } from "./band.js";
import { changeMarks } from "./marks.js";
import { lineStyle, paletteIndex, percentileLook, denseStyle } from "./line-styles.js";
import type { LegendEntry } from "./legend.js";
import { legendValues, toPoints } from "./lines.js";
import type { ChartModel, Times } from "./drawing.js";
import type { ChartTheme } from "./theme.js";

/** Identity of a line within its chart, from one answer to the next. */
export function lineKey(line: Pick<ChartLine, "series" | "quantity">): string {
  return `${line.series}/${line.quantity}`;
}

/**
 * The axis of a run without a zoom: from its first scrape to its newest.
 * @param ends of what is drawn of it, seconds: an answer may be newer than the header
 */
export function wholeRun(header: Pick<RunHeader, "now" | "profilingStart">, ends: readonly number[] = []): Viewport {
  const from = relativeSeconds(0, header.profilingStart);
  return { from, to: Math.max(relativeSeconds(header.now, header.profilingStart), from + 5, ...ends) };
}

/** Where a run and its parts begin and end, and its marks, in seconds from the start of profiling. */
export function timesOf(
  header: Pick<RunHeader, "now" | "profilingStart" | "profilingEnd" | "window" | "marks" | "load" | "phases">,
  viewport: Viewport | undefined,
  whole = wholeRun(header),
): Times & Pick<ChartModel, "marks"> {
  const seconds = (offset: number) => relativeSeconds(offset, header.profilingStart);
  const warmup = header.phases?.find(({ kind }) => kind === "warmup");
  return {
    axis: viewport ?? whole,
    whole,
    captureStart: seconds(0),
    idleUntil: header.load?.rule === "load" ? seconds(warmup?.start ?? header.profilingStart) : undefined,
    profilingEnd: header.profilingEnd === undefined ? undefined : seconds(header.profilingEnd),
    window: header.window && { from: seconds(header.window.start), to: seconds(header.window.end) },
    marks: header.marks.map((mark) => ({ time: seconds(mark.time), label: mark.label })),
  };
}

/** The unit as the axis says it: scaled to the greatest value drawn ("ms", not "seconds"; "%", not "ratio"). */
export function drawnUnit({ unit, lines }: Pick<ChartData, "unit" | "lines">): string {
  let greatest = 0;
  for (const { values } of lines)
    for (const value of values) if (Math.abs(value) > greatest) greatest = Math.abs(value);
  return splitValue(greatest, unit).unit;
}

/** What tells lines apart from the others of their family. */
function namesOf(lines: readonly ChartLine[], labelled: RunHeader["endpoints"]): readonly string[] {
  const names = new Map<ChartLine, string>();
  for (const own of groupBy(lines, ({ family }) => family).values())
    distinguishingNames(own, labelled).forEach((name, i) => own[i] !== undefined && names.set(own[i], name));
  return lines.map((line) => names.get(line) ?? "");
}

/** What Chart.js draws and what the legend says, from an answer, the run's header and the theme. */
export function chartModel(
  data: ChartData,
  header: RunHeader,
  viewport: Viewport | undefined,
  hidden: ReadonlySet<string>,
  colors: ColorBook,
  theme: ChartTheme,
  thresholds: readonly Threshold[] = [],
  band?: Band,
  changes: readonly SeriesChange[] = [],
  logarithmic = false,
  titleOf = (family: string) => family,
): { readonly model: ChartModel; readonly legend: readonly LegendEntry[] } {
  const { lines } = band?.data ?? data;
  const names = band?.names ?? namesOf(lines, header.endpoints);
  const series = [...new Set(lines.map((line) => line.series))];
  const alone = series.length === 1 && !lines.some(({ quantity }) => quantity === "median");
  const seconds = (offset: number) => relativeSeconds(offset, header.profilingStart);
  const legend = lines.map((line, i): LegendEntry => {
    const look = alone ? percentileLook(line.quantity) : undefined;
    const { family } = line;
    // Families of one chart have the same series: each line's place among them tells them apart.
    const slot = family === undefined ? colors.slot(line.endpointUrl, line.labels) : series.indexOf(line.series);
    const plain = line.quantity === "value" || line.quantity === "rate";
    const seriesName = [...(family === undefined ? [] : [titleOf(family)]), names[i] ?? ""]
      .filter((part) => part !== "")
      .join(" · ");
    const name = [seriesName, plain ? "" : line.quantity].filter((part) => part !== "").join(" · ");
    return {
      key: lineKey(line),
      name: name === "" ? line.quantity : name,
      ...(plain ? {} : { group: seriesName, quantity: line.quantity }),
      title: line.endpointUrl === "" ? t`${line.quantity} of all series` : `${fullName(line)}\n${line.quantity}`,
      color: theme.palette[look?.index ?? paletteIndex(slot)] ?? theme.foreground,
      style: look?.style ?? lineStyle(line.quantity, slot),
      // The band's upper edge comes right before its lower one.
      ...(band !== undefined && line.quantity === "p90" ? { fillsToNext: true as const } : {}),
      hidden: hidden.has(lineKey(line)),
      points: toPoints(line, header.profilingStart),
      ...(line.incompleteFrom === undefined ? {} : { incompleteFrom: seconds(line.incompleteFrom) }),
      ...legendValues(line),
    };
  });
  const drawn = legend.map((entry) => ({ ...entry, style: denseStyle(entry.style, entry.points, lines.length) }));
  const ends = drawn.flatMap(({ points }) => points.at(-1)?.x ?? []);
  const marked = lines.flatMap((line, i) => (drawn[i] === undefined ? [] : [{ line, drawn: drawn[i] }]));
  return {
    legend,
    model: {
      lines: drawn,
      unit: data.unit,
      logarithmic,
      ...timesOf(header, viewport, wholeRun(header, ends)),
      thresholds,
      changes: changes.length === 0 ? [] : changeMarks(changes, marked, header.profilingStart, data.unit),
      events: (header.events ?? []).map((event) => ({ ...event, time: seconds(event.time) })),
      originMs: header.originMs,
      profilingStart: header.profilingStart,
      theme,
    },
  };
}
