import { unpackReport, type ReportPage } from "../../src/protocol/index.js";

declare global {
  /** What the loader of a report has unpacked (src/engine/report/index.ts); undefined in the editor. */
  var serverMetricsReport: string | undefined;
}

/** The report that this page is; undefined in the editor. */
export const openedReport: ReportPage | undefined =
  globalThis.serverMetricsReport === undefined ? undefined : unpackReport(globalThis.serverMetricsReport);

/** Nothing can be changed, and nobody but the report itself is asked: what would need more is not shown. */
export const isReport = openedReport !== undefined;
