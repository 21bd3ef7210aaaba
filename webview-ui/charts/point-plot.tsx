import { t } from "@vscode/l10n";
import { placeLabels } from "./place-labels.js";
import type { PlotAxis, ShownCell } from "./plot-axis.js";
import { PlotAxes, plotBox, useWidth, type PlotBox } from "./plot-axes.js";

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
  readonly isSelected?: boolean;
  /** Absent: nothing opens. */
  readonly onPick?: ((event: MouseEvent | KeyboardEvent) => void) | undefined;
}

interface PointPlotProps {
  readonly label: string;
  readonly axes: (ticks: PlotBox["ticks"]) => { readonly x: PlotAxis; readonly y: PlotAxis };
  readonly points: readonly PlottedPoint[];
  /** Points that a line goes through, in its order. */
  readonly courses: readonly (readonly PlottedPoint[])[];
  /** A value that is drawn across. */
  readonly limit?: number;
  /** Each is a stop of the Tab key: of few points, that nothing beside the plot lists. */
  readonly isWalked?: boolean;
}

/** Points between two axes, with bars for their intervals; what lies at no place of an axis is left out. */
export function PointPlot(props: PointPlotProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  return <div ref={box}>{width > 0 && <Plot {...props} width={width} />}</div>;
}

function Plot({
  label,
  axes,
  points,
  courses,
  limit,
  isWalked = false,
  width,
}: PointPlotProps & { readonly width: number }) {
  const box = plotBox(width);
  const { x, y } = axes(box.ticks);
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
      <clipPath id="plot-inside">
        <rect x={box.left} y={0} width={width - box.left} height={box.bottom + 1} />
      </clipPath>
      <PlotAxes
        box={box}
        x={x.ticks.map(({ at, text }) => ({ at: across(at), text }))}
        y={y.ticks.map(({ at, text }) => ({ at: up(at), text }))}
      />
      {limitAt !== undefined && (
        <line class="plot-limit" x1={box.left} x2={box.right} y1={up(limitAt)} y2={up(limitAt)} />
      )}
      {courses.map((course) => (
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
            <g class="plot-interval" clip-path="url(#plot-inside)">
              {wide !== undefined && <line x1={wide[0]} x2={wide[1]} y1={cy} y2={cy} />}
              {high !== undefined && <line x1={cx} x2={cx} y1={high[0]} y2={high[1]} />}
            </g>
            {point.isKnee === true && <rect x={cx - 10} y={cy - 10} width={20} height={20} class="plot-ring" />}
            {point.isPareto === true && <circle cx={cx} cy={cy} r={7} class="plot-ring" />}
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
