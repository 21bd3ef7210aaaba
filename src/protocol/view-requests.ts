import type { Assertion } from "../core/compare/gates/assertion.js";
import type { Objective } from "../core/catalog/objectives.js";
import type { SeriesId } from "../core/model/index.js";
import {
  answered,
  either,
  finite,
  flag,
  list,
  none,
  nothing,
  offset,
  oneOf,
  points,
  positive,
  record,
  series,
  shape,
  subject,
  text,
  type Passed,
  type RequestsIn,
} from "./guards.js";
import { RUN_REQUESTS, type RunEvents, type RunRequests } from "./run-requests.js";

/* What a run view asks of the extension host, and what it is kept by: its layout and its links with other views. */

/** How a family is charted other than by lines: histograms by bucket, vectors by position, any by rank and by share. */
export const CHART_MODES = ["heatmap", "distribution", "vector", "ranking", "shares"] as const;
export type ChartMode = (typeof CHART_MODES)[number];

/** What a user chose within a mode; absent: its default. */
const modeSettings = shape(
  {},
  {
    /** What a ranking is by. */
    statistic: text,
    /** How many a ranking has. */
    count: points,
    /** The label that shares are split by. */
    by: text,
    /** Of the values of lines, of the counts of a distribution. */
    scale: oneOf("linear", "log"),
  },
);
export type ModeSettings = Passed<typeof modeSettings>;

const choice = {
  /** Families of the same unit that are drawn with it. */
  also: list(text),
  /** Absent: lines. */
  mode: oneOf(...CHART_MODES),
  settings: modeSettings,
};
/** A chart as it is kept: a family, all of its series (as many as fit) or chosen ones, and how they are shown. */
const chartChoice = shape({ family: text }, { ...choice, series });
export type ChartChoice = Passed<typeof chartChoice>;

/** Widths that columns of a table were given by hand, pixels by the column's key. */
export const columnWidths = record(positive);

/** What a table shows and how. */
const tableLayout = shape(
  {},
  {
    /** All families of a type, or one family; absent: what the view proposes. */
    subject,
    /** By the key of a column. Absent: the table's own order. */
    sorting: shape({ key: text, descending: flag }),
    label: shape({ name: text, value: text }),
    widths: columnWidths,
  },
);
export type TableLayout = Passed<typeof tableLayout>;

/** Seconds from the start of profiling, which each run has of its own. */
const zoom = shape({ from: finite, to: finite });

/** What a view remembers across closing and reloading. */
export const viewLayout = shape(
  { charts: list(chartChoice), tab: text },
  {
    /** Families that come before all others, in the order in which they were pinned. */
    pinned: list(text),
    tables: shape({}, { statistics: tableLayout, timeslices: tableLayout }),
    /** Slice length that was chosen for a saved run. */
    sliceSeconds: positive,
    /** The endpoint, by its URL, or the kind of server that the view is narrowed to; absent: all. */
    only: text,
    /** Words that everything listed contains. */
    filter: text,
    /** What charts show of the time axis; absent: the whole run. */
    zoom,
    /** What was opened or folded by hand, by its name. */
    folds: record(flag),
    /** Whether charts mark level changes and outliers; absent: they do. */
    marked: flag,
    /**
     * When it was changed last, Unix ms: a window that is loaded anew may find an older copy in the webview than in the
     * host, and the later counts.
     */
    changedAt: finite,
  },
);
export type ViewLayout = Passed<typeof viewLayout>;

/** What linked views show alike. */
const followState = shape({
  /** null: the whole run. */
  zoom: either(nothing, zoom),
  /** Without a choice of series: those of another run are others. */
  charts: list(shape({ family: text }, choice)),
  sliceSeconds: finite,
});
export type FollowState = Passed<typeof followState>;

export interface LinkState {
  readonly linked: boolean;
  /** How many are linked with it. */
  readonly others: number;
  /** What they show. */
  readonly latest?: FollowState;
}

export const ENDPOINT_COMMANDS = ["retry", "setHeaders", "editUrl", "remove"] as const;
export type EndpointCommand = (typeof ENDPOINT_COMMANDS)[number];

/** Answered by the extension host itself. */
export const HOST_REQUESTS = {
  /** Of a table `safeText`: the same without cells that a spreadsheet runs as formulas, where settings ask for it. */
  copy: answered()(shape({ text, what: text }, { safeText: text })),
  /** Runs one of the capture's commands as if from the palette. `time`: of a mark, where it is not now. */
  captureCommand: answered()(
    shape(
      { command: oneOf("stop", "markProfilingStart", "addMark", "exportAs", "recover", "start") },
      { time: offset },
    ),
  ),
  /** Writes what the view shows as a report that opens anywhere, after asking what to hide and where to. */
  exportReport: answered()(none),
  /** What is done about an endpoint of a running capture; it applies at once. */
  endpointCommand: answered()(shape({ command: oneOf(...ENDPOINT_COMMANDS), url: text })),
  /** Shows one file of the run alone; without a path the run again, by the best file it has. */
  showFile: answered()(shape({}, { path: text })),
  /** Reads one of the instances behind the run's totals from their store and shows it as a run of its own. */
  openInstance: answered()(shape({ instance: text })),
  /** The assertions of the settings, to be shown as lines and marks; what they give on this run is asked by `check`. */
  assertions: answered<readonly Assertion[]>()(none),
  /** The objectives of the settings; how far this run meets them is asked by `slo`. */
  objectives: answered<readonly Objective[]>()(none),
  linkState: answered<LinkState>()(none),
  /**
   * Links all run views that are open, showing what this one shows, or lets this one go. Rejects with code
   * "nothing-to-link" when no other is open.
   */
  link: answered()(shape({ linked: flag, state: followState })),
  /** A linked view shows something else now. */
  followLinked: answered()(followState),
  loadLayout: answered<ViewLayout | null>()(none),
  saveLayout: answered()(viewLayout),
};
export type HostRequests = RequestsIn<typeof HOST_REQUESTS>;

/** The guards of every request of a run's page. */
export const VIEW_GUARDS = { ...RUN_REQUESTS, ...HOST_REQUESTS };

/** Pushed by the extension host to a view. */
export interface HostEvents {
  /** "Show in Chart" from the tree. */
  showInChart: { readonly family: string; readonly series?: readonly SeriesId[] };
  /** The view has been linked or let go. */
  link: LinkState;
  /** A linked view shows something else now: this one is to show it too. */
  followLinked: FollowState;
  /** "Link with Other Editors": as if the view's own button had been pressed. */
  toggleLink: Record<string, never>;
  /** The assertions of the settings have changed. */
  assertions: { readonly assertions: readonly Assertion[] };
  /** The objectives of the settings have changed. */
  objectives: { readonly objectives: readonly Objective[] };
}

/** All that a run view may ask, and all it may hear. */
export type ViewRequests = RunRequests & HostRequests;
export type ViewEvents = RunEvents & HostEvents;
