import type { ClientServer } from "../core/client/client-server.js";
import type { MovesWith } from "../core/insights/moves-with.js";
import type { Assertion } from "../core/compare/gates/assertion.js";
import type { Objective } from "../core/catalog/objectives.js";
import type { SloReport } from "../core/query/slo.js";
import type { CheckResult } from "../core/compare/gates/check.js";
import type { Labels, MetricType, OffsetNs, Problem, WindowRule } from "../core/model/index.js";
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
  question,
  record,
  series,
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

type Nothing = Record<string, never>;
type OfFamily = { readonly family: string };
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
  /** What tells its series from those of the finding's other figures: "gpu=1". */
  readonly series?: string;
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
  /** Titles of what could not be judged, because the run has nothing of it. */
  readonly unjudged: readonly string[];
  /** How far endpoints are from their first limit, a sentence each. */
  readonly capacities: readonly string[];
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

/** What a page may ask of a run: what comes with a question, and what it is answered with. */
export const RUN_REQUESTS = {
  describe: question<Nothing, RunDescription>(none),
  series: question<OfFamily, readonly SeriesSummary[]>(object({ family: text }, {})),
  /** What the run's file says of its configuration; empty when nothing. */
  configuration: question<Nothing, readonly ConfigNode[]>(none),
  /**
   * Rejects with code "no-findings" where not all samples are at hand. `endpointUrl`: what limits this endpoint, by
   * itself.
   */
  findings: question<
    { readonly thresholds?: Readonly<Record<string, number>>; readonly endpointUrl?: string },
    RunFindings
  >(object({}, { thresholds: record(finite), endpointUrl: text })),
  /** What lies between a benchmark client and the servers; empty without a client. Rejects as `findings`. */
  clientServer: question<Nothing, readonly ClientServerRow[]>(none),
  /** What moves with a family, over the window or a part of it. Rejects as `findings`. */
  movesWith: question<OfFamily & { readonly from?: OffsetNs; readonly to?: OffsetNs }, MovesWith>(
    object({ family: text }, { from: offset, to: offset }),
  ),
  /** Adds results of a benchmark client to the run. Rejects with code "no-samples" where there is nothing to add to. */
  addClient: question<{ readonly paths: readonly string[] }, readonly Problem[]>(object({ paths: list(text) }, {})),
  /** Panels of one kind of server, of all of its endpoints or of one. `server`: its name; "" for unknown ones. */
  dashboard: question<{ readonly server: string; readonly endpointUrl?: string }, Dashboard>(
    object({ server: text }, { endpointUrl: text }),
  ),
  /** Key metrics of one kind of server, endpoint by endpoint. */
  instances: question<{ readonly server: string }, InstanceTable>(object({ server: text }, {})),
  /** One key metric, by its id, endpoint by endpoint over time. Rejects with code "no-metric" what the run has not. */
  instanceCourse: question<{ readonly server: string; readonly metric: string }, InstanceCourse>(
    object({ server: text, metric: text }, {}),
  ),
  /** Key metrics of one endpoint. */
  tiles: question<{ readonly endpointUrl: string }, readonly Tile[]>(object({ endpointUrl: text }, {})),
  /** Of a single scrape: every series as it stands. */
  snapshot: question<Nothing, SnapshotTable>(none),
  /** The values of every label, of every family. */
  labels: question<Nothing, readonly LabelCount[]>(none),
  chart: question<ChartQuery, ChartData>(
    object(
      { family: text, maxSeries: points, maxPoints: points },
      { ...chosen, together: flag, from: offset, to: offset },
    ),
  ),
  /** Where series of a family changed their level, and what stands out from its surroundings; those with any. */
  changes: question<SeriesQuery, readonly SeriesChange[]>(object({ family: text }, chosen)),
  /** All series of one family, or of all families of a type. */
  statistics: question<OfFamily | { readonly type: MetricType }, StatisticsTable>(subject),
  /** `objectives`: those of the family give a histogram a column each. */
  timeslices: question<SeriesQuery & { readonly objectives?: readonly Objective[] }, TimesliceTable>(
    object({ family: text }, { ...chosen, objectives }),
  ),
  heatmap: question<HeatmapQuery, HeatmapData>(
    object({ family: text, maxColumns: points }, { ...chosen, from: offset, to: offset }),
  ),
  distribution: question<SeriesQuery, DistributionData>(object({ family: text }, chosen)),
  /**
   * Holds the statistics of the present window against assertions: one result for each, in their order. Costs as much
   * as the tables of their families.
   */
  check: question<{ readonly assertions: readonly Assertion[] }, readonly CheckResult[]>(
    object({ assertions: list(assertion) }, {}),
  ),
  /** How far objectives are met in the present window. */
  slo: question<{ readonly objectives: readonly Objective[] }, SloReport>(object({ objectives }, {})),
  ranking: question<RankingQuery, RankingData>(object({ family: text, count: points }, { ...chosen, statistic: text })),
  shares: question<SharesQuery, SharesData>(object({ family: text }, { ...chosen, by: text })),
  vector: question<VectorQuery, VectorData>(object({ family: text }, chosen)),
  /** Rejects with code "unusable-settings" what makes no sense. All that is shown changes: a progress event follows. */
  adjust: question<RunAdjustment, null>(
    object(
      {},
      {
        sliceSeconds: finite,
        window: either(
          oneOf("recorded"),
          object<{ readonly start: OffsetNs; readonly end: OffsetNs }>({ start: offset, end: offset }, {}),
        ),
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
  follow: question<{ readonly on: boolean }, null>(object({ on: flag }, {})),
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
