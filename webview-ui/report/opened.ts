import { unpackReport, type Report } from "../../src/protocol/index.js";

declare global {
  interface Window {
    /** What the loader of a report has unpacked (src/engine/report/page.ts); absent in the editor. */
    readonly serverMetricsReport?: string;
  }
}

/** The report that this page is; undefined in the editor. */
export const openedReport: Report | undefined =
  window.serverMetricsReport === undefined ? undefined : unpackReport(window.serverMetricsReport);

/** Nothing can be changed, and nobody but the report itself is asked: what would need more is not shown. */
export const isReport = openedReport !== undefined;
