import { t } from "@vscode/l10n";
import { epochNs, toEpoch, type EpochNs, type OffsetNs } from "../../src/core/model/index.js";
import type { QueryFile, QueryLanguage, QuerySubject } from "../../src/core/query/copy/index.js";
import type { FamilySummary, RunHeader, SeriesSummary } from "../../src/protocol/index.js";
import type { MenuSubject } from "../state/menu.js";

export const LANGUAGE_NAMES: { readonly [L in QueryLanguage]: string } = {
  duckdb: t("DuckDB SQL"),
  pandas: "pandas",
  jq: "jq",
  promql: "PromQL",
};

/** Files that a query may read: the one that is open, or those that a capture was written to. */
export function queryFiles({ file, artifacts }: Pick<RunHeader, "file" | "artifacts">): readonly QueryFile[] {
  return file === undefined ? (artifacts ?? []) : [file];
}

/** What is asked of the run, from what the view shows of it. */
export function querySubject(
  header: Pick<
    RunHeader,
    "originNs" | "profilingStart" | "profilingEnd" | "window" | "sliceDurationSeconds" | "endpoints"
  >,
  { name, type, isInfo, countedAverage }: Pick<FamilySummary, "name" | "type" | "isInfo" | "countedAverage">,
  all: readonly SeriesSummary[],
  { series, shows }: Pick<MenuSubject, "series" | "shows">,
): QuerySubject {
  const origin = epochNs(BigInt(header.originNs));
  const epoch = (offset: OffsetNs): EpochNs => toEpoch(offset, origin);
  const { window, profilingStart, profilingEnd } = header;
  const end = window?.end ?? profilingEnd;
  return {
    family: countedAverage === true ? { name, type: "gauge", isInfo, countedAverage } : { name, type, isInfo },
    all,
    ...(series === undefined ? {} : { chosen: series }),
    shows,
    window: {
      start: epoch(window?.start ?? profilingStart),
      // A file without times has an empty window.
      ...(end === undefined || end <= (window?.start ?? profilingStart) ? {} : { end: epoch(end) }),
      exact: window !== undefined,
    },
    sliceSeconds: header.sliceDurationSeconds,
    endpoints: header.endpoints.length,
  };
}
