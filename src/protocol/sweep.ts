import { SWEEP_LATENCIES, SWEEP_STATISTICS, type Sweep } from "../core/sweep/types.js";
import { answered, oneOf, shape, text, type Passed, type RequestsIn } from "./guards.js";

import { HOST_REQUESTS } from "./view-requests.js";

export type { Sweep, SweepLatency, SweepPoint, SweepSeries, SweepStatistic } from "../core/sweep/types.js";

/** What a user chose of a sweep; absent: its default. */
const sweepChoice = shape({}, { latency: oneOf(...SWEEP_LATENCIES), statistic: oneOf(...SWEEP_STATISTICS) });
export type SweepChoice = Passed<typeof sweepChoice>;

/** What a sweep's page may ask of the host, by the guards of it. */
export const SWEEP_GUARDS = {
  sweep: answered<{ readonly folder: string; readonly sweep: Sweep }>()(sweepChoice),
  exportReport: HOST_REQUESTS.exportReport,
  /** Shows a run in an editor of its own. */
  openFile: answered()(shape({ path: text })),
};
export type SweepViewRequests = RequestsIn<typeof SWEEP_GUARDS>;

/** What a sweep's page keeps for the panel that VS Code brings back. */
export interface SweepPageState {
  readonly folder: string;
}
