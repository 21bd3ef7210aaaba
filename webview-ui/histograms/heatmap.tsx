import { t } from "@vscode/l10n";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RunHeader } from "../../src/protocol/index.js";
import { Crosshair } from "../charts/crosshair.js";
import { markFont } from "../charts/marks.js";
import { timesOf, wholeRun } from "../charts/model.js";
import { usePageTime } from "../charts/page-time.js";
import { chartTheme, css, type ChartTheme } from "../charts/theme.js";
import { bounded, keyedViewport, panned, zoomed } from "../charts/viewport.js";
import { Placeholder } from "../components/message.js";
import { relativeSeconds } from "../format/time.js";
import type { Viewport } from "../state/run-store.js";
import { heatColor, heatScale, type HeatScale } from "./color-scale.js";
import { drawHeatmap } from "./draw-heatmap.js";
import type { HeatGrid } from "./heat-grid.js";
import { heatmapPlot, type HeatmapCell } from "./heatmap-plot.js";
import { cellLines, hasGaps, heatmapSummary } from "./heatmap-text.js";
import { PointHint } from "./point-hint.js";

interface HeatmapProps {
  readonly data: HeatGrid;
  readonly header: RunHeader;
  readonly title: string;
  /** As far as the axis can go. Default: the run. */
  readonly whole?: Viewport;
  /** Whether 0 is the start of profiling, before which there is a warm-up. Default: it is. */
  readonly fromProfiling?: boolean;
  /** Of several heatmaps beside each other. Default: its own. */
  readonly colors?: HeatScale | undefined;
}

/** Few rows need less than the height of the other charts. Pixels. */
const ROW_HEIGHT = 24;
const BESIDE_ROWS = 40;
const MAX_HEIGHT = 210;
/** A shorter drag is a click. Pixels. */
const MIN_DRAG = 6;
/** As much closer a turn of the wheel looks as in the other charts. */
const WHEEL_FACTOR = 1.1;

interface Drag {
  /** Pixels. */
  readonly from: number;
  readonly to: number;
  /** Moves the axis that was shown when it began; else a stretch is chosen. */
  readonly pans?: Viewport;
}

/** Where its last column ends, in seconds from the start of profiling. */
const endsOf = ({ edges }: HeatGrid, { profilingStart }: RunHeader): readonly number[] =>
  Array.from(edges.subarray(-1), (edge) => relativeSeconds(edge, profilingStart));

/**
 * Rows over time: buckets of a histogram, positions of a vector. The pointer, or the arrow keys once it is focused, ask
 * for a cell; dragging zooms all charts.
 */
export function Heatmap({
  data,
  header,
  title,
  whole = wholeRun(header, endsOf(data, header)),
  fromProfiling = true,
  colors,
}: HeatmapProps) {
  const { viewport, pointed } = usePageTime();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [cell, setCell] = useState<HeatmapCell | undefined>(undefined);
  const [drag, setDrag] = useState<Drag | undefined>(undefined);
  const theme = chartTheme.value;
  const run = timesOf(header, viewport.value, whole);
  const times = fromProfiling ? run : { ...run, captureStart: 0 };
  const { axis, marks } = times;
  const own = useMemo(() => heatScale(data.rates), [data]);
  const scale = own === undefined ? undefined : (colors ?? own);
  const plot = useMemo(
    () => heatmapPlot(data, axis, header.profilingStart, size, { marks, measure: markWidth(theme) }),
    [data, axis.from, axis.to, header.profilingStart, size, marks.length, theme],
  );
  const none = scale === undefined;

  useEffect(() => {
    const element = canvas.current?.parentElement;
    if (element === null || element === undefined) return;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [none]);
  // Taken away from all charts, as when a menu opens above them.
  useEffect(() => pointed.subscribe((at) => at === undefined && setCell(undefined)), [pointed]);
  const shown = cell !== undefined && cell.column < data.edges.length - 1 && cell.row < data.rows ? cell : undefined;
  useLayoutEffect(() => {
    if (canvas.current !== null && theme !== undefined && scale !== undefined && size.width > 0)
      drawHeatmap(canvas.current, { data, header, times, plot, scale, theme, size, cell: shown });
  });
  if (scale === undefined) return <Placeholder reason={t("Nothing was observed in this time range.")} />;

  const show = (next: HeatmapCell | undefined) => {
    setCell(next);
    pointed.value = next === undefined ? undefined : middle(next);
  };
  const columns = data.edges.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: { readonly [key: string]: readonly [column: number, row: number] } = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    };
    const step = steps[event.key];
    if (event.key === "Escape") show(undefined);
    const keyed = step === undefined || event.shiftKey ? keyedViewport(event.key, axis, whole) : undefined;
    if (event.ctrlKey || event.metaKey || event.altKey || (step === undefined && keyed === undefined)) return;
    event.preventDefault();
    if (keyed !== undefined) viewport.value = keyed.next;
    if (step === undefined || keyed !== undefined) return;
    const from = shown ?? { column: columns - 1 - step[0], row: Math.floor(data.rows / 2) - step[1] };
    const clamp = (value: number, count: number) => Math.min(count - 1, Math.max(0, value));
    show({ column: clamp(from.column + step[0], columns), row: clamp(from.row + step[1], data.rows) });
  };
  const middle = (c: HeatmapCell) =>
    (((data.edges[c.column] ?? 0) + (data.edges[c.column + 1] ?? 0)) / 2 - header.profilingStart) / 1e9;
  const lines = shown === undefined ? [] : cellLines(data, shown, header);
  return (
    <>
      <div
        class="heatmap"
        style={{ height: `${Math.min(MAX_HEIGHT, BESIDE_ROWS + ROW_HEIGHT * data.rows)}px` }}
        role="group"
        tabIndex={0}
        aria-label={t`Heatmap of ${title}. Arrows move from cell to cell, Shift and arrows along the axis; plus and minus zoom, 0 resets.`}
        onKeyDown={onKeyDown}
        onBlur={() => show(undefined)}
        onPointerDown={(event) => {
          const { x } = within(event);
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setCell(undefined);
          setDrag({ from: x, to: x, ...(event.shiftKey ? { pans: axis } : {}) });
        }}
        onPointerMove={(event) => {
          const { x, y } = within(event);
          pointed.value = x >= plot.left && x <= plot.left + plot.width ? plot.seconds(x) : undefined;
          if (drag === undefined) setCell(plot.cellAt(x, y));
          else if (drag.pans !== undefined) viewport.value = panned(drag.pans, (drag.from - x) / plot.width, whole);
          else setDrag({ from: drag.from, to: x });
        }}
        onPointerUp={() => {
          if (drag === undefined) return;
          if (drag.pans !== undefined) {
            setDrag(undefined);
            return;
          }
          const [from, to] = [plot.seconds(Math.min(drag.from, drag.to)), plot.seconds(Math.max(drag.from, drag.to))];
          if (Math.abs(drag.to - drag.from) >= MIN_DRAG && to > from) viewport.value = bounded({ from, to }, whole);
          setDrag(undefined);
        }}
        onPointerCancel={() => setDrag(undefined)}
        onPointerLeave={() => show(undefined)}
        onWheel={(event) => {
          // The wheel alone scrolls the page.
          if (!event.ctrlKey) return;
          event.preventDefault();
          viewport.value = zoomed(
            axis,
            event.deltaY < 0 ? 1 / WHEEL_FACTOR : WHEEL_FACTOR,
            whole,
            plot.seconds(within(event).x),
          );
        }}
      >
        <canvas ref={canvas} role="img" aria-label={heatmapSummary(data)} />
        <Crosshair place={() => plot} />
        {drag !== undefined && drag.pans === undefined && (
          <div
            class="heatmap-drag"
            style={{
              left: `${Math.min(drag.from, drag.to)}px`,
              width: `${Math.abs(drag.to - drag.from)}px`,
              top: `${plot.top}px`,
              height: `${plot.height}px`,
            }}
          />
        )}
        <PointHint
          lines={lines}
          {...(shown === undefined ? {} : { at: { x: plot.x(middle(shown)), y: plot.y(shown.row + 1) } })}
        />
      </div>
      <HeatLegend scale={scale} grid={data} />
    </>
  );
}

/** How wide a mark's label is, pixels. */
function markWidth(theme: ChartTheme | undefined): (text: string) => number {
  const ctx = document.createElement("canvas").getContext("2d");
  if (ctx === null || theme === undefined) return () => 0;
  ctx.font = markFont(theme);
  return (text) => ctx.measureText(text).width;
}

const LEGEND_STEPS = 24;

function HeatLegend({ scale, grid }: { readonly scale: HeatScale; readonly grid: HeatGrid }) {
  const theme = chartTheme.value;
  if (theme === undefined) return null;
  return (
    <div
      class="heat-legend"
      role="img"
      aria-label={t`Colours from ${grid.rateText(scale.least)} or less to ${grid.rateText(scale.greatest)}, logarithmic`}
    >
      <span>≤ {grid.shortRateText(scale.least)}</span>
      <span class="heat-ramp">
        {Array.from({ length: LEGEND_STEPS }, (_, i) => (
          <span key={i} style={{ background: css(heatColor(i / (LEGEND_STEPS - 1), theme)) }} />
        ))}
      </span>
      <span>{grid.rateText(scale.greatest)}</span>
      <span class="muted">
        {t("logarithmic; empty: none")}
        {hasGaps(grid) && t("; hatched: no scrape")}
      </span>
    </div>
  );
}

/** Where a pointer is within the element it is heard by, CSS pixels. */
function within(event: MouseEvent & { readonly currentTarget: Element }): { readonly x: number; readonly y: number } {
  const { left, top } = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top };
}
