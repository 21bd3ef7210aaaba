import { t } from "@vscode/l10n";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Crosshair } from "./crosshair.js";
import type { ChartModel } from "./drawing.js";
import { usePageTime } from "./page-time.js";
import { createSeriesChart, type SeriesChart } from "./series-chart.js";
import { keyedViewport } from "./viewport.js";

interface ChartCanvasProps {
  readonly model: ChartModel;
  readonly label: string;
}

/** Steps of the crosshair over the axis, by keyboard. */
const POINT_STEPS = 50;

/**
 * The chart's canvas; focused it is zoomed with + and -, moved with the arrows and reset with 0; Shift and arrows move
 * the crosshair.
 */
export function ChartCanvas({ model, label }: ChartCanvasProps) {
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
    const step = event.shiftKey ? { ArrowLeft: -1, ArrowRight: 1 }[event.key] : undefined;
    if (step !== undefined) {
      const from = pointed.value ?? (axis.from + axis.to) / 2;
      pointed.value = Math.min(axis.to, Math.max(axis.from, from + (step * (axis.to - axis.from)) / POINT_STEPS));
    } else if (event.key === "Escape" && pointed.value !== undefined) {
      pointed.value = undefined;
    } else {
      const keyed = keyedViewport(event.key, axis, whole);
      if (keyed === undefined) return;
      viewport.value = keyed.next;
    }
    event.preventDefault();
  };
  return (
    <div
      class="chart-canvas"
      tabIndex={0}
      role="group"
      aria-label={t`${label}. Plus and minus zoom, arrows move, 0 resets; Shift and arrows move the crosshair.`}
      onKeyDown={onKeyDown}
      onPointerMove={(event) =>
        (pointed.value = chart.current?.secondsAt(event.clientX - event.currentTarget.getBoundingClientRect().left))
      }
      onPointerLeave={() => (pointed.value = undefined)}
      onBlur={() => (pointed.value = undefined)}
    >
      <canvas ref={canvas} role="img" aria-label={label} />
      <Crosshair place={() => (drawn.value > 0 ? chart.current?.place() : undefined)} />
    </div>
  );
}
