import type { ClientServer } from "../core/client/client-server.js";
import type { MovesWith } from "../core/insights/moves-with.js";
import type { Finding } from "../core/insights/rules/index.js";
import type { Evidence } from "../core/insights/types.js";
import type { SloReport } from "../core/query/slo.js";
import type { CheckResult } from "../core/compare/gates/check.js";
import type { Labels, OffsetNs, Problem, WindowRule } from "../core/model/index.js";
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
  SnapshotTable,
  RankingData,
  RankingQuery,
  SeriesQuery,
  SeriesSummary,
  SharesData,
  SharesQuery,
  StatisticsTable,
  Tile,
  TimesliceTable,
  VectorData,
  VectorQuery,
} from "../core/query/types/index.js";
import type { RunHeader } from "./run-header.js";

import {
  answered,
  assertion,
  either,
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
  series,
  shape,
  subject,
  text,
  type RequestsIn,
} from "./guards.js";

export type { Problem } from "../core/model/index.js";
export type { Assertion, LabelSelector, Operator } from "../core/compare/gates/assertion.js";
export type { MovesWith } from "../core/insights/moves-with.js";
export type { CheckedSeries, CheckResult } from "../core/compare/gates/check.js";
export type { Objective } from "../core/catalog/objectives.js";
export type { Attainment, Goodput, SloReport } from "../core/query/slo.js";
export type * from "../core/query/types/index.js";

/*
 * What a view may ask of a run, be it a capture in progress or a saved artifact. Times are OffsetNs relative to
 * the run's origin; a chart draws them relative to `header.profilingStart`. Values are plain doubles, NaN for "none".
 */

/** Changes to what statistics run over; what is absent stays. */
export interface RunAdjustment {
  readonly sliceSeconds?: number;
  /** "recorded" goes back to the profiling phase. */
  readonly window?: { readonly start: OffsetNs; readonly end: OffsetNs } | "recorded";
  /** What profiling is: the load, or all that was captured. */
  readonly windowRule?: WindowRule;
  /** Moves the end of the warm-up; "recorded" puts it back. */
  readonly profilingStart?: OffsetNs | "recorded";
}

/** What a view is told of a run when it opens. */
export interface RunDescription {
  readonly header: RunHeader;
  readonly families: readonly FamilySummary[];
  readonly tiles: readonly Tile[];
}

/** What limits the server, in the words of the command line's `insights`. */
export interface RunFinding extends Pick<Finding, "title" | "text" | "advice" | "confidence" | "weight"> {
  readonly id: string;
  /** What it rests on and what to look at, of families that the run has. */
  readonly evidence: readonly FindingEvidence[];
}

/** One figure of a family over a range of time. */
export interface FindingEvidence extends Omit<Evidence, "labels" | "range"> {
  /** What tells its series from those of the finding's other figures: "gpu=1". */
  readonly series?: string;
  readonly start: OffsetNs;
  readonly end: OffsetNs;
}

export interface RunFindings {
  /** The weightiest first. */
  readonly findings: readonly RunFinding[];
  /** Titles of what was looked for. */
  readonly checked: readonly string[];
  /** Titles of what could not be judged, because the run has nothing of it. */
  readonly unjudged: readonly string[];
  /** How far endpoints are from their first limit, a sentence each. */
  readonly capacities: readonly string[];
  /** What latencies are made of, a sentence each. */
  readonly latencies: readonly string[];
}

/** A change of level or an outlier of one series, found in its time slices: values, rates or averages. */
export type SeriesChange = { readonly endpointUrl: string; readonly labels: Labels; readonly start: OffsetNs } & (
  | { readonly kind: "level-change"; readonly before: number; readonly after: number }
  /** `value` is the slice that stands out most, `usual` the median around it. */
  | { readonly kind: "outlier"; readonly end: OffsetNs; readonly value: number; readonly usual: number }
);

/** What lies between a client and a kind of server, in the window that the page knows. */
export type ClientServerRow = Omit<ClientServer, "window">;

/** Which series of a family a question is about. */
const chosen = { series, endpoints: list(text) };
const ofSeries = object<SeriesQuery>({ family: text }, chosen);

/** What a page may ask of a run: what comes with a question, and what it is answered with. */
export const RUN_REQUESTS = {
  describe: answered<RunDescription>()(none),
  series: answered<readonly SeriesSummary[]>()(shape({ family: text })),
  /** What the run's file says of its configuration; empty when nothing. */
  configuration: answered<readonly ConfigNode[]>()(none),
  /**
   * Rejects with code "no-findings" where not all samples are at hand. `endpointUrl`: what limits this endpoint, by
   * itself.
   */
  findings: answered<RunFindings>()(shape({}, { thresholds: record(finite), endpointUrl: text })),
  /** What lies between a benchmark client and the servers; empty without a client. Rejects as `findings`. */
  clientServer: answered<readonly ClientServerRow[]>()(none),
  /** What moves with a family, over the window or a part of it. Rejects as `findings`. */
  movesWith: answered<MovesWith>()(shape({ family: text }, { from: offset, to: offset })),
  /** Adds results of a benchmark client to the run. Rejects with code "no-samples" where there is nothing to add to. */
  addClient: answered<readonly Problem[]>()(shape({ paths: list(text) })),
  /** Panels of one kind of server, of all of its endpoints or of one. `server`: its name; "" for unknown ones. */
  dashboard: answered<Dashboard>()(shape({ server: text }, { endpointUrl: text })),
  /** Key metrics of one kind of server, endpoint by endpoint. */
  instances: answered<InstanceTable>()(shape({ server: text })),
  /** One key metric, by its id, endpoint by endpoint over time. Rejects with code "no-metric" what the run has not. */
  instanceCourse: answered<InstanceCourse>()(shape({ server: text, metric: text })),
  /** Key metrics of one endpoint. */
  tiles: answered<readonly Tile[]>()(shape({ endpointUrl: text })),
  /** Of a single scrape: every series as it stands. */
  snapshot: answered<SnapshotTable>()(none),
  /** The values of every label, of every family. */
  labels: answered<readonly LabelCount[]>()(none),
  chart: answered<ChartData>()(
    object<ChartQuery>(
      { family: text, maxSeries: points, maxPoints: points },
      { ...chosen, together: flag, from: offset, to: offset },
    ),
  ),
  /** Where series of a family changed their level, and what stands out from its surroundings; those with any. */
  changes: answered<readonly SeriesChange[]>()(ofSeries),
  /** All series of one family, or of all families of a type. */
  statistics: answered<StatisticsTable>()(subject),
  /** `objectives`: those of the family give a histogram a column each. */
  timeslices: answered<TimesliceTable>()(shape({ family: text }, { ...chosen, objectives })),
  heatmap: answered<HeatmapData>()(
    object<HeatmapQuery>({ family: text, maxColumns: points }, { ...chosen, from: offset, to: offset }),
  ),
  distribution: answered<DistributionData>()(ofSeries),
  /**
   * Holds the statistics of the present window against assertions: one result for each, in their order. Costs as much
   * as the tables of their families.
   */
  check: answered<readonly CheckResult[]>()(shape({ assertions: list(assertion) })),
  /** How far objectives are met in the present window. */
  slo: answered<SloReport>()(shape({ objectives })),
  ranking: answered<RankingData>()(
    object<RankingQuery>({ family: text, count: points }, { ...chosen, statistic: text }),
  ),
  shares: answered<SharesData>()(object<SharesQuery>({ family: text }, { ...chosen, by: text })),
  vector: answered<VectorData>()(object<VectorQuery>({ family: text }, chosen)),
  /** Rejects with code "unusable-settings" what makes no sense. All that is shown changes: a progress event follows. */
  adjust: answered()(
    object<RunAdjustment>(
      {},
      {
        sliceSeconds: finite,
        window: either(oneOf("recorded"), shape({ start: offset, end: offset })),
        windowRule: oneOf("load", "all"),
        profilingStart: either(oneOf("recorded"), offset),
      },
    ),
  ),
  /**
   * Reads on as the opened file grows, until asked to stop, or until it is replaced or gone: a notice then says so.
   * Rejects with code "not-followable" for a format that is written once, "replaced" for a file that no longer holds
   * what was read.
   */
  follow: answered()(shape({ on: flag })),
};

/** Answered by the engine that holds the run. */
export type RunRequests = RequestsIn<typeof RUN_REQUESTS>;

/** Pushed by the engine, at most once a second. */
export interface RunEvents {
  /** Header and tiles anew; the view asks for its visible charts and tables again. */
  progress: { readonly header: RunHeader; readonly tiles: readonly Tile[] };
  /** Families appeared. */
  families: { readonly families: readonly FamilySummary[] };
}
