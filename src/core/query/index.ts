export type * from "./types/index.js";
export { isAsked } from "./asked.js";
export { chartData, chartSteps } from "./chart.js";
export { SliceEstimates } from "./quantile-lines.js";
export { familySummaries, seriesOfFamily, seriesSummaries, shownFamilies, summarizeFamilies } from "./families.js";
export { distributionSteps, heatmapSteps } from "./histogram-views.js";
export {
  copyQuery,
  QUERY_LANGUAGES,
  type CopiedQuery,
  type QueryFile,
  type QueryLanguage,
  type QuerySeries,
  type QuerySubject,
} from "./copy/index.js";
export { configurationTree } from "./configuration.js";
export { engineSteps, enginesOf, type EngineFigure, type EngineGroup, type Over } from "./engines.js";
export { snapshotTable } from "./snapshot-table.js";
export { divideLines, joinLines } from "./join-lines.js";
export { labelCounts } from "./labels.js";
export { answeredEndpoints, endpointOverview, roleSeriesOf, staticFacts, type EndpointOverview } from "./overview.js";
export { imbalanceOf, sharesSteps } from "./shares.js";
export { snapshotOf, type SnapshotMetric } from "./snapshot.js";
export { rankingSteps } from "./ranking.js";
export { runEntries, shownStatistics } from "./run-entries.js";
export { StoredRun } from "./stored.js";
export { viewOf } from "./sampled.js";
export { metricReader } from "./readings.js";
export { instanceCourse, instanceSteps, instanceTable, panelPlans, panelSteps, type PanelPlan } from "./dashboards.js";
export { lastBoundBelow } from "./estimate-cells.js";
export { joinTables, statisticColumns, statisticsTable, timesliceTable, type ResultEntry } from "./tables.js";
export { sliceAttainment, sloReport, type SliceAttainment, type SloReport } from "./slo.js";
export {
  familiesOfPlan,
  pendingTiles,
  plansByRole,
  tileOf,
  tilePlans,
  type MetricReader,
  type TileReading,
  type TilePlan,
} from "./tile.js";
export { keyTiles, runPlans, tileSteps } from "./tiles.js";
export { vectorSteps } from "./vector.js";
