import { DEFAULT_THRESHOLD, type Comparison, type LabelRule } from "../core/compare/types.js";
import type { FindingChanges } from "../core/insights/changes.js";
import type { OffsetNs } from "../core/model/index.js";
import type { ChartData, HeatmapData } from "../core/query/types/index.js";
import {
  answered,
  assertion,
  finite,
  flag,
  list,
  none,
  object,
  objectives,
  offset,
  oneOf,
  points,
  record,
  shape,
  text,
  type Passed,
  type RequestsIn,
  type ShapeOf,
} from "./guards.js";
import type { DescribedError } from "./channel.js";
import type { RunHeader } from "./run-header.js";
import type { CheckResult } from "./run-requests.js";
import { HOST_REQUESTS, type HostEvents } from "./view-requests.js";

export type * from "../core/compare/types.js";

/*
 * What a comparison view may ask of the engine that holds the compared runs. Runs and rows are identified by ids that
 * the engine gives them and never changes.
 */

/** Of a compared run, whatever becomes of its place among the others, its label and its file. */
export type RunId = string;

/** Where one of the compared runs comes from. */
export interface ComparedSource {
  /** An artifact, a scrape log or the journal of a capture. */
  readonly path: string;
  /** What people call it; absent: derived from its content and its folder. */
  readonly label?: string;
  /** A capture that is under way: its journal is read on as it grows. */
  readonly live?: boolean;
  /** As `Reach.within` of the files. */
  readonly within?: string;
}

/** Where the runs' time axes meet. */
export interface RunAnchors {
  readonly profilingStart: OffsetNs;
  /** When the first request was seen to run, wait or finish; absent when the run does not tell. */
  readonly firstRequest?: OffsetNs;
  /** Wall clock of offset 0, milliseconds since the epoch. */
  readonly originMs: number;
}

export interface ComparedRunStatus {
  readonly id: RunId;
  readonly source: ComparedSource;
  /** Unique among the compared runs. */
  readonly label: string;
  /** The first of the runs that it is a repeat of, which has their column in the result; else its own id. */
  readonly set?: RunId;
  readonly state:
    | { readonly kind: "reading"; readonly fraction: number }
    | { readonly kind: "ready"; readonly header: RunHeader; readonly anchors: RunAnchors }
    | { readonly kind: "failed"; readonly error: DescribedError };
}

const comparisonSettings = {
  /** Differences smaller than this share are of no practical relevance. */
  threshold: finite,
  /** What becomes of labels that merely identify; before the default rules. */
  labelRules: list(object<LabelRule>({ label: text, mode: oneOf("match", "pair", "aggregate", "auto") }, {})),
  /** Which direction is good, by canonical family name, where it is not the catalogue's. */
  directions: record(oneOf("up", "down", "neutral")),
  /** Service level objectives: the share that meets each is compared too. */
  objectives,
};
/** What is measured of every run that has the samples for it. Absent: as each file says. */
const measured = { window: oneOf("load", "all", "recorded") };
export type ComparisonSettings = ShapeOf<typeof comparisonSettings, typeof measured>;

/** Where nothing is set. */
export const DEFAULT_COMPARISON_SETTINGS: ComparisonSettings = {
  threshold: DEFAULT_THRESHOLD,
  labelRules: [],
  directions: {},
  objectives: [],
};

export interface ComparisonState {
  /** Baseline first; those that cannot be read stand last. */
  readonly runs: readonly ComparedRunStatus[];
  /** A user has said which runs are repeats. */
  readonly grouped?: true;
  readonly settings: ComparisonSettings;
  /** Rises with every new result; 0 before the first. */
  readonly revision: number;
  /** A comparison is under way: the share done. */
  readonly comparing?: number;
  /** Why the runs cannot be compared: there is no result then. */
  readonly problem?: DescribedError;
}

/** A result with ids: those of its rows stay through baselines, rules and runs that come and go. */
export interface IdentifiedComparison extends Comparison {
  /** The baseline's, then each candidate's. */
  readonly runIds: readonly RunId[];
  /** All runs of the baseline's set, then of each candidate's; a repeat that is the same run as another is left out. */
  readonly setIds: readonly (readonly RunId[])[];
}

/** About the series behind one row, in several runs at once. */
const rowQuestion = {
  /** Id of a row of the latest result. */
  row: text,
  /** `window`: {} for all of it. Absent: nothing of it is shown, and only its series are counted. */
  runs: list(shape({ run: text }, { window: shape({}, { from: offset, to: offset }) })),
};
export type RowQuestion = ShapeOf<typeof rowQuestion>;

/** What one run answers. Runs that have not been read or compared, and all runs of an unknown row, are left out. */
export interface RowAnswer<T> {
  readonly run: RunId;
  /** Its column in the latest result: 0 the baseline. */
  readonly column: number;
  /** Series behind the row in this run; `data` may hold fewer. */
  readonly seriesCount: number;
  /** Absent when the run has no such series, or without a window. */
  readonly data?: T;
}

/** What became of the baseline's findings in another run, the weightiest first. */
export interface RunFindingChanges extends FindingChanges {
  readonly run: RunId;
}

const reportFormat = oneOf("markdown", "csv", "json");
export type ReportFormat = Passed<typeof reportFormat>;

/** Answered by the engine that holds the compared runs. */
const ENGINE_REQUESTS = {
  comparisonState: answered<ComparisonState>()(none),
  /** The latest result. Rejects with code "no-comparison" while there is none. */
  comparison: answered<{ readonly revision: number; readonly comparison: IdentifiedComparison }>()(none),
  /** What is absent stays. Compares anew: a `state` event with a higher revision follows. */
  configure: answered()(shape({}, { ...comparisonSettings, ...measured })),
  /**
   * Runs in the wanted order: the first is the baseline; one left out is no longer compared. `sets`: which of them are
   * repeats of each other; absent: as before.
   */
  arrange: answered()(shape({ order: list(text) }, { sets: list(list(text)) })),
  /** Reads the files of these runs again, as after they could not be read or compared. */
  readAgain: answered()(shape({ runs: list(text) })),
  /**
   * Lines of a row's series in each run; of histograms those of all series taken together. `maxSeries`: of one run's
   * series, when they are more than `maxJoined`, which nobody can take together.
   */
  runChart: answered<readonly RowAnswer<ChartData>[]>()(
    shape({ ...rowQuestion, maxPoints: points, maxSeries: points, maxJoined: points }),
  ),
  /** Observations by bucket and time of a row's series, added up, in each run. */
  runHeatmap: answered<readonly RowAnswer<HeatmapData>[]>()(shape({ ...rowQuestion, maxColumns: points })),
  /** As a run view's `check`, on one of the runs. */
  runCheck: answered<readonly CheckResult[]>()(shape({ run: text, assertions: list(assertion) })),
  /**
   * Of each candidate of the latest result that tells as much as the baseline: both with samples, or both with
   * statistics that have slices, or that have none. Rejects as `comparison`.
   */
  findingChanges: answered<readonly RunFindingChanges[]>()(shape({}, { thresholds: record(finite) })),
  /**
   * `rows`: ids of the rows wanted; absent: those decided (Markdown) or all. `csvSafe`: cells of CSV that a spreadsheet
   * would run as formulas get an apostrophe.
   */
  report: answered<{ readonly text: string }>()(
    shape({ format: reportFormat }, { rows: list(text), csvSafe: flag, thresholds: record(finite) }),
  ),
};
export type ComparisonRequests = RequestsIn<typeof ENGINE_REQUESTS>;

export interface ComparisonEvents {
  state: ComparisonState;
}

/** What the extension host asks of the engine besides. */
export interface ComparisonEngineRequests extends ComparisonRequests {
  /** Once, before anything else. Settles at once: progress of reading and comparing is reported by `state`. */
  compare: {
    params: {
      readonly sources: readonly ComparedSource[];
      readonly settings: ComparisonSettings;
      /** The run that began first becomes the baseline; else they stay in the order given. */
      readonly oldestFirst?: boolean;
      /** Paths of runs by sets of repeats, as a user grouped them before: in this order, and not grouped anew. */
      readonly sets?: readonly (readonly string[])[];
    };
    result: null;
  };
  /**
   * One more candidate, or one that could not be read, tried again. Rejects with code "unusable-settings" beyond
   * MAX_CANDIDATES.
   */
  addSource: { params: { readonly source: ComparedSource }; result: null };
  /**
   * A compared file is gone, and its content is in another now, as when a capture has been written: read from there,
   * in its place.
   */
  moveSource: { params: { readonly from: string; readonly to: string }; result: null };
}

/** One baseline against this many at the most. */
export const MAX_CANDIDATES = 24;

/** Answered by the extension host itself. */
const OWN_REQUESTS = {
  copy: HOST_REQUESTS.copy,
  assertions: HOST_REQUESTS.assertions,
  /** Asks where to, and writes the report. */
  saveReport: answered()(shape({ format: reportFormat }, { rows: list(text) })),
  exportReport: HOST_REQUESTS.exportReport,
  /** Asks for another candidate. */
  addCandidate: answered()(none),
  /** Shows one of the runs in an editor of its own. */
  openRun: answered()(shape({ run: text })),
  /** Begins an experiment that repeats the two runs. */
  addRepeats: answered()(none),
  /** What the view remembers of itself (filters, charts, tab), opaque to the host. */
  loadComparisonLayout: answered<string | null>()(none),
  saveComparisonLayout: answered()(shape({ layout: text })),
};
export type ComparisonHostRequests = RequestsIn<typeof OWN_REQUESTS>;

/** The guards of every request of a comparison's page. */
export const COMPARISON_GUARDS = { ...ENGINE_REQUESTS, ...OWN_REQUESTS };

/**
 * What the page keeps with `setState` from its first state on, among things of its own: after a reload of the window
 * the host brings the comparison back from it.
 */
export interface ComparisonPageState {
  /** `source` of every run of the latest state, in their order. */
  readonly sources: readonly ComparedSource[];
}

/** Pushed by the extension host to a comparison view. */
export type ComparisonHostEvents = Pick<HostEvents, "assertions">;

/** All that a comparison view may ask, and all it may hear. */
export type ComparisonViewRequests = ComparisonRequests & ComparisonHostRequests;
export type ComparisonViewEvents = ComparisonEvents & ComparisonHostEvents;
