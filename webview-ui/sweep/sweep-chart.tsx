import { formatValue } from "../../src/core/catalog/display.js";
import { loadText, sweepColumns } from "../../src/core/sweep/report.js";
import type { Estimated } from "../../src/core/sweep/types.js";
import type { Sweep, SweepPoint, SweepSeries } from "../../src/protocol/sweep.js";
import { PALETTE_SIZE } from "../charts/colors.js";
import { PlotAxes, plotBox, useWidth } from "../charts/plot-axes.js";
import { roundTicks } from "../format/ticks.js";
import { isSymbol } from "../format/unit.js";
import { placeLabels } from "./place-labels.js";

/** An interval may stretch the axis this far beyond the greatest value; the rest of it is cut off at the edge. */
const STRETCH = 1.35;

interface SweepChartProps {
  readonly sweep: Sweep;
  /** Absent: the runs are not there. */
  readonly open?: ((path: string) => void) | undefined;
}

/** Latency to the right, throughput upwards. A click opens a run. */
export function SweepChart({ sweep, open }: SweepChartProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [, throughputTitle, latencyTitle] = sweepColumns(sweep);
  const { unit } = sweep.throughput;
  return (
    <figure class="card sweep-figure">
      <div class="sweep-axis-title muted">{`${throughputTitle ?? ""}, ${unit}`}</div>
      <div ref={box}>{width > 0 && <Plot sweep={sweep} open={open} width={width} />}</div>
      <div class="sweep-axis-title sweep-below muted">{latencyTitle}</div>
      <Key sweep={sweep} />
    </figure>
  );
}

function Plot({ sweep, open, width }: SweepChartProps & { readonly width: number }) {
  const points = sweep.series.flatMap((series) => series.points);
  const box = plotBox(width);
  const right = reach(points.map(({ latency }) => latency));
  const top = reach(points.map(({ throughput }) => throughput));
  const x = (value: number) => box.left + (value / right) * (box.right - box.left);
  const y = (value: number) => box.bottom - (value / top) * (box.bottom - box.top);
  const { unit } = sweep.throughput;
  // The heaviest loads lie furthest apart: theirs are written first.
  const written = points
    .map((point) => ({
      point,
      x: x(point.latency.value),
      y: y(point.throughput.value),
      text: point.load === undefined ? "" : String(point.load.value),
    }))
    .sort((a, b) => Number(b.text) - Number(a.text));
  const places = placeLabels(written, { left: box.left, right: width, top: 0, bottom: box.bottom });
  const labelOf = new Map(written.map(({ point }, i) => [point, places[i]]));
  return (
    <svg class="sweep-chart" width={width} height={box.height} role="group" aria-label="Throughput against latency">
      <clipPath id="sweep-plot">
        <rect x={box.left} y={0} width={width - box.left} height={box.bottom + 1} />
      </clipPath>
      <PlotAxes
        box={box}
        x={roundTicks(right, box.ticks.x, "seconds").map((value) => ({
          at: x(value),
          text: value === 0 ? "0" : formatValue(value, "seconds"),
        }))}
        y={roundTicks(top, box.ticks.y, unit).map((value) => ({
          at: y(value),
          text: formatValue(value, isSymbol(unit) ? unit : undefined),
        }))}
      />
      {sweep.series.map((series, s) => (
        <Course
          key={series.configuration}
          series={series}
          color={colorOf(s)}
          unit={unit}
          x={x}
          y={y}
          labelOf={(point) => labelOf.get(point)}
          open={open}
        />
      ))}
    </svg>
  );
}

/** The end of an axis: beyond all values, and beyond their intervals where these are not far longer. */
function reach(estimates: readonly Estimated[]): number {
  const most = Math.max(...estimates.map(({ value }) => value));
  const upper = Math.max(...estimates.map(({ value, interval }) => interval?.[1] ?? value));
  return Math.max(most, Math.min(upper, most * STRETCH)) * 1.04 || 1;
}

const colorOf = (series: number) => `var(--sm-series-${(series % PALETTE_SIZE) + 1})`;

interface CourseProps {
  readonly series: SweepSeries;
  readonly color: string;
  readonly unit: string;
  readonly x: (latency: number) => number;
  readonly y: (throughput: number) => number;
  /** Where a point's load is written. */
  readonly labelOf: (point: SweepPoint) => { readonly x: number; readonly y: number } | undefined;
  /** Absent: the runs are not there. */
  readonly open?: ((path: string) => void) | undefined;
}

/** The points of one configuration and the line through them, in the order of their load. */
function Course({ series: { configuration, points, knee }, color, unit, x, y, labelOf, open }: CourseProps) {
  const places = points.map(({ latency, throughput }) => [x(latency.value), y(throughput.value)] as const);
  return (
    <g style={{ color }}>
      <polyline class="sweep-line" points={places.map((place) => place.join(",")).join(" ")} />
      {points.map((point, i) => {
        const [cx, cy] = places[i] ?? [0, 0];
        const { latency, throughput, load, pareto, paths } = point;
        const label = labelOf(point);
        const name = [configuration, ...pointText(point, unit, i === knee)].join(", ");
        const go = () => open?.(paths[0] ?? "");
        const pressed =
          open === undefined
            ? { role: "img" as const, "aria-label": name }
            : {
                role: "button" as const,
                // As SVG spells it: attribute names of its elements keep their case.
                tabindex: 0,
                "aria-label": `Open the run of ${name}`,
                onClick: go,
                onKeyDown: (event: KeyboardEvent) => {
                  if (event.key !== "Enter" && event.key !== " ") return;
                  event.preventDefault();
                  go();
                },
              };
        return (
          <g key={paths.join(" ")} class={open === undefined ? "sweep-point sweep-still" : "sweep-point"} {...pressed}>
            <title>{name}</title>
            <g class="sweep-interval" clip-path="url(#sweep-plot)">
              {throughput.interval !== undefined && (
                <line x1={cx} x2={cx} y1={y(throughput.interval[0])} y2={y(throughput.interval[1])} />
              )}
              {latency.interval !== undefined && (
                <line x1={x(latency.interval[0])} x2={x(latency.interval[1])} y1={cy} y2={cy} />
              )}
            </g>
            {i === knee && <rect x={cx - 10} y={cy - 10} width={20} height={20} class="sweep-ring" />}
            {pareto && <circle cx={cx} cy={cy} r={7} class="sweep-ring" />}
            <circle cx={cx} cy={cy} r={12} class="sweep-target" />
            <circle cx={cx} cy={cy} r={4} />
            {label !== undefined && load !== undefined && (
              <text {...label} aria-hidden="true">
                {load.value}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

/** What a point says: "concurrency 8", "3,240 tokens/s at 1.64 s", "knee". */
function pointText({ load, throughput, latency, pareto }: SweepPoint, unit: string, isKnee: boolean): string[] {
  return [
    loadText(load),
    `${formatValue(throughput.value, unit)} at ${formatValue(latency.value, "seconds")}`,
    ...(isKnee ? ["knee"] : []),
    ...(pareto ? ["on the Pareto frontier"] : []),
  ];
}

/** What the marks mean, each said only where it is drawn. */
function Key({ sweep: { series } }: { readonly sweep: Sweep }) {
  const points = series.flatMap((one) => one.points);
  const kinds = [...new Set(points.flatMap(({ load }) => load?.kind ?? []))];
  const swatch = (content: preact.ComponentChildren) => (
    <svg class="sweep-swatch" width={22} height={22} aria-hidden="true">
      {content}
    </svg>
  );
  return (
    <figcaption class="sweep-key">
      {series.length > 1 &&
        series.map(({ configuration }, s) => (
          <span key={configuration} style={{ "--sweep-color": colorOf(s) }}>
            {swatch(<circle cx={11} cy={11} r={4} class="sweep-dot" />)} {configuration}
          </span>
        ))}
      {points.some(({ pareto }) => pareto) && (
        <span title="No other run has at least this throughput at no more latency">
          {swatch(<circle cx={11} cy={11} r={7} />)} Pareto frontier
        </span>
      )}
      {series.some(({ knee }) => knee !== undefined) && (
        <span title="From here on more load costs more latency than it gains throughput">
          {swatch(<rect x={2} y={2} width={18} height={18} />)} knee
        </span>
      )}
      {points.some(
        ({ throughput, latency }) => throughput.interval !== undefined || latency.interval !== undefined,
      ) && <span>{swatch(<path d="M2 11H20M11 2V20" />)} 95 % intervals</span>}
      {kinds.length > 0 && <span class="muted">{`Numbers beside points: ${kinds.join(" or ")}.`}</span>}
    </figcaption>
  );
}
