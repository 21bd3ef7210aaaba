import type { ClientServer } from "../core/client/client-server.js";
import type { MovesWith } from "../core/insights/moves-with.js";
import type { Assertion } from "../core/compare/assertion.js";
import type { Objective, SloReport } from "../core/query/slo.js";
import type { CheckResult } from "../core/compare/check.js";
import type { ArtifactFormat } from "../core/artifacts/names.js";
import type { MetricType, OffsetNs, Phase, Problem, ScrapeCost, SeriesId } from "../core/model/index.js";
import type {
  ChartData,
  ChartQuery,
  Dashboard,
  DistributionData,
  FamilySummary,
  HeatmapData,
  HeatmapQuery,
  ConfigNode,
  InstanceCourse,
  InstanceTable,
  LabelCount,
  MomentTable,
  RankingData,
  RankingQuery,
  SeriesSummary,
  SharesData,
  SharesQuery,
  StaticFact,
  StatisticsTable,
  Tile,
  TimesliceTable,
  VectorData,
  VectorQuery,
} from "../core/query/types.js";

export type { Problem } from "../core/model/index.js";
export type { Assertion, LabelSelector, Operator } from "../core/compare/assertion.js";
export type { MovesWith } from "../core/insights/moves-with.js";
export type { CheckedSeries, CheckResult } from "../core/compare/check.js";
export type { Attainment, Goodput, Objective, SloReport } from "../core/query/slo.js";
export type * from "../core/query/types.js";

/*
 * What a view may ask of a run, be it a capture in progress or a saved artifact. Times are OffsetNs relative to
 * the run's origin; a chart draws them relative to `header.profilingStart`. Values are plain doubles, NaN for "none".
 */

export type RunState = "capturing" | "stopping" | "stopped" | "opening" | "opened" | "following";

export type EndpointState = "connecting" | "up" | "failing" | "disabled";

export interface EndpointStatus {
  readonly url: string;
  /** host:port plus path, without scheme and `/metrics`. */
  readonly displayName: string;
  readonly label?: string;
  readonly state: EndpointState;
  /** Of the last scrape that answered. */
  readonly latencyMs?: number;
  /** Of a capture under way. */
  readonly cost?: ScrapeCost;
  readonly scrapes: number;
  readonly failures: number;
  /** Ticks skipped because a scrape was late. */
  readonly missedTicks: number;
  /** Names of the servers recognised by their families: "vLLM", "SGLang", … */
  readonly servers: readonly string[];
  readonly families: number;
  /** Absent while it is not known: of a large file only what is asked for is read. */
  readonly series?: number;
  readonly problems: readonly Problem[];
}

export interface MarkStatus {
  readonly time: OffsetNs;
  readonly label: string;
}

/** A part of a run that its window can be set to. */
export interface PhaseStatus {
  readonly name: string;
  readonly kind: Phase;
  /** Its statistics run from here … */
  readonly start: OffsetNs;
  /** … to here. */
  readonly end: OffsetNs;
}

export interface RunHeader {
  readonly state: RunState;
  readonly phase: Phase;
  readonly label?: string;
  readonly benchmarkId: string;
  /** Wall clock of offset 0, milliseconds since the epoch (for hover text; the exact value is `originNs`). */
  readonly originMs: number;
  /** Decimal digits. */
  readonly originNs: string;
  /** Newest sample. */
  readonly now: OffsetNs;
  readonly profilingStart: OffsetNs;
  /** Where the warm-up ended as recorded, when a user has moved its end. */
  readonly recordedProfilingStart?: OffsetNs;
  readonly profilingEnd?: OffsetNs;
  /** Absent when a file does not tell. */
  readonly elapsedSeconds?: number;
  readonly sliceDurationSeconds: number;
  /** The stretch a user chose for all statistics; absent: the profiling phase. */
  readonly window?: { readonly start: OffsetNs; readonly end: OffsetNs };
  /** Warm-ups and named phases, in the order of their starts; absent where there are none. */
  readonly phases?: readonly PhaseStatus[];
  /** The samples are there and at rest: slice length and window can be changed. */
  readonly adjustable: boolean;
  /** What the run can be written as. */
  readonly exportable: readonly ArtifactFormat[];
  /** The file that the run was read from. */
  readonly file?: OpenedFile;
  /** Share of the file read so far, 0 to 1, while it is being opened. */
  readonly readShare?: number;
  /** Absent when a file does not tell. */
  readonly scrapes?: number;
  /** Absent when a file does not tell. */
  readonly gaps?: number;
  /** What a capture was last written to. */
  readonly artifacts?: readonly { readonly path: string; readonly format: OpenedFormat; readonly bytes: number }[];
  readonly endpoints: readonly EndpointStatus[];
  readonly facts: readonly StaticFact[];
  readonly marks: readonly MarkStatus[];
  /** Of the run as a whole: journal full, nothing reachable, notes of the parser. */
  readonly problems: readonly Problem[];
}

/** "earlier-…": AIPerf's layouts before its server-metrics exports. */
export type OpenedFormat =
  | "json"
  | "csv"
  | "jsonl"
  | "parquet"
  | "journal"
  | "scrape-log"
  | "exposition"
  | "metric-dump"
  | "client"
  | "earlier-json"
  | "earlier-csv";

export interface OpenedFile {
  readonly path: string;
  readonly format: OpenedFormat;
  readonly bytes: number;
  /** What no file of this format holds; absent when it holds all of its run. */
  readonly lacks?: string;
  /** Of its layout, when it says. */
  readonly schemaVersion?: string;
  /** The program that wrote it, when it says. */
  readonly exporter?: string;
  /** Files of the same run beside it, the richest first. */
  readonly siblings: readonly { readonly path: string; readonly format: OpenedFormat }[];
}

/** Changes to what statistics run over; what is absent stays. */
export interface RunAdjustment {
  readonly sliceSeconds?: number;
  /** "recorded" goes back to the profiling phase. */
  readonly window?: { readonly start: OffsetNs; readonly end: OffsetNs } | "recorded";
  /** Moves the end of the warm-up; "recorded" puts it back. */
  readonly profilingStart?: OffsetNs | "recorded";
}

export interface RunSnapshot {
  readonly header: RunHeader;
  readonly families: readonly FamilySummary[];
  readonly tiles: readonly Tile[];
}

/** What limits the server, in the words of the command line's `insights`. */
export interface RunFinding {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly advice: string;
  readonly confidence: "high" | "medium" | "low";
  /** 0 to 1. */
  readonly weight: number;
  /** What it rests on and what to look at, of families that the run has. */
  readonly evidence: readonly FindingEvidence[];
}

/** One figure of a family over a range of time. */
export interface FindingEvidence {
  readonly family: string;
  readonly endpointUrl: string;
  /** Such as "max". */
  readonly statistic: string;
  readonly start: OffsetNs;
  readonly end: OffsetNs;
  readonly value: number;
  /** Of `value` and `threshold`. */
  readonly unit?: string;
  readonly threshold?: number;
}

export interface RunFindings {
  /** The weightiest first. */
  readonly findings: readonly RunFinding[];
  /** Titles of what was looked for. */
  readonly checked: readonly string[];
  /** How far endpoints are from their first limit, a sentence each. */
  readonly capacities: readonly string[];
}

/** Answered by the engine that holds the run. */
/** What lies between a client and a kind of server, in the window that the page knows. */
export type ClientServerRow = Omit<ClientServer, "window">;

export interface RunRequests {
  snapshot: { params: Record<string, never>; result: RunSnapshot };
  series: { params: { readonly family: string }; result: readonly SeriesSummary[] };
  /** What the run's file says of its configuration; empty when nothing. */
  configuration: { params: Record<string, never>; result: readonly ConfigNode[] };
  /** Rejects with code "no-findings" where not all samples are at hand. */
  findings: { params: { readonly thresholds?: Readonly<Record<string, number>> }; result: RunFindings };
  /** What lies between a benchmark client and the servers; empty without a client. Rejects as `findings`. */
  clientServer: { params: Record<string, never>; result: readonly ClientServerRow[] };
  /** What moves with a family, over the window or a part of it. Rejects as `findings`. */
  movesWith: {
    params: { readonly family: string; readonly from?: OffsetNs; readonly to?: OffsetNs };
    result: MovesWith;
  };
  /** Adds results of a benchmark client to the run. Rejects with code "no-samples" where there is nothing to add to. */
  addClient: { params: { readonly paths: readonly string[] }; result: readonly Problem[] };
  /** Panels of one kind of server, of all of its endpoints or of one. `server`: its name; "" for unknown ones. */
  dashboard: { params: { readonly server: string; readonly endpointUrl?: string }; result: Dashboard };
  /** Key metrics of one kind of server, endpoint by endpoint. */
  instances: { params: { readonly server: string }; result: InstanceTable };
  /** One key metric, by its id, endpoint by endpoint over time. Rejects with code "no-metric" what the run has not. */
  instanceCourse: { params: { readonly server: string; readonly metric: string }; result: InstanceCourse };
  /** Key metrics of one endpoint. */
  tiles: { params: { readonly endpointUrl: string }; result: readonly Tile[] };
  /** Of a single scrape: every series as it stands. */
  moment: { params: Record<string, never>; result: MomentTable };
  /** The values of every label, of every family. */
  labels: { params: Record<string, never>; result: readonly LabelCount[] };
  chart: { params: ChartQuery; result: ChartData };
  /** All series of one family, or of all families of a type. */
  statistics: { params: { readonly family: string } | { readonly type: MetricType }; result: StatisticsTable };
  timeslices: { params: { readonly family: string; readonly series?: readonly SeriesId[] }; result: TimesliceTable };
  heatmap: { params: HeatmapQuery; result: HeatmapData };
  distribution: {
    params: { readonly family: string; readonly series?: readonly SeriesId[] };
    result: DistributionData;
  };
  /**
   * Holds the statistics of the present window against assertions: one result for each, in their order. Costs as much
   * as the tables of their families.
   */
  check: { params: { readonly assertions: readonly Assertion[] }; result: readonly CheckResult[] };
  /** How far objectives are met in the present window. */
  slo: { params: { readonly objectives: readonly Objective[] }; result: SloReport };
  ranking: { params: RankingQuery; result: RankingData };
  shares: { params: SharesQuery; result: SharesData };
  vector: { params: VectorQuery; result: VectorData };
  /** Rejects with code "unusable-settings" what makes no sense. All that is shown changes: a progress event follows. */
  adjust: { params: RunAdjustment; result: null };
  /**
   * Reads on as the opened file grows, until told not to, or until it is replaced or gone: a notice then says so.
   * Rejects with code "not-followable" for a format that is written once, "replaced" for a file that no longer holds
   * what was read.
   */
  follow: { params: { readonly on: boolean }; result: null };
}

/** Pushed by the engine, at most once a second. */
export interface RunEvents {
  /** Header and tiles anew; the view asks for its visible charts and tables again. */
  progress: { readonly header: RunHeader; readonly tiles: readonly Tile[] };
  /** Families appeared. */
  families: { readonly families: readonly FamilySummary[] };
}

/** How a family is charted other than by lines: histograms by bucket, vectors by position, any by rank and by share. */
export type ChartMode = "heatmap" | "distribution" | "vector" | "ranking" | "shares";

/** What a user chose within a mode; absent: its default. */
export interface ModeSettings {
  /** What a ranking is by. */
  readonly statistic?: string;
  /** How many a ranking has. */
  readonly count?: number;
  /** The label that shares are split by. */
  readonly by?: string;
}

/** A chart as it is kept: a family, all of its series (as many as fit) or chosen ones, and how they are shown. */
export interface ChartChoice {
  readonly family: string;
  readonly series?: readonly SeriesId[];
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
  /** Words that every row shown contains. */
  readonly text?: string;
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

/** Answered by the extension host itself. */
export interface HostRequests {
  copy: { params: { readonly text: string; readonly what: string }; result: null };
  /** Runs one of the capture's commands as if from the palette. */
  captureCommand: {
    params: {
      readonly command: "stop" | "markProfilingStart" | "addMark" | "exportAs" | "recover" | "start";
    };
    result: null;
  };
  retryEndpoint: { params: { readonly url: string }; result: null };
  /** Shows a file as a run, in an editor of its own. */
  openFile: { params: { readonly path: string }; result: null };
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
