import type { Sweep, SweepOptions } from "../core/sweep/types.js";

import type { HostRequests } from "./view-requests.js";

export type { Sweep, SweepLatency, SweepPoint, SweepSeries, SweepStatistic } from "../core/sweep/types.js";

/** What a user chose of a sweep; absent: its default. */
export type SweepChoice = SweepOptions;

/** What a sweep's page may ask of the host. */
export interface SweepViewRequests {
  sweep: { params: SweepChoice; result: { readonly folder: string; readonly sweep: Sweep } };
  exportReport: HostRequests["exportReport"];
  /** Shows a run in an editor of its own. */
  openFile: { params: { readonly path: string }; result: null };
}

/** What a sweep's page keeps for the panel that VS Code brings back. */
export interface SweepPageState {
  readonly folder: string;
}
