/** The window that one endpoint's statistics run over, on the run's axis (OffsetNs), both ends included. */
export interface StatisticsWindow {
  readonly start: number;
  /** Effective end for a recorded window, the exact end for a chosen one. */
  readonly end: number;
  /** Stretches inside that belong to no phase, [from, to): gauges do not count there. Ascending; absent: none. */
  readonly pauses?: readonly { readonly from: number; readonly to: number }[];
  /** What rates divide by, where it is known: how long the load took. Absent: from the reference to the last sample. */
  readonly seconds?: number;
  /** Absent or 0: no slices. */
  readonly sliceSeconds?: number;
}
