import { SWEEP_LATENCIES, SWEEP_STATISTICS } from "../core/sweep/types.js";
import type { SweepViewRequests } from "./sweep.js";
import type { LabelRule } from "../core/compare/types.js";
import type { ParamGuards } from "./channel.js";
import type { ComparisonSettings, ComparisonViewRequests, RowQuestion } from "./comparison.js";
import {
  assertion,
  either,
  finite,
  flag,
  list,
  none,
  nothing,
  object,
  objectives,
  offset,
  oneOf,
  points,
  record,
  series,
  subject,
  text,
} from "./guards.js";
import { RUN_REQUESTS } from "./run-requests.js";
import {
  CHART_MODES,
  ENDPOINT_COMMANDS,
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

const modeSettings = object<ModeSettings>(
  {},
  { statistic: text, count: points, by: text, scale: oneOf("linear", "log") },
);
const mode = oneOf(...CHART_MODES);
const chartChoice = object<ChartChoice>({ family: text }, { series, also: list(text), mode, settings: modeSettings });
const tableLayout = object<TableLayout>(
  {},
  {
    subject,
    sorting: object({ key: text, descending: flag }, {}),
    label: object({ name: text, value: text }, {}),
    widths: record(finite),
  },
);
const zoom = object<NonNullable<FollowState["zoom"]>>({ from: finite, to: finite }, {});
const followState = object<FollowState>(
  {
    zoom: either(nothing, zoom),
    charts: list(
      object<Omit<ChartChoice, "series">>({ family: text }, { also: list(text), mode, settings: modeSettings }),
    ),
    sliceSeconds: finite,
  },
  {},
);

/** The params of every request of a run's page. */
export const VIEW_GUARDS: ParamGuards<ViewRequests> = {
  ...RUN_REQUESTS,
  copy: object<ViewRequests["copy"]["params"]>({ text, what: text }, { safeText: text }),
  captureCommand: object<ViewRequests["captureCommand"]["params"]>(
    { command: oneOf("stop", "markProfilingStart", "addMark", "exportAs", "recover", "start") },
    { time: offset },
  ),
  exportReport: none,
  endpointCommand: object({ command: oneOf(...ENDPOINT_COMMANDS), url: text }, {}),
  showFile: object<ViewRequests["showFile"]["params"]>({}, { path: text }),
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
      filter: text,
      zoom,
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
  exportReport: none,
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
  arrange: object<ComparisonViewRequests["arrange"]["params"]>({ order: list(text) }, { sets: list(list(text)) }),
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
  exportReport: none,
  addCandidate: none,
  openRun: object({ run: text }, {}),
  loadComparisonLayout: none,
  saveComparisonLayout: object({ layout: text }, {}),
};
