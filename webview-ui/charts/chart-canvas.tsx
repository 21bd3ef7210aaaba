import { t } from "@vscode/l10n";
import { effect, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatRelative } from "../format/time.js";
import type { ChartModel, PlotPlace, PlotPoint } from "./drawing.js";
import { usePageTime, keyedViewport } from "./viewport.js";
import { createSeriesChart, type SeriesChart } from "./series-chart.js";

/** Of a chart of cells, whose arrows go from one to the next, and along the axis with Shift. */
interface Cells {
  /** What they show, in words. */
  readonly summary: string;
  /** Pixels. */
  readonly height: number;
  readonly step: (right: number, up: number) => void;
  /** The pointer is there; undefined: beside the cells, or it chooses a stretch of time. */
  readonly point: (at: PlotPoint | undefined) => void;
  /** What stands over them. */
  readonly over: (place: PlotPlace) => ComponentChildren;
}

interface ChartCanvasProps {
  readonly model: ChartModel;
  readonly label: string;
  readonly cells?: Cells;
}

const ARROWS: { readonly [key: string]: readonly [right: number, up: number] } = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** Steps of the crosshair over the axis, by keyboard. */
const POINT_STEPS = 50;

/**
 * The chart's canvas; focused it is zoomed with + and -, moved with the arrows and reset with 0; Shift and arrows move
 * the crosshair.
 */
export function ChartCanvas({ model, label, cells }: ChartCanvasProps) {
  const { viewport, pointed } = usePageTime();
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<SeriesChart | undefined>(undefined);
  /** How often it was drawn, for the crosshair, whose effects run before the chart is made and while it waits. */
  const drawn = useSignal(0);

  useEffect(() => {
    if (canvas.current === null) return;
    const created = createSeriesChart(
      canvas.current,
      model,
      () => pointed.peek(),
      (next) => (viewport.value = next),
      () => drawn.value++,
    );
    chart.current = created;
    drawn.value++;
    const stop = pointed.subscribe((at) => at === undefined && created.hideTooltip());
    return () => {
      stop();
      created.destroy();
    };
  }, []);
  // Before the crosshair, an effect of its own, looks for its place on the axis.
  useLayoutEffect(() => chart.current?.update(model), [model]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { axis, whole } = model;
    const [right, up] = ARROWS[event.key] ?? [0, 0];
    if (cells !== undefined && !event.shiftKey && (right !== 0 || up !== 0)) {
      cells.step(right, up);
    } else if (cells === undefined && event.shiftKey && right !== 0) {
      const from = pointed.value ?? (axis.from + axis.to) / 2;
      pointed.value = Math.min(axis.to, Math.max(axis.from, from + (right * (axis.to - axis.from)) / POINT_STEPS));
    } else if (event.key === "Escape" && pointed.value !== undefined) {
      pointed.value = undefined;
    } else {
      const keyed = keyedViewport(event.key, axis, whole);
      if (keyed === undefined) return;
      viewport.value = keyed.next;
    }
    event.preventDefault();
  };
  const place = drawn.value > 0 ? chart.current?.place() : undefined;
  return (
    <div
      class={cells === undefined ? "chart-canvas" : "chart-canvas heatmap"}
      style={cells === undefined ? undefined : { height: `${cells.height}px` }}
      tabIndex={0}
      role="group"
      aria-label={
        cells === undefined
          ? t`${label}. Plus and minus zoom, arrows move, 0 resets; Shift and arrows move the crosshair.`
          : t`${label}. Arrows move from cell to cell, Shift and arrows along the axis; plus and minus zoom, 0 resets.`
      }
      onKeyDown={onKeyDown}
      onPointerMove={(event) => {
        const { left, top } = event.currentTarget.getBoundingClientRect();
        const [x, y] = [event.clientX - left, event.clientY - top];
        pointed.value = chart.current?.secondsAt(x);
        cells?.point(event.buttons === 0 ? chart.current?.pointAt(x, y) : undefined);
      }}
      onPointerLeave={() => (pointed.value = undefined)}
      onBlur={() => (pointed.value = undefined)}
    >
      <canvas ref={canvas} role="img" aria-label={cells?.summary ?? label} />
      <Crosshair place={() => (drawn.value > 0 ? chart.current?.place() : undefined)} />
      {place !== undefined && cells?.over(place)}
    </div>
  );
}

interface CrosshairProps {
  /** Read whenever the line moves: what was drawn since may have moved the plot. */
  readonly place: () => PlotPlace | undefined;
}

/** A vertical line over a chart at the time that is pointed at in any of them. Moved without drawing anything anew. */
function Crosshair({ place }: CrosshairProps) {
  const { pointed } = usePageTime();
  const line = useRef<HTMLDivElement>(null);
  const current = useRef(place);
  current.current = place;
  const show = (at: number | undefined) => {
    const element = line.current;
    if (element === null) return;
    const plot = at === undefined ? undefined : current.current();
    const x = plot === undefined || at === undefined ? NaN : plot.x(at);
    const inside = plot !== undefined && x >= plot.left - 0.5 && x <= plot.left + plot.width + 0.5;
    element.hidden = !inside;
    if (plot === undefined || at === undefined || !inside) return;
    element.style.transform = `translateX(${Math.round(x)}px)`;
    element.style.top = `${plot.top}px`;
    element.style.height = `${plot.height}px`;
    element.dataset["time"] = formatRelative(at, 1);
    element.classList.toggle("crosshair-end", x > plot.left + plot.width / 2);
  };
  useEffect(() => effect(() => show(pointed.value)), [pointed]);
  // The chart under it may have been drawn anew.
  useEffect(() => show(pointed.peek()));
  return <div class="crosshair" aria-hidden="true" hidden ref={line} />;
}
