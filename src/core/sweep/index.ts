export { isMeasured, loadOf, measureClient, measureServer, needsPercentiles, serverLoad } from "./measure.js";
export { estimateText, kneeNote, loadText, sweepColumns, sweepJson, sweepMarkdown, sweepRows } from "./report.js";
export { sweepOf } from "./sweep.js";
export { SWEEP_LATENCIES, SWEEP_STATISTICS } from "./types.js";
export type {
  Estimated,
  SweepLoad,
  Sweep,
  SweepLatency,
  SweepOptions,
  SweepPoint,
  SweepRun,
  SweepSeries,
  SweepStatistic,
} from "./types.js";
