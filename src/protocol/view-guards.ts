import { SWEEP_LATENCIES, SWEEP_STATISTICS } from "../core/sweep/types.js";
import type { SweepViewRequests } from "./sweep.js";
import type { LabelRule } from "../core/compare/types.js";
import type { MetricType, OffsetNs, SeriesId } from "../core/model/index.js";
import type { ParamGuards } from "./channel.js";
import type { ComparisonSettings, ComparisonViewRequests, RowQuestion } from "./comparison.js";
import { branded, count, either, finite, flag, list, nothing, object, oneOf, record, text } from "./guards.js";
import type { Assertion, Objective } from "./run-requests.js";
import {
  CHART_MODES,
  type ChartChoice,
  type FollowState,
  type ModeSettings,
  type TableLayout,
  type ViewRequests,
} from "./view-requests.js";

/*
 * What the pages may send, request by request. A page shows text of endpoints and files: should it ever be made to say
 * something else, the host does nothing of it.
 */

/** Beyond what any page asks for, and little enough for one answer. */
const points = count(100_000);
const series = list(branded<SeriesId>(count(Number.MAX_SAFE_INTEGER)));
const offset = branded<OffsetNs>(finite);
const none = object<Record<never, never>>({}, {});
const metricType = oneOf<MetricType>("gauge", "counter", "histogram", "unknown");

const assertion = object<Assertion>(
  {
    text,
    over: oneOf("all", "any"),
    family: text,
    selectors: list(object({ label: text, operator: oneOf("=", "!=", "=~", "!~"), value: text }, {})),
    statistic: text,
    operator: oneOf("<", "<=", ">", ">=", "==", "!="),
    limit: finite,
  },
  { threshold: finite },
);

const modeSettings = object<ModeSettings>(
  {},
  { statistic: text, count: points, by: text, scale: oneOf("linear", "log") },
);
const mode = oneOf(...CHART_MODES);
const chartChoice = object<ChartChoice>({ family: text }, { series, also: list(text), mode, settings: modeSettings });
const subject = either(
  object<{ readonly family: string }>({ family: text }, {}),
  object<{ readonly type: MetricType }>({ type: metricType }, {}),
);
const tableLayout = object<TableLayout>(
  {},
  {
    subject,
    sorting: object({ key: text, descending: flag }, {}),
    text,
    label: object({ name: text, value: text }, {}),
    widths: record(finite),
  },
);
const followState = object<FollowState>(
  {
    zoom: either(nothing, object<NonNullable<FollowState["zoom"]>>({ from: finite, to: finite }, {})),
    charts: list(object<Omit<ChartChoice, "series">>({ family: text }, { also: list(text), mode, settings: modeSettings })),
    sliceSeconds: finite,
  },
  {},
);

const objectives = list(object<Objective>({ name: text, threshold: finite }, {}));

/** The params of every request of a run's page. */
export const VIEW_GUARDS: ParamGuards<ViewRequests> = {
  snapshot: none,
  series: object({ family: text }, {}),
  configuration: none,
  findings: object<ViewRequests["findings"]["params"]>({}, { thresholds: record(finite), endpointUrl: text }),
  clientServer: none,
  movesWith: object<ViewRequests["movesWith"]["params"]>({ family: text }, { from: offset, to: offset }),
  addClient: object({ paths: list(text) }, {}),
  dashboard: object<ViewRequests["dashboard"]["params"]>({ server: text }, { endpointUrl: text }),
  instances: object({ server: text }, {}),
  instanceCourse: object({ server: text, metric: text }, {}),
  tiles: object({ endpointUrl: text }, {}),
  moment: none,
  labels: none,
  chart: object<ViewRequests["chart"]["params"]>(
    { family: text, maxSeries: points, maxPoints: points },
    { series, together: flag, from: offset, to: offset },
  ),
  changes: object<ViewRequests["changes"]["params"]>({ family: text }, { series }),
  statistics: subject,
  timeslices: object<ViewRequests["timeslices"]["params"]>({ family: text }, { series, objectives }),
  heatmap: object<ViewRequests["heatmap"]["params"]>(
    { family: text, maxColumns: points },
    { series, from: offset, to: offset },
  ),
  distribution: object<ViewRequests["distribution"]["params"]>({ family: text }, { series }),
  check: object({ assertions: list(assertion) }, {}),
  slo: object({ objectives }, {}),
  ranking: object<ViewRequests["ranking"]["params"]>({ family: text, count: points }, { series, statistic: text }),
  shares: object<ViewRequests["shares"]["params"]>({ family: text }, { series, by: text }),
  vector: object<ViewRequests["vector"]["params"]>({ family: text }, { series }),
  adjust: object<ViewRequests["adjust"]["params"]>(
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
  follow: object({ on: flag }, {}),
  copy: object<ViewRequests["copy"]["params"]>({ text, what: text }, { safeText: text }),
  captureCommand: object<ViewRequests["captureCommand"]["params"]>(
    { command: oneOf("stop", "markProfilingStart", "addMark", "exportAs", "recover", "start") },
    { time: offset },
  ),
  retryEndpoint: object({ url: text }, {}),
  openFile: object({ path: text }, {}),
  openInstance: object({ instance: text }, {}),
  assertions: none,
  objectives: none,
  linkState: none,
  link: object({ linked: flag, state: followState }, {}),
  followLinked: followState,
  loadLayout: none,
  saveLayout: object<ViewRequests["saveLayout"]["params"]>(
    { charts: list(chartChoice), tab: text },
    {
      pinned: list(text),
      tables: object<NonNullable<ViewRequests["saveLayout"]["params"]["tables"]>>(
        {},
        { statistics: tableLayout, timeslices: tableLayout },
      ),
      sliceSeconds: finite,
      only: text,
      folds: record(flag),
      marked: flag,
      changedAt: finite,
    },
  ),
};

const rowQuestion = {
  row: text,
  runs: list(
    object<RowQuestion["runs"][number]>(
      { run: text },
      { window: object<NonNullable<RowQuestion["runs"][number]["window"]>>({}, { from: offset, to: offset }) },
    ),
  ),
};
const reportFormat = oneOf("markdown", "csv", "json");

/** The params of every request of a sweep's page. */
export const SWEEP_GUARDS: ParamGuards<SweepViewRequests> = {
  sweep: object<SweepViewRequests["sweep"]["params"]>(
    {},
    { latency: oneOf(...SWEEP_LATENCIES), statistic: oneOf(...SWEEP_STATISTICS) },
  ),
  openFile: object({ path: text }, {}),
};

/** The params of every request of a comparison's page. */
export const COMPARISON_GUARDS: ParamGuards<ComparisonViewRequests> = {
  comparisonState: none,
  comparison: none,
  configure: object<Partial<ComparisonSettings>>(
    {},
    {
      threshold: finite,
      labelRules: list(object<LabelRule>({ label: text, mode: oneOf("match", "pair", "aggregate", "auto") }, {})),
      directions: record(oneOf("up", "down", "neutral")),
      objectives,
      window: oneOf("load", "all", "recorded"),
    },
  ),
  arrange: object({ order: list(text) }, {}),
  readAgain: object({ runs: list(text) }, {}),
  runChart: object<ComparisonViewRequests["runChart"]["params"]>(
    { ...rowQuestion, maxPoints: points, maxSeries: points, maxJoined: points },
    {},
  ),
  runHeatmap: object<ComparisonViewRequests["runHeatmap"]["params"]>({ ...rowQuestion, maxColumns: points }, {}),
  runCheck: object({ run: text, assertions: list(assertion) }, {}),
  findingChanges: object<ComparisonViewRequests["findingChanges"]["params"]>({}, { thresholds: record(finite) }),
  report: object<ComparisonViewRequests["report"]["params"]>(
    { format: reportFormat },
    { rows: list(text), csvSafe: flag },
  ),
  copy: VIEW_GUARDS.copy,
  assertions: none,
  saveReport: object<ComparisonViewRequests["saveReport"]["params"]>({ format: reportFormat }, { rows: list(text) }),
  addCandidate: none,
  openRun: object({ run: text }, {}),
  loadComparisonLayout: none,
  saveComparisonLayout: object({ layout: text }, {}),
};
