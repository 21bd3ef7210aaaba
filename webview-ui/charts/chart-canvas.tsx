import { useEffect, useRef } from "preact/hooks";
import type { Viewport } from "../state/run-store.js";
import { createSeriesChart, type ChartModel, type SeriesChart } from "./series-chart.js";

interface ChartCanvasProps {
  readonly model: ChartModel;
  readonly label: string;
  readonly onViewport: (viewport: Viewport | undefined) => void;
}

/** The chart's canvas; focused it is zoomed with + and -, moved with the arrows and reset with 0. */
export function ChartCanvas({ model, label, onViewport }: ChartCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<SeriesChart | undefined>(undefined);
  const report = useRef(onViewport);
  report.current = onViewport;

  useEffect(() => {
    if (canvas.current === null) return;
    const created = createSeriesChart(canvas.current, model, (viewport) => report.current(viewport));
    chart.current = created;
    return () => created.destroy();
  }, []);
  useEffect(() => chart.current?.update(model), [model]);

  const onKeyDown = (event: KeyboardEvent) => {
    const actions: { readonly [key: string]: () => void } = {
      "+": () => chart.current?.zoomBy(0.5),
      "=": () => chart.current?.zoomBy(0.5),
      "-": () => chart.current?.zoomBy(2),
      ArrowLeft: () => chart.current?.panBy(-0.2),
      ArrowRight: () => chart.current?.panBy(0.2),
      "0": () => onViewport(undefined),
    };
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };
  return (
    <div class="chart-canvas" tabIndex={0} role="group" aria-label={`${label}. Plus and minus zoom, arrows move, 0 resets.`} onKeyDown={onKeyDown}>
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}
