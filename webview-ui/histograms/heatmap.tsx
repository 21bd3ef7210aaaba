import { t } from "@vscode/l10n";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { RunHeader } from "../../src/protocol/index.js";
import { ChartCanvas } from "../charts/chart-canvas.js";
import type { ChartModel, PlotPlace } from "../charts/drawing.js";
import { timesOf, wholeRun } from "../charts/model.js";
import { usePageTime } from "../charts/viewport.js";
import { chartTheme, css } from "../charts/theme.js";
import { Hint, pointWithin } from "../components/hint.js";
import { Placeholder } from "../components/message.js";
import { relativeSeconds } from "../format/time.js";
import type { Viewport } from "../state/run-store.js";
import { heatColor, heatScale, type HeatScale, type HeatGrid } from "./heat-grid.js";
import { cellAt, cellLines, hasGaps, heatmapSummary, type HeatmapCell } from "./heat-cells.js";

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

/**
 * Rows over time: buckets of a histogram, positions of a vector. The pointer, or the arrow keys once it is focused, ask
 * for a cell.
 */
export function Heatmap({ data, header, title, whole, fromProfiling = true, colors }: HeatmapProps) {
  const { viewport, pointed } = usePageTime();
  const [cell, setCell] = useState<HeatmapCell | undefined>(undefined);
  const theme = chartTheme.value;
  const seconds = (edge: number | undefined) => relativeSeconds(edge ?? NaN, header.profilingStart);
  const shownTime = viewport.value;
  const model = useMemo((): ChartModel | undefined => {
    const own = heatScale(data.rates);
    if (theme === undefined || own === undefined) return undefined;
    const times = timesOf(header, shownTime, whole ?? wholeRun(header, [seconds(data.edges.at(-1))]));
    return {
      ...times,
      ...(fromProfiling ? {} : { captureStart: 0 }),
      lines: [],
      heat: { grid: data, scale: colors ?? own },
      originMs: header.originMs,
      profilingStart: header.profilingStart,
      theme,
    };
  }, [data, header, shownTime, whole?.from, whole?.to, fromProfiling, colors, theme]);
  // Taken away from all charts, as when a menu opens above them.
  useEffect(() => pointed.subscribe((at) => at === undefined && setCell(undefined)), [pointed]);
  if (model?.heat === undefined) return <Placeholder reason={t("Nothing was observed in this time range.")} />;

  const columns = data.edges.length - 1;
  const shown = cell !== undefined && cell.column < columns && cell.row < data.rows ? cell : undefined;
  const middle = ({ column }: HeatmapCell) => (seconds(data.edges[column]) + seconds(data.edges[column + 1])) / 2;
  const step = (right: number, up: number) => {
    const from = shown ?? { column: columns - 1 - right, row: Math.floor(data.rows / 2) - up };
    const clamp = (value: number, count: number) => Math.min(count - 1, Math.max(0, value));
    const next = { column: clamp(from.column + right, columns), row: clamp(from.row + up, data.rows) };
    setCell(next);
    pointed.value = middle(next);
  };
  return (
    <>
      <ChartCanvas
        model={model}
        label={t`Heatmap of ${title}`}
        cells={{
          summary: heatmapSummary(data),
          height: Math.min(MAX_HEIGHT, BESIDE_ROWS + ROW_HEIGHT * data.rows),
          step,
          point: (at) => setCell(at === undefined ? undefined : cellAt(data, at, header.profilingStart)),
          over: (place) =>
            shown !== undefined && (
              <>
                <CellOutline
                  place={place}
                  from={seconds(data.edges[shown.column])}
                  to={seconds(data.edges[shown.column + 1])}
                  row={shown.row}
                />
                <Hint
                  role="status"
                  lines={cellLines(data, shown, header)}
                  at={pointWithin(place.x(middle(shown)), place.y(shown.row + 1))}
                />
              </>
            ),
        }}
      />
      <HeatLegend scale={model.heat.scale} grid={data} />
    </>
  );
}

interface CellOutlineProps {
  readonly place: PlotPlace;
  readonly from: number;
  readonly to: number;
  readonly row: number;
}

/** Of a cell that the axis shows in part, that part. */
function CellOutline({ place, from, to, row }: CellOutlineProps) {
  const left = Math.max(place.left, place.x(from));
  const right = Math.min(place.left + place.width, place.x(to));
  if (right <= left) return null;
  const [top, bottom] = [place.y(row + 1), place.y(row)];
  return (
    <div
      class="heat-outline"
      style={{ left: `${left}px`, width: `${right - left}px`, top: `${top}px`, height: `${bottom - top}px` }}
    />
  );
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
