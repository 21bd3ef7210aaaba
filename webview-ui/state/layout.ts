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

export type LayoutAction =
  | {
      readonly kind: "show";
      readonly family: string;
      readonly series?: readonly SeriesId[];
      readonly limit?: ThresholdLine;
    }
  /** Charts several families of one unit together. */
  | { readonly kind: "overlay"; readonly families: readonly string[] }
  | { readonly kind: "remove"; readonly id: number }
  /** Changes a chart; what is absent stays, of settings too. */
  | { readonly kind: "chart"; readonly id: number; readonly change: ChartChange }
  /** Pins a family, or lets go of one that is pinned. */
  | { readonly kind: "pin"; readonly family: string }
  /** Changes a table; what is given as undefined is forgotten. */
  | { readonly kind: "table"; readonly table: TableName; readonly change: TableChange }
  | { readonly kind: "fold"; readonly name: string; readonly open: boolean }
  /** Shows the families of a linked view as it does, in its order; a chart that is there keeps its series. */
  | { readonly kind: "follow"; readonly charts: FollowState["charts"] }
  | { readonly kind: "set"; readonly change: Partial<Settable> };

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

export function reduceLayout(layout: Layout, action: LayoutAction): Layout {
  switch (action.kind) {
    case "show": {
      const existing = layout.charts.find(
        (chart) => chart.family === action.family && chart.also === undefined && covers(chart.series, action.series),
      );
      const id = existing?.id ?? layout.nextId;
      return {
        ...(existing === undefined ? withChart(layout, choice(action)) : layout),
        tab: "charts",
        // A filter would hide what was asked for.
        filter: "",
        focus: id,
        target: { id, limit: action.limit },
      };
    }
    case "overlay": {
      const [family, ...also] = action.families;
      if (family === undefined) return layout;
      const { nextId: id } = layout;
      return { ...withChart(layout, choice({ family, also })), tab: "charts", filter: "", focus: id, target: { id } };
    }
    case "remove": {
      const charts = layout.charts.filter((chart) => chart.id !== action.id);
      return {
        ...layout,
        charts,
        pinned: layout.pinned.filter((family) => charts.some((chart) => chart.family === family)),
      };
    }
    case "chart": {
      const { id, change } = action;
      const charts = layout.charts.map((chart) =>
        chart.id === id
          ? {
              id,
              ...choice({
                ...chart,
                ...change,
                settings: change.settings === undefined ? chart.settings : { ...chart.settings, ...change.settings },
              }),
            }
          : chart,
      );
      return { ...layout, charts };
    }
    case "pin": {
      if (layout.pinned.includes(action.family))
        return { ...layout, pinned: layout.pinned.filter((family) => family !== action.family) };
      const charted = layout.charts.some((chart) => chart.family === action.family)
        ? layout
        : withChart(layout, { family: action.family });
      return { ...charted, pinned: [...layout.pinned, action.family] };
    }
    case "table":
      return {
        ...layout,
        tables: { ...layout.tables, [action.table]: compact({ ...layout.tables[action.table], ...action.change }) },
      };
    case "fold":
      return { ...layout, folds: { ...layout.folds, [action.name]: action.open } };
    case "follow": {
      const left = [...layout.charts];
      let { nextId } = layout;
      const charts = action.charts.map((wanted): ChartEntry => {
        const at = left.findIndex((chart) => chart.family === wanted.family);
        const [present] = at < 0 ? [] : left.splice(at, 1);
        return {
          id: present?.id ?? nextId++,
          ...choice({ ...wanted, series: present?.series }),
        };
      });
      return {
        ...layout,
        charts,
        nextId,
        pinned: layout.pinned.filter((family) => charts.some((chart) => chart.family === family)),
      };
    }
    case "set": {
      const { tab = layout.tab } = action.change;
      return { ...layout, ...action.change, ...(tab === layout.tab ? {} : { target: undefined }) };
    }
  }
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
