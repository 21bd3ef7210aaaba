import type { Assertion } from "../core/compare/gates/assertion.js";
import type { MetricType, OffsetNs, SeriesId } from "../core/model/index.js";
import type { Objective } from "../core/catalog/objectives.js";
import type { RunEvents, RunRequests } from "./run-requests.js";

/* What a run view asks of the extension host, and what it is kept by: its layout and its links with other views. */

/** How a family is charted other than by lines: histograms by bucket, vectors by position, any by rank and by share. */
export const CHART_MODES = ["heatmap", "distribution", "vector", "ranking", "shares"] as const;
export type ChartMode = (typeof CHART_MODES)[number];

/** What a user chose within a mode; absent: its default. */
export interface ModeSettings {
  /** What a ranking is by. */
  readonly statistic?: string;
  /** How many a ranking has. */
  readonly count?: number;
  /** The label that shares are split by. */
  readonly by?: string;
  /** Of the values of lines, of the counts of a distribution. */
  readonly scale?: "linear" | "log";
}

/** A chart as it is kept: a family, all of its series (as many as fit) or chosen ones, and how they are shown. */
export interface ChartChoice {
  readonly family: string;
  readonly series?: readonly SeriesId[];
  /** Families of the same unit that are drawn with it. */
  readonly also?: readonly string[];
  /** Absent: lines. */
  readonly mode?: ChartMode;
  readonly settings?: ModeSettings;
}

/** What a table shows and how. */
export interface TableLayout {
  /** All families of a type, or one family; absent: what the view proposes. */
  readonly subject?: { readonly family: string } | { readonly type: MetricType };
  /** By the key of a column. Absent: the table's own order. */
  readonly sorting?: { readonly key: string; readonly descending: boolean };
  readonly label?: { readonly name: string; readonly value: string };
  /** Widths that columns were given by hand, pixels by the column's key. */
  readonly widths?: Readonly<Record<string, number>>;
}

/** What a view remembers across closing and reloading. */
export interface ViewLayout {
  readonly charts: readonly ChartChoice[];
  readonly tab: string;
  /** Families that come before all others, in the order in which they were pinned. */
  readonly pinned?: readonly string[];
  readonly tables?: { readonly statistics?: TableLayout; readonly timeslices?: TableLayout };
  /** Slice length that was chosen for a saved run. */
  readonly sliceSeconds?: number;
  /** The endpoint, by its URL, or the kind of server that the view is narrowed to; absent: all. */
  readonly only?: string;
  /** Words that everything listed contains. */
  readonly filter?: string;
  /** What charts show of the time axis, seconds from the start of profiling; absent: the whole run. */
  readonly zoom?: { readonly from: number; readonly to: number };
  /** What was opened or folded by hand, by its name. */
  readonly folds?: Readonly<Record<string, boolean>>;
  /** Whether charts mark level changes and outliers; absent: they do. */
  readonly marked?: boolean;
  /**
   * When it was changed last, Unix ms: a window that is loaded anew may find an older copy in the webview than in the
   * host, and the later counts.
   */
  readonly changedAt?: number;
}

/** What linked views show alike. */
export interface FollowState {
  /** Seconds from the start of profiling, which each run has of its own; null: the whole run. */
  readonly zoom: { readonly from: number; readonly to: number } | null;
  /** Without a choice of series: those of another run are others. */
  readonly charts: readonly Omit<ChartChoice, "series">[];
  readonly sliceSeconds: number;
}

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
export interface HostRequests {
  copy: {
    params: {
      readonly text: string;
      readonly what: string;
      /** Of a table: the same without cells that a spreadsheet runs as formulas, copied where settings ask for it. */
      readonly safeText?: string;
    };
    result: null;
  };
  /** Runs one of the capture's commands as if from the palette. */
  captureCommand: {
    params: {
      readonly command: "stop" | "markProfilingStart" | "addMark" | "exportAs" | "recover" | "start";
      /** Of a mark, where it is not now. */
      readonly time?: OffsetNs;
    };
    result: null;
  };
  /** Writes the run as a report that opens anywhere, after asking what to hide and where to. */
  exportReport: { params: Record<string, never>; result: null };
  /** What is done about an endpoint of a running capture; it applies at once. */
  endpointCommand: { params: { readonly command: EndpointCommand; readonly url: string }; result: null };
  /** Shows one file of the run alone; without a path the run again, by the best file it has. */
  showFile: { params: { readonly path?: string }; result: null };
  /** Reads one of the instances behind the run's totals from their store and shows it as a run of its own. */
  openInstance: { params: { readonly instance: string }; result: null };
  /** The assertions of the settings, to be shown as lines and marks; what they give on this run is asked by `check`. */
  assertions: { params: Record<string, never>; result: readonly Assertion[] };
  /** The objectives of the settings; how far this run meets them is asked by `slo`. */
  objectives: { params: Record<string, never>; result: readonly Objective[] };
  linkState: { params: Record<string, never>; result: LinkState };
  /**
   * Links all run views that are open, showing what this one shows, or lets this one go. Rejects with code
   * "nothing-to-link" when no other is open.
   */
  link: { params: { readonly linked: boolean; readonly state: FollowState }; result: null };
  /** A linked view shows something else now. */
  followLinked: { params: FollowState; result: null };
  loadLayout: { params: Record<string, never>; result: ViewLayout | null };
  saveLayout: { params: ViewLayout; result: null };
}

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
