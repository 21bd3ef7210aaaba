import type { FileFormat, SeriesId } from "../../src/core/model/index.js";
import type {
  ChartChoice,
  FamilySummary,
  FollowState,
  TableLayout,
  Tile,
  ViewLayout,
} from "../../src/protocol/index.js";
import { holdsWords } from "../tables/filter.js";
import { fieldsOf } from "../../src/core/text/index.js";
import { soundPart } from "../../src/protocol/guards.js";
import { viewLayout } from "../../src/protocol/view-requests.js";

export const TABS = ["overview", "servers", "charts", "statistics", "timeslices", "details"] as const;
export type Tab = (typeof TABS)[number];

/** A chart on the page. */
export interface ChartEntry extends ChartChoice {
  /** Unique on the page, never saved. */
  readonly id: number;
}

export type TableName = "statistics" | "timeslices";

export interface Layout {
  readonly charts: readonly ChartEntry[];
  /** Families, in the order in which they were pinned. Each has a chart. */
  readonly pinned: readonly string[];
  readonly tab: Tab;
  readonly tables: { readonly [T in TableName]: TableLayout };
  /** Slice length that was chosen for a saved run; absent: as recorded. */
  readonly sliceSeconds?: number | undefined;
  /** The endpoint, by its URL, or the kind of server that the view is narrowed to; absent: all. */
  readonly only?: string | undefined;
  /** Words that everything listed contains. */
  readonly filter: string;
  /** What was opened or folded by hand, by its name. */
  readonly folds: Readonly<Record<string, boolean>>;
  /** Charts mark level changes and outliers. */
  readonly marked: boolean;
  readonly nextId: number;
  /** The chart to scroll to and mark, until the view has done so. */
  readonly focus?: number | undefined;
  /** The chart that was jumped to last, outlined, with the limit that it is about. */
  readonly target?: { readonly id: number; readonly limit?: ThresholdLine | undefined } | undefined;
}

/** A limit to be drawn in a chart. */
export interface ThresholdLine {
  readonly value: number;
  readonly text: string;
}

/** What is changed by itself. */
type Settable = Pick<Layout, "tab" | "sliceSeconds" | "only" | "filter" | "marked" | "focus">;

export type ChartChange = Partial<Pick<LooseChoice, "series" | "mode" | "settings">>;

export type TableChange = { readonly [K in keyof TableLayout]: TableLayout[K] | undefined };

export const EMPTY_LAYOUT: Layout = {
  charts: [],
  pinned: [],
  tab: "overview",
  tables: { statistics: {}, timeslices: {} },
  filter: "",
  folds: {},
  marked: true,
  nextId: 1,
};

/** Charts of the first key tiles: what a user sees before choosing. */
export const DEFAULT_CHARTS = 6;

interface Shown {
  readonly series?: readonly SeriesId[] | undefined;
  readonly limit?: ThresholdLine | undefined;
}

export type LayoutActions = ReturnType<typeof layoutActions>;

/** All that changes a layout. @param change makes of the layout that there is the next one */
export function layoutActions(change: (next: (layout: Layout) => Layout) => void) {
  return {
    show: (family: string, { series, limit }: Shown = {}) =>
      change((layout) => {
        const existing = layout.charts.find(
          (chart) => chart.family === family && chart.also === undefined && covers(chart.series, series),
        );
        return existing === undefined
          ? jumpTo(layout.nextId, withChart(layout, choice({ family, series })), limit)
          : jumpTo(existing.id, layout, limit);
      }),
    /** Charts several families of one unit together. */
    overlay: ([family, ...also]: readonly string[]) =>
      change((layout) =>
        family === undefined ? layout : jumpTo(layout.nextId, withChart(layout, choice({ family, also }))),
      ),
    remove: (id: number) =>
      change((layout) =>
        withCharts(
          layout,
          layout.charts.filter((chart) => chart.id !== id),
        ),
      ),
    /** What is absent stays, of settings too. */
    changeChart: (id: number, to: ChartChange) =>
      change((layout) => ({
        ...layout,
        charts: layout.charts.map((chart) => {
          if (chart.id !== id) return chart;
          const settings = to.settings === undefined ? chart.settings : { ...chart.settings, ...to.settings };
          return { id, ...choice({ ...chart, ...to, settings }) };
        }),
      })),
    /** Pins a family, or lets go of one that is pinned. */
    togglePin: (family: string) =>
      change((layout) => {
        const { charts, pinned } = layout;
        if (pinned.includes(family)) return { ...layout, pinned: pinned.filter((one) => one !== family) };
        const charted = charts.some((chart) => chart.family === family) ? layout : withChart(layout, { family });
        return { ...charted, pinned: [...pinned, family] };
      }),
    /** What is given as undefined is forgotten. */
    changeTable: (table: TableName, to: TableChange) =>
      change((layout) => ({
        ...layout,
        tables: { ...layout.tables, [table]: compact({ ...layout.tables[table], ...to }) },
      })),
    fold: (name: string, open: boolean) =>
      change((layout) => ({ ...layout, folds: { ...layout.folds, [name]: open } })),
    /** Shows the families of a linked view as it does, in its order; a chart that is there keeps its series. */
    follow: (wanted: FollowState["charts"]) =>
      change((layout) => {
        const left = [...layout.charts];
        let { nextId } = layout;
        const charts = wanted.map((one): ChartEntry => {
          const at = left.findIndex((chart) => chart.family === one.family);
          const [present] = at < 0 ? [] : left.splice(at, 1);
          return { id: present?.id ?? nextId++, ...choice({ ...one, series: present?.series }) };
        });
        return { ...withCharts(layout, charts), nextId };
      }),
    set: (to: Partial<Settable>) =>
      change((layout) => {
        const { tab = layout.tab } = to;
        return { ...layout, ...to, ...(tab === layout.tab ? {} : { target: undefined }) };
      }),
  };
}

/** The chart in sight; a filter would hide what was asked for. */
function jumpTo(id: number, layout: Layout, limit?: ThresholdLine): Layout {
  return { ...layout, tab: "charts", filter: "", focus: id, target: { id, limit } };
}

/** Pinned stays what has a chart. */
function withCharts(layout: Layout, charts: readonly ChartEntry[]): Layout {
  const pinned = layout.pinned.filter((family) => charts.some((chart) => chart.family === family));
  return { ...layout, charts, pinned };
}

/** Charts as they stand on the page: those of pinned families first. */
export function orderedCharts({ charts, pinned }: Pick<Layout, "charts" | "pinned">): readonly ChartEntry[] {
  return pinnedFirst(charts, pinned, (chart) => chart.family);
}

/** Of these, the charts with a family that holds the words of the filter. */
export function foundCharts(layout: Layout, titleOf: (family: string) => string | undefined): readonly ChartEntry[] {
  return orderedCharts(layout).filter(({ family, also = [] }) =>
    holdsWords(layout.filter, ...[family, ...also].flatMap((name) => [titleOf(name), name])),
  );
}

/** What is of pinned families first, in the order in which those were pinned; the rest as it was. */
export function pinnedFirst<T>(
  items: readonly T[],
  pinned: readonly string[],
  familyOf: (item: T) => string,
): readonly T[] {
  if (pinned.length === 0) return items;
  const ranks = new Map(pinned.map((family, rank) => [family, rank]));
  const rank = (item: T) => ranks.get(familyOf(item)) ?? Infinity;
  return [...items].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

function withChart(layout: Layout, chart: ChartChoice): Layout {
  return {
    ...layout,
    charts: [...layout.charts, { id: layout.nextId, ...chart }],
    nextId: layout.nextId + 1,
  };
}

/**
 * A chart without a choice of series is not known to draw a wanted one (only the first ones fit): it covers no choice.
 */
function covers(drawn: readonly SeriesId[] | undefined, wanted: readonly SeriesId[] | undefined): boolean {
  if (wanted === undefined) return drawn === undefined;
  return drawn !== undefined && wanted.every((id) => drawn.includes(id));
}

/** A choice whose parts may be undefined. */
type LooseChoice = { readonly [K in keyof ChartChoice]?: ChartChoice[K] | undefined } & Pick<ChartChoice, "family">;

/** Only what differs from the default is kept. */
export function choice({ family, series, also, mode, settings }: LooseChoice): ChartChoice {
  return {
    family,
    ...(series === undefined || series.length === 0 ? {} : { series }),
    ...(also === undefined || also.length === 0 ? {} : { also }),
    ...(mode === undefined ? {} : { mode }),
    ...(settings === undefined ? {} : { settings }),
  };
}

function compact({ subject, sorting, label, widths }: TableChange): TableLayout {
  return {
    ...(subject === undefined ? {} : { subject }),
    ...(sorting === undefined ? {} : { sorting }),
    ...(label === undefined ? {} : { label }),
    ...(widths === undefined || Object.keys(widths).length === 0 ? {} : { widths }),
  };
}

export function toSaved(layout: Layout): ViewLayout {
  const { charts, pinned, tab, tables, sliceSeconds, only, filter, folds, marked } = layout;
  const arranged = Object.values(tables).some((table) => Object.keys(table).length > 0);
  return {
    charts: charts.map(choice),
    tab,
    ...(pinned.length === 0 ? {} : { pinned }),
    ...(arranged ? { tables } : {}),
    ...(sliceSeconds === undefined ? {} : { sliceSeconds }),
    ...(only === undefined ? {} : { only }),
    ...(filter === "" ? {} : { filter }),
    ...(Object.keys(folds).length === 0 ? {} : { folds }),
    ...(marked ? {} : { marked }),
  };
}

export function fromSaved(saved: ViewLayout): Layout {
  const { charts, pinned = [], tab, tables, zoom: _zoom, changedAt: _changedAt, ...others } = saved;
  const known = new Set(charts.map((chart) => chart.family));
  return {
    ...EMPTY_LAYOUT,
    ...others,
    charts: charts.map((chart, i) => ({ id: i + 1, ...choice(chart) })),
    pinned: pinned.filter((family) => known.has(family)),
    tab: TABS.find((one) => one === tab) ?? "overview",
    tables: { ...EMPTY_LAYOUT.tables, ...tables },
    nextId: charts.length + 1,
  };
}

/**
 * The key tiles' families; of a server that the catalogue does not know, its first families with samples.
 * @param format of the file that the run was read from
 */
export function defaultLayout(tiles: readonly Tile[], families: readonly FamilySummary[], format?: FileFormat): Layout {
  const known = new Set(families.filter((family) => family.seriesCount > 0).map((family) => family.name));
  const keys = [...new Set(tiles.map((tile) => tile.family))].filter((name) => known.has(name));
  const rest = families.filter((family) => !family.isInfo && family.seriesCount > 0).map((family) => family.name);
  const chosen = (keys.length > 0 ? keys : rest).slice(0, DEFAULT_CHARTS);
  // A CSV has statistics only: its charts would be empty.
  const tab = format === "csv" || format === "earlier-csv" ? "statistics" : "overview";
  return fromSaved({ charts: chosen.map((family) => ({ family })), tab });
}

/** What is sound of what an earlier version of the view, or another program, has left; undefined for no layout. */
export function parseSavedLayout(value: unknown): ViewLayout | undefined {
  const saved = fieldsOf(value);
  return soundPart(viewLayout, { ...saved, tab: typeof saved["tab"] === "string" ? saved["tab"] : "overview" });
}
