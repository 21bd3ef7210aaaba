import type { SeriesId } from "../../src/core/model/index.js";
import type { ChartChoice, ChartMode, FamilySummary, ModeSettings, Tile, ViewLayout } from "../../src/protocol/index.js";
import { savedMode, savedSettings } from "../charts/mode.js";

export const TABS = ["charts", "statistics", "timeslices"] as const;
export type Tab = (typeof TABS)[number];

/** A chart on the page. */
export interface ChartEntry extends ChartChoice {
  /** Unique on the page, never saved. */
  readonly id: number;
}

export interface Layout {
  readonly charts: readonly ChartEntry[];
  readonly tab: Tab;
  readonly nextId: number;
  /** The chart to scroll to and mark, until the view has done so. */
  readonly focus?: number;
}

export type LayoutAction =
  | { readonly kind: "show"; readonly family: string; readonly series?: readonly SeriesId[] }
  | { readonly kind: "remove"; readonly id: number }
  | { readonly kind: "setSeries"; readonly id: number; readonly series: readonly SeriesId[] | undefined }
  | { readonly kind: "setMode"; readonly id: number; readonly mode: ChartMode | undefined }
  /** What is absent stays. */
  | { readonly kind: "setSettings"; readonly id: number; readonly settings: ModeSettings }
  | { readonly kind: "tab"; readonly tab: Tab }
  | { readonly kind: "focused" };

export const EMPTY_LAYOUT: Layout = { charts: [], tab: "charts", nextId: 1 };

/** Charts of the first key tiles: what a user sees before choosing. */
export const DEFAULT_CHARTS = 6;

export function reduceLayout(layout: Layout, action: LayoutAction): Layout {
  switch (action.kind) {
    case "show": {
      const existing = layout.charts.find((chart) => chart.family === action.family && covers(chart.series, action.series));
      if (existing !== undefined) return { ...layout, tab: "charts", focus: existing.id };
      const entry: ChartEntry = { id: layout.nextId, ...choice(action) };
      return { charts: [...layout.charts, entry], tab: "charts", nextId: layout.nextId + 1, focus: entry.id };
    }
    case "remove":
      return { ...layout, charts: layout.charts.filter((chart) => chart.id !== action.id) };
    case "setSeries":
      return changed(layout, action.id, (chart) => ({ ...chart, series: action.series }));
    case "setMode":
      return changed(layout, action.id, (chart) => ({ ...chart, mode: action.mode }));
    case "setSettings":
      return changed(layout, action.id, (chart) => ({ ...chart, settings: { ...chart.settings, ...action.settings } }));
    case "tab":
      return layout.tab === action.tab ? layout : { ...layout, tab: action.tab };
    case "focused": {
      const { focus: _focus, ...rest } = layout;
      return rest;
    }
  }
}

/** A chart without a choice of series is not known to draw a wanted one (only the first ones fit): it covers no choice. */
function covers(drawn: readonly SeriesId[] | undefined, wanted: readonly SeriesId[] | undefined): boolean {
  if (wanted === undefined) return drawn === undefined;
  return drawn !== undefined && wanted.every((id) => drawn.includes(id));
}

/** A choice whose parts may be undefined. */
type LooseChoice = { readonly [K in keyof ChartChoice]: ChartChoice[K] | undefined } & Pick<ChartChoice, "family">;

/** Only what differs from the default is kept. */
function choice({ family, series, mode, settings }: Partial<LooseChoice> & Pick<ChartChoice, "family">): ChartChoice {
  return {
    family,
    ...(series === undefined || series.length === 0 ? {} : { series }),
    ...(mode === undefined ? {} : { mode }),
    ...(settings === undefined ? {} : { settings }),
  };
}

function changed(layout: Layout, id: number, change: (chart: ChartEntry) => LooseChoice): Layout {
  return { ...layout, charts: layout.charts.map((chart) => (chart.id === id ? { id, ...choice(change(chart)) } : chart)) };
}

export function toSaved(layout: Layout): ViewLayout {
  return { charts: layout.charts.map(choice), tab: layout.tab };
}

export function fromSaved(saved: ViewLayout): Layout {
  return {
    charts: saved.charts.map((chart, i) => ({ id: i + 1, ...choice(chart) })),
    tab: TABS.find((tab) => tab === saved.tab) ?? "charts",
    nextId: saved.charts.length + 1,
  };
}

/** The key tiles' families; of a server that the catalogue does not know, its first families with samples. */
export function defaultLayout(tiles: readonly Tile[], families: readonly FamilySummary[]): Layout {
  const known = new Set(families.filter((family) => family.seriesCount > 0).map((family) => family.name));
  const keys = [...new Set(tiles.map((tile) => tile.family))].filter((name) => known.has(name));
  const rest = families.filter((family) => !family.isInfo && family.seriesCount > 0).map((family) => family.name);
  const chosen = (keys.length > 0 ? keys : rest).slice(0, DEFAULT_CHARTS);
  return fromSaved({ charts: chosen.map((family) => ({ family })), tab: "charts" });
}

/** Reads what an earlier version of the view, or another program, may have left; undefined when it is no layout. */
export function parseSavedLayout(value: unknown): ViewLayout | undefined {
  if (typeof value !== "object" || value === null || !("charts" in value) || !Array.isArray(value.charts)) return undefined;
  const charts: ChartChoice[] = [];
  for (const chart of value.charts as unknown[]) {
    if (typeof chart !== "object" || chart === null || !("family" in chart) || typeof chart.family !== "string") continue;
    const series = "series" in chart && Array.isArray(chart.series) ? (chart.series as unknown[]).filter(isSeriesId) : [];
    charts.push(choice({ family: chart.family, series, mode: "mode" in chart ? savedMode(chart.mode) : undefined, settings: "settings" in chart ? savedSettings(chart.settings) : undefined }));
  }
  return { charts, tab: "tab" in value && typeof value.tab === "string" ? value.tab : "charts" };
}

function isSeriesId(value: unknown): value is SeriesId {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
