import * as z from "zod";
import {
  familyOfResult,
  formatValue,
  modelOf,
  recogniseServers,
  shownUnit,
  titledName,
} from "../../core/catalog/index.js";
import { clientServerSteps, type ClientServer } from "../../core/client/index.js";
import { findingsText, nothingText, runInsights } from "../../core/insights/index.js";
import { displayName, RATES_FROM_FIRST_INSIDE, type RunStatistics } from "../../core/model/index.js";
import { runPhases } from "../../core/window/index.js";
import { keyTiles, StoredRun, type Tile } from "../../core/query/index.js";
import { complete } from "../../core/stats/index.js";
import { ANSWER_BYTES, bytesOf, withList } from "../answer.js";
import type { OpenedWithStatistics } from "../reader.js";
import { defineTool } from "../tool.js";
import { foreignName, OFFSET, PHASE, RUN, windowOf } from "../words.js";

/** Findings may take this much of an answer, key metrics the next part. */
const FINDINGS_BYTES = 1800;
const KEY_METRICS_BYTES = 2900;
/** Rows of client and server beside these leave room for the list of metrics. */
const CLIENT_ROWS = 4;

export const describeRun = defineTool({
  name: "describe_run",
  title: "Describe a run",
  description:
    "What limits the server in a run: findings first, the most important one leading, each with its figures and what to try. " +
    "Then what was captured: window, servers, models, phases, what lies between a benchmark client and the servers, " +
    "key metrics, and the metrics that query_metric takes.",
  input: z.strictObject({ run: RUN, phase: PHASE, offset: OFFSET.describe("Where to continue the list of metrics") }),
  answer: async ({ run, phase, offset = 0 }, { runs }) => {
    const view = await runs.statistics(run, phase);
    const { statistics } = view;
    const metrics = statistics.families.map((family) => ({
      name: family.name,
      type: family.type,
      unit: shownUnit(familyOfResult(family)),
      series: family.series.length,
    }));
    const head = { run: view.id, file: view.file, ...(phase === undefined ? {} : { phase }) };
    if (offset > 0) return withList(head, "metrics", metrics, { offset });
    const { opened, window } = view;
    // The findings of `server-metrics insights` for the same file; statistics may be those of one phase.
    const insights = complete(
      runInsights(opened.kind === "statistics" ? { kind: "statistics", statistics } : opened, { window }),
    );
    const findings = insights.findings.map(({ id, title, text, confidence, advice }) => ({
      id,
      title,
      text,
      confidence,
      try: advice,
    }));
    const {
      total_findings,
      next_offset: moreFindings,
      ...withFindings
    } = withList(head, "findings", findings, {
      room: FINDINGS_BYTES,
    });
    const names = insights.findings.slice(typeof moreFindings === "number" ? moreFindings : findings.length);
    const captured = {
      ...withFindings,
      ...(total_findings === 0 ? { findings: nothingText(findingsText(insights)) } : {}),
      ...(names.length === 0 ? {} : { also_found: names.map(({ title }) => title) }),
      window: windowOf(view.window),
      endpoints: statistics.endpointsSuccessful.slice(0, 8).map((url) => foreignName(displayName(url))),
      endpoints_answered: `${statistics.endpointsSuccessful.length} of ${statistics.endpointsConfigured.length}`,
      servers: recogniseServers(statistics.families.map(({ name }) => name)).map(({ name }) => name),
      models: modelsOf(statistics).slice(0, 8).map(foreignName),
      phases: phasesOf(view),
      ...(view.isReferenceAssumed ? { note: `${RATES_FROM_FIRST_INSIDE}.` } : {}),
      ...(view.notices.length === 0 ? {} : { notices: view.notices.slice(0, 3) }),
    };
    const measured = opened.kind === "statistics" ? statistics : opened.run;
    const clientServer = complete(clientServerSteps(measured, window));
    const beside =
      clientServer.length === 0 ? {} : { client_server: clientServer.slice(0, CLIENT_ROWS).map(betweenText) };
    const {
      next_offset: _,
      total_key_metrics: __,
      ...described
    } = withList({ ...captured, ...beside }, "key_metrics", tilesOf(view).map(tileText), {
      room: KEY_METRICS_BYTES + (clientServer.length === 0 ? 0 : bytesOf(beside)),
    });
    return withList(described, "metrics", metrics, { room: ANSWER_BYTES });
  },
});

/** The figures of `server-metrics insights`. */
function betweenText({ metric, clientAverage, serverAverage, difference, share, shareClass, note }: ClientServer) {
  return {
    metric,
    unit: "seconds",
    client_average: clientAverage,
    server_average: serverAverage,
    difference,
    share_of_client: share,
    class: shareClass,
    ...(note === undefined ? {} : { note }),
  };
}

function tilesOf({ opened, statistics, window }: OpenedWithStatistics): readonly Tile[] {
  return keyTiles(opened.kind === "statistics" ? new StoredRun(statistics) : opened.run, window);
}

function tileText({ id, title, family, statistic, combined, value, unit, atLeast, watchReason }: Tile) {
  const shown = Number.isNaN(value) ? "not known" : `${atLeast === true ? "at least " : ""}${formatValue(value, unit)}`;
  const how = combined === undefined ? statistic : `${statistic}, ${combined},`;
  return {
    id,
    text: `${title}: ${shown} (${how} of ${family === "" ? titledName(id).title : family})`,
    ...(watchReason === undefined ? {} : { watch: watchReason }),
  };
}

function phasesOf({ opened }: OpenedWithStatistics) {
  const phases = opened.kind === "samples" ? runPhases(opened.run) : opened.phases;
  return phases.slice(0, 12).map(({ name, start, end }) => ({ name: foreignName(name), ...windowOf({ start, end }) }));
}

function modelsOf({ families }: RunStatistics): string[] {
  const models = families.flatMap(({ name, series }) => series.flatMap(({ labels }) => modelOf(name, labels) ?? []));
  return [...new Set(models)];
}
