import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RunHeader } from "../../src/protocol/index.js";
import { chartTheme, css } from "../charts/theme.js";
import { wholeRun } from "../charts/model.js";
import { Placeholder } from "../components/message.js";
import type { Viewport } from "../state/run-store.js";
import { heatColor, heatScale, type HeatScale } from "./color-scale.js";
import { drawHeatmap } from "./draw-heatmap.js";
import type { HeatGrid } from "./heat-grid.js";
import { heatmapPlot, type Cell } from "./heatmap-plot.js";
import { cellLines, heatmapSummary } from "./heatmap-text.js";
import { PointHint } from "./point-hint.js";

interface HeatmapProps {
  readonly data: HeatGrid;
  readonly header: RunHeader;
  readonly viewport: Viewport | undefined;
  readonly title: string;
  readonly onViewport: (viewport: Viewport) => void;
}

/** A shorter drag is a click. Pixels. */
const LEAST_DRAG = 6;

/** Rows over time: buckets of a histogram, positions of a vector. The pointer, or the arrow keys once it is focused, ask for a cell; dragging zooms all charts. */
export function Heatmap({ data, header, viewport, title, onViewport }: HeatmapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [cell, setCell] = useState<Cell | undefined>(undefined);
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | undefined>(undefined);
  const theme = chartTheme.value;
  const axis = viewport ?? wholeRun(header);
  const scale = useMemo(() => heatScale(data.rates), [data]);
  const plot = useMemo(() => heatmapPlot(data, axis, header.profilingStart, size), [data, axis.from, axis.to, header.profilingStart, size]);
  const none = scale === undefined;

  useEffect(() => {
    const element = canvas.current?.parentElement;
    if (element === null || element === undefined) return;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [none]);
  const shown = cell !== undefined && cell.column < data.edges.length - 1 && cell.row < data.rows ? cell : undefined;
  useLayoutEffect(() => {
    if (canvas.current !== null && theme !== undefined && scale !== undefined && size.width > 0) drawHeatmap(canvas.current, { data, header, axis, plot, scale, theme, size, cell: shown });
  });
  if (scale === undefined) return <Placeholder problem={{ severity: "info", reason: "Nothing was observed in this stretch of time." }} />;

  const columns = data.edges.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: { readonly [key: string]: readonly [column: number, row: number] } = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = steps[event.key];
    if (event.key === "Escape") setCell(undefined);
    if (step === undefined) return;
    event.preventDefault();
    const from = shown ?? { column: columns - 1 - step[0], row: Math.floor(data.rows / 2) - step[1] };
    const clamp = (value: number, count: number) => Math.min(count - 1, Math.max(0, value));
    setCell({ column: clamp(from.column + step[0], columns), row: clamp(from.row + step[1], data.rows) });
  };
  const middle = (c: Cell) => (((data.edges[c.column] ?? 0) + (data.edges[c.column + 1] ?? 0)) / 2 - header.profilingStart) / 1e9;
  const lines = shown === undefined ? [] : cellLines(data, shown, header);
  return (
    <>
      <div
        class="heatmap"
        role="group"
        tabIndex={0}
        aria-label={`Heatmap of ${title}. Arrows move from cell to cell.`}
        onKeyDown={onKeyDown}
        onBlur={() => setCell(undefined)}
        onPointerDown={(event) => {
          const { x } = within(event);
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setCell(undefined);
          setDrag({ from: x, to: x });
        }}
        onPointerMove={(event) => {
          const { x, y } = within(event);
          if (drag === undefined) setCell(plot.cellAt(x, y));
          else setDrag({ from: drag.from, to: x });
        }}
        onPointerUp={() => {
          if (drag === undefined) return;
          const [from, to] = [plot.seconds(Math.min(drag.from, drag.to)), plot.seconds(Math.max(drag.from, drag.to))];
          if (Math.abs(drag.to - drag.from) >= LEAST_DRAG && to > from) onViewport({ from, to });
          setDrag(undefined);
        }}
        onPointerCancel={() => setDrag(undefined)}
        onPointerLeave={() => setCell(undefined)}
      >
        <canvas ref={canvas} role="img" aria-label={heatmapSummary(data)} />
        {drag !== undefined && (
          <div class="heatmap-drag" style={{ left: `${Math.min(drag.from, drag.to)}px`, width: `${Math.abs(drag.to - drag.from)}px`, top: `${plot.top}px`, height: `${plot.height}px` }} />
        )}
        <PointHint lines={lines} {...(shown === undefined ? {} : { at: { x: plot.x(middle(shown)), y: plot.y(shown.row + 1) } })} />
      </div>
      <HeatLegend scale={scale} grid={data} />
    </>
  );
}

const LEGEND_STEPS = 24;

function HeatLegend({ scale, grid }: { readonly scale: HeatScale; readonly grid: HeatGrid }) {
  const theme = chartTheme.value;
  if (theme === undefined) return null;
  return (
    <div class="heat-legend" role="img" aria-label={`Colours from ${grid.rateText(scale.least)} or less to ${grid.rateText(scale.greatest)}, logarithmic`}>
      <span>≤ {grid.rateText(scale.least)}</span>
      <span class="heat-ramp">
        {Array.from({ length: LEGEND_STEPS }, (_, i) => (
          <span key={i} style={{ background: css(heatColor(i / (LEGEND_STEPS - 1), theme)) }} />
        ))}
      </span>
      <span>{grid.rateText(scale.greatest)}</span>
      <span class="muted">logarithmic; empty: none</span>
    </div>
  );
}

/** Where a pointer is within the element it is heard by, CSS pixels. */
function within(event: PointerEvent & { readonly currentTarget: Element }): { readonly x: number; readonly y: number } {
  const { left, top } = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}
