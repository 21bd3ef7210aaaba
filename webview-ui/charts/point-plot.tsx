import { t } from "@vscode/l10n";
import { useId } from "preact/hooks";
import { plotAxis, PlotAxes, plotBox, useWidth, type PlotAxis, type ShownCell } from "./plot-axes.js";

/** A point of a plot, in the terms of its axes. */
export interface PlottedPoint {
  readonly key: string;
  readonly x: ShownCell;
  readonly y: ShownCell;
  /** From one end of a bar to the other. */
  readonly wide?: readonly [number, number] | undefined;
  readonly high?: readonly [number, number] | undefined;
  readonly color: string;
  /** What it is, a line each. */
  readonly name: string;
  /** Written beside it where there is room. */
  readonly label?: string | undefined;
  readonly isKnee?: boolean;
  readonly isPareto?: boolean;
  readonly isDecided?: boolean;
  readonly isSelected?: boolean;
  /** Absent: nothing opens. */
  readonly onPick?: ((event: MouseEvent | KeyboardEvent) => void) | undefined;
}

/** What lies along one side of a plot. */
interface PlotSide {
  /** Absent: it is told elsewhere. */
  readonly title?: string | undefined;
  readonly unit?: string | undefined;
  /** For so many ticks; absent: that of the points' values, from 0. */
  readonly axis?: (ticks: number) => PlotAxis;
}

interface PointPlotProps {
  readonly label: string;
  readonly x: PlotSide;
  readonly y: PlotSide;
  readonly courses: readonly (readonly PlottedPoint[])[];
  /** A line goes through each course, in its order. */
  readonly isJoined?: boolean;
  /** A value that is drawn across. */
  readonly limit?: number;
  /** Values upwards that are marked, and what they are. */
  readonly band?: { readonly from: number; readonly to: number; readonly text: string };
  /** What colours mean; absent: nothing is said of any mark. */
  readonly colors?: PlotKeyProps["colors"];
  /** What is written beside points. */
  readonly labels?: string | undefined;
  /** Absent: by the width. */
  readonly height?: number;
  /** Each is a stop of the Tab key: of few points, that nothing beside the plot lists. */
  readonly isWalked?: boolean;
}

/** Points between two axes, with bars for their intervals; what lies at no place of an axis is left out. */
export function PointPlot(props: PointPlotProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const { x, y, courses, colors, labels } = props;
  return (
    <>
      {y.title !== undefined && <div class="plot-title muted">{y.title}</div>}
      <div ref={box}>{width > 0 && <Plot {...props} width={width} />}</div>
      {x.title !== undefined && <div class="plot-title plot-below muted">{x.title}</div>}
      {colors !== undefined && <PlotKey points={courses.flat()} colors={colors} labels={labels} />}
    </>
  );
}

function Plot({
  label,
  courses,
  isJoined = false,
  limit,
  band,
  isWalked = false,
  width,
  height,
  ...sides
}: PointPlotProps & { readonly width: number }) {
  const box = plotBox(width, height);
  const inside = useId();
  const points = courses.flat();
  const axisOf = (way: "x" | "y", bar: "wide" | "high") => {
    const { axis, unit } = sides[way];
    const values = points.map((point) => point[way]);
    const ends = points.map((point) => point[bar]?.[1]);
    const ticks = box.ticks[way];
    return axis?.(ticks) ?? plotAxis(way === "y" ? [...values, limit ?? null] : values, unit, ticks, ends);
  };
  const [x, y] = [axisOf("x", "wide"), axisOf("y", "high")];
  const across = (at: number) => box.left + at * (box.right - box.left);
  const up = (at: number) => box.bottom - at * (box.bottom - box.top);
  const placed = points.flatMap((point) => {
    const [right, high] = [x.place(point.x), y.place(point.y)];
    return right === undefined || high === undefined ? [] : [{ point, x: across(right), y: up(high) }];
  });
  const placeOf = new Map(placed.map(({ point, ...place }) => [point, place]));
  // The heaviest loads lie furthest apart: theirs are written first.
  const written = placed
    .map(({ point, ...place }) => ({ ...place, point, text: point.label ?? "" }))
    .sort((a, b) => Number(b.text) - Number(a.text));
  const labels = placeLabels(written, { left: box.left, right: width, top: 0, bottom: box.bottom });
  const labelOf = new Map(written.map(({ point }, i) => [point, labels[i]]));
  const limitAt = limit === undefined ? undefined : y.place(limit);
  const [bandTop, bandFoot] = band === undefined ? [] : [band.to, band.from].map((value) => up(y.place(value) ?? 0));
  /** Pixels of both ends of a bar. */
  const ends = (bar: readonly [number, number] | undefined, axis: PlotAxis, pixel: (at: number) => number) => {
    const [from, to] = bar === undefined || !axis.isNumeric ? [] : bar.map(axis.place);
    return from === undefined || to === undefined ? undefined : ([pixel(from), pixel(to)] as const);
  };
  return (
    <svg
      class="plot"
      width={width}
      height={box.height}
      viewBox={`0 0 ${width} ${box.height}`}
      role={isWalked ? "group" : "img"}
      aria-label={label}
    >
      <clipPath id={inside}>
        <rect x={box.left} y={box.top} width={width - box.left} height={box.bottom - box.top + 1} />
      </clipPath>
      <PlotAxes
        box={box}
        x={x.ticks.map(({ at, text }) => ({ at: across(at), text }))}
        y={y.ticks.map(({ at, text }) => ({ at: up(at), text }))}
      />
      {bandTop !== undefined && bandFoot !== undefined && (
        <g class="plot-band" clip-path={`url(#${inside})`}>
          <rect x={box.left} width={box.right - box.left} y={bandTop} height={bandFoot - bandTop} />
          <text x={box.right - 4} y={bandTop - 4} text-anchor="end">
            {band?.text}
          </text>
        </g>
      )}
      {limitAt !== undefined && (
        <line class="plot-limit" x1={box.left} x2={box.right} y1={up(limitAt)} y2={up(limitAt)} />
      )}
      {(isJoined ? courses : []).map((course) => (
        <polyline
          key={course[0]?.key}
          class="plot-line"
          style={{ color: course[0]?.color }}
          points={course
            .flatMap((point) => placeOf.get(point) ?? [])
            .map((place) => `${place.x},${place.y}`)
            .join(" ")}
        />
      ))}
      {placed.map(({ point, x: cx, y: cy }) => {
        const [wide, high] = [ends(point.wide, x, across), ends(point.high, y, up)];
        const text = labelOf.get(point);
        const { name, onPick } = point;
        const line = name.replaceAll("\n", ", ");
        const stop = !isWalked
          ? {}
          : onPick === undefined
            ? { role: "img" as const, "aria-label": line }
            : {
                role: "button" as const,
                // As SVG spells it: attribute names of its elements keep their case.
                tabindex: 0,
                "aria-label": t`Open the run of ${line}`,
                onKeyDown: (event: KeyboardEvent) => {
                  if (event.key !== "Enter" && event.key !== " ") return;
                  event.preventDefault();
                  onPick(event);
                },
              };
        return (
          <g
            key={point.key}
            class={`plot-point ${point.isSelected === true ? "selected" : ""} ${onPick === undefined ? "plot-still" : ""}`}
            style={{ color: point.color }}
            onClick={onPick}
            {...stop}
          >
            <title>{name}</title>
            <g class="plot-interval" clip-path={`url(#${inside})`}>
              {wide !== undefined && <line x1={wide[0]} x2={wide[1]} y1={cy} y2={cy} />}
              {high !== undefined && <line x1={cx} x2={cx} y1={high[0]} y2={high[1]} />}
            </g>
            {point.isKnee === true && <rect x={cx - 10} y={cy - 10} width={20} height={20} class="plot-ring" />}
            {point.isPareto === true && <circle cx={cx} cy={cy} r={7} class="plot-ring" />}
            {point.isDecided === true && <circle cx={cx} cy={cy} r={8} class="plot-ring plot-decided" />}
            <circle cx={cx} cy={cy} r={12} class="plot-target" />
            <circle cx={cx} cy={cy} r={4} />
            {text !== undefined && (
              <text {...text} aria-hidden="true">
                {point.label}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

interface PlotKeyProps {
  readonly points: readonly PlottedPoint[];
  /** What colours mean. */
  readonly colors: readonly { readonly text: string; readonly color: string }[];
  /** What is written beside points. */
  readonly labels?: string | undefined;
}

/** What the marks mean, each said only where it is drawn. */
export function PlotKey({ points, colors, labels }: PlotKeyProps) {
  const swatch = (content: preact.ComponentChildren) => (
    <svg class="plot-swatch" width={22} height={22} aria-hidden="true">
      {content}
    </svg>
  );
  return (
    <figcaption class="plot-key">
      {colors.map(({ text, color }) => (
        <span key={text} style={{ "--plot-color": color }}>
          {swatch(<circle cx={11} cy={11} r={4} class="plot-dot" />)} {text}
        </span>
      ))}
      {points.some(({ isPareto }) => isPareto) && (
        <span title={t("No other run has at least this throughput at no more latency")}>
          {swatch(<circle cx={11} cy={11} r={7} />)} {t("Pareto frontier")}
        </span>
      )}
      {points.some(({ isKnee }) => isKnee) && (
        <span title={t("From here on more load costs more latency than it gains throughput")}>
          {swatch(<rect x={2} y={2} width={18} height={18} />)} {t("knee")}
        </span>
      )}
      {points.some(({ wide, high }) => wide !== undefined || high !== undefined) && (
        <span>
          {swatch(<path d="M2 11H20M11 2V20" />)} {t("95 % intervals")}
        </span>
      )}
      {labels !== undefined && <span class="muted">{t`Numbers beside points: ${labels}.`}</span>}
    </figcaption>
  );
}

/** A text to be written beside a point, pixels. */
export interface Labelled {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Where labels may stand. */
interface Bounds {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Of a digit, and of a line without its descenders. */
const DIGIT = 7;
const LINE = 10;
/** From the middle of a point to its label, and how much room the point itself takes. */
const ASIDE = 11;
const POINT = 5;
/** A label is no further above or below its point. */
const BELOW = 16;
const ABOVE = -8;

/**
 * Where each text begins, on its base line, so that none lies on another, on a point or beyond the bounds; undefined
 * for those that have no such place. Those that come first choose first.
 */
export function placeLabels(
  points: readonly Labelled[],
  bounds: Bounds,
): readonly ({ readonly x: number; readonly y: number } | undefined)[] {
  const taken: Bounds[] = points.map(({ x, y }) => ({
    left: x - POINT,
    right: x + POINT,
    top: y - POINT,
    bottom: y + POINT,
  }));
  return points.map(({ x, y, text }) => {
    if (text === "") return undefined;
    const width = text.length * DIGIT;
    for (const [dx, dy] of [
      [ASIDE, BELOW],
      [ASIDE, ABOVE],
      [-ASIDE - width, ABOVE],
      [-ASIDE - width, BELOW],
    ] as const) {
      const box = { left: x + dx, right: x + dx + width, top: y + dy - LINE, bottom: y + dy };
      if (!inside(box, bounds) || taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      return { x: box.left, y: box.bottom };
    }
    return undefined;
  });
}

const inside = (box: Bounds, { left, right, top, bottom }: Bounds): boolean =>
  box.left >= left && box.right <= right && box.top >= top && box.bottom <= bottom;

const overlap = (a: Bounds, b: Bounds): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
