import { chosenRows } from "../../core/query/estimate-cells.js";
import { vectorLabelOf } from "../../core/catalog/families.js";
import type { RunOutline } from "../../core/report/index.js";
import { grouped, plural } from "../../core/text/plural.js";
import { METRIC_TYPES } from "../../core/model/index.js";
import {
  MOST_NARROWED,
  type Assertion,
  type FamilySummary,
  type Objective,
  type RecordedAnswer,
  type RunHeader,
  type RunRequests,
  type Tile,
} from "../../protocol/index.js";
import { answerOf, MOST_BYTES, Recorder, type Asked } from "./recorder.js";

export interface RunRecording {
  /** What was asked of the run beside itself, by settings or options. */
  readonly objectives?: readonly Objective[];
  readonly assertions?: readonly Assertion[];
  /** From where on findings speak. */
  readonly thresholds?: Readonly<Record<string, number>>;
  readonly signal?: AbortSignal;
}

/** Families that are not looked at first get fewer points, to leave room for more of them. */
const LINES = {
  key: { points: 4000, most: 1000, series: 20 },
  other: { points: 1500, most: 300, series: 10 },
} as const;
/** Of a histogram's series drawn one by one, each by four lines. */
const HISTOGRAM_SERIES = 5;
/** Series from which on a family is drawn as a band, or as one line. */
const MANY_SERIES = 6;
const BAND = { maxSeries: 200, maxPoints: 120 } as const;
const HEATMAP_COLUMNS = 120;
const MOST_ROWS = 3000;
const MOST_SLICE_ROWS = 2000;
const MOST_LISTED = 500;

/**
 * All that the views of a run show, as far as there is room: what is looked at first comes first.
 * @returns what is left out, a sentence each
 */
export async function recordRun(
  asked: Asked<RunRequests>,
  { objectives = [], assertions = [], thresholds = {}, signal }: RunRecording,
): Promise<{
  readonly answers: readonly RecordedAnswer[];
  readonly leftOut: readonly string[];
  readonly header: RunHeader;
  /** What is told of it as text, beside the header. */
  readonly told: Pick<RunOutline, "findings" | "tiles" | "client">;
}> {
  const run = new Recorder<RunRequests>(asked, signal);
  const { header, families, tiles } = await run.ask("describe", {});
  await run.record("configuration", {});
  if (header.file?.format === "snapshot") {
    await run.record("snapshot", {});
    run.keep("describe", {}, { header: atRest(header), families, tiles });
    return { answers: run.answers, leftOut: [], header, told: { tiles, client: [] } };
  }
  const findings = await run.record("findings", {}, { thresholds });
  const client = (await run.record("clientServer", {})) ?? [];
  if (assertions.length > 0) await run.record("check", { assertions });
  if (objectives.length > 0) await run.record("slo", { objectives });
  for (const server of kindsOf(header)) await recordServer(run, server);
  if (header.endpoints.length > 1 && header.endpoints.length <= MOST_NARROWED)
    for (const { url, servers } of header.endpoints) await recordEndpoint(run, url, servers, thresholds);

  const included: FamilySummary[] = [];
  const present = families.filter(({ seriesCount }) => seriesCount > 0);
  for (const family of firstLooked(present, tiles)) {
    if (run.bytes > MOST_BYTES) break;
    await recordFamily(run, family, isLookedAt(family, tiles));
    included.push(family);
  }
  const names = new Set(included.map(({ name }) => name));
  run.keep("describe", {}, { header: atRest(header), families: families.filter(({ name }) => names.has(name)), tiles });
  const labels = await run.ask("labels", {});
  run.keep(
    "labels",
    {},
    labels.filter(({ family }) => names.has(family)),
  );
  const leftOut = [
    ...(included.length < present.length
      ? [
          `${present.length - included.length} of ${grouped(present.length)} metrics, to keep the report small: key metrics come first.`,
        ]
      : []),
    ...(await recordTables(run, names)),
    "Samples: charts hold up to 1,000 points a line, which keep the extremes. Zooming in shows no more of them.",
  ];
  const given = [answerOf("assertions", assertions), answerOf("objectives", objectives)];
  const told = { ...(findings === undefined ? {} : { findings }), tiles, client };
  return { answers: [...run.answers, ...given], leftOut, header, told };
}

/** A run in a report: nothing of it can be changed, and its other files are not there. */
function atRest(header: RunHeader): RunHeader {
  const { load, file, totals: _totals, ...rest } = header;
  return {
    ...rest,
    state: "opened",
    adjustable: false,
    exportable: [],
    ...(load === undefined ? {} : { load: { ...load, switchable: false } }),
    ...(file === undefined ? {} : { file: { ...file, siblings: [] } }),
  };
}

function kindsOf({ endpoints }: RunHeader): readonly string[] {
  const known = new Set(endpoints.flatMap(({ servers }) => servers));
  return endpoints.some(({ servers }) => servers.length === 0) ? [...known, ""] : [...known];
}

async function recordServer(run: Recorder<RunRequests>, server: string): Promise<void> {
  await run.record("dashboard", { server });
  if (server === "") return;
  await run.record("instances", { server });
  const table = await run.ask("instances", { server }).catch(() => undefined);
  if (table === undefined || table.endpoints.length < 2) return;
  for (const { id } of table.columns) await run.record("instanceCourse", { server, metric: id });
}

/** What a view that is narrowed to one endpoint asks. */
async function recordEndpoint(
  run: Recorder<RunRequests>,
  url: string,
  servers: readonly string[],
  thresholds: Readonly<Record<string, number>>,
): Promise<void> {
  await run.record("findings", { endpointUrl: url }, { endpointUrl: url, thresholds });
  await run.record("tiles", { endpointUrl: url });
  for (const server of servers.length === 0 ? [""] : servers)
    await run.record("dashboard", { server, endpointUrl: url });
}

function isLookedAt({ name, concept, isKey }: FamilySummary, tiles: readonly Tile[]): boolean {
  return concept !== undefined || isKey || tiles.some(({ family }) => family === name);
}

function firstLooked(families: readonly FamilySummary[], tiles: readonly Tile[]): readonly FamilySummary[] {
  const rank = (family: FamilySummary) =>
    family.concept !== undefined ? 0 : isLookedAt(family, tiles) ? 1 : family.server !== undefined ? 2 : 3;
  return [...families].sort((a, b) => rank(a) - rank(b));
}

async function recordFamily(run: Recorder<RunRequests>, family: FamilySummary, looked: boolean): Promise<void> {
  const { name, type, seriesCount, isInfo } = family;
  const series = await run.ask("series", { family: name });
  run.keep("series", { family: name }, series.slice(0, MOST_LISTED));
  if (isInfo) return;
  const { points, most, series: several } = looked ? LINES.key : LINES.other;
  const isHistogram = type === "histogram";
  const maxSeries = isHistogram ? HISTOGRAM_SERIES : several;
  const lines = Math.max(1, Math.min(maxSeries, seriesCount)) * (isHistogram ? 4 : 1);
  const maxPoints = Math.min(most, Math.round(points / lines));
  const charts = [
    { family: name, maxSeries, maxPoints },
    ...(isHistogram && seriesCount > 1 ? [{ family: name, maxSeries, maxPoints, together: true }] : []),
    ...(!isHistogram && seriesCount > MANY_SERIES ? [{ family: name, ...BAND }] : []),
  ];
  for (const query of charts) await run.record("chart", query);
  await run.record("changes", { family: name });
  if (vectorLabelOf(name) !== undefined) await run.record("vector", { family: name });
  if (isHistogram) {
    await run.record("distribution", { family: name });
    await run.record("heatmap", { family: name, maxColumns: HEATMAP_COLUMNS });
  }
  const slices = await run.ask("timeslices", { family: name }).catch(() => undefined);
  if (slices !== undefined && slices.rows.length <= MOST_SLICE_ROWS) run.keep("timeslices", { family: name }, slices);
}

/** The statistics of all families of the report, by type. */
async function recordTables(run: Recorder<RunRequests>, names: ReadonlySet<string>): Promise<readonly string[]> {
  const leftOut: string[] = [];
  for (const type of METRIC_TYPES) {
    const table = await run.ask("statistics", { type }).catch(() => undefined);
    if (table === undefined) continue;
    const kept = chosenRows(table, ({ family }) => names.has(family), MOST_ROWS);
    const wanted = table.rows.filter(({ family }) => names.has(family)).length;
    if (kept.rows.length < wanted)
      leftOut.push(
        `Statistics of ${plural(wanted - kept.rows.length, `${type} series`, `${type} series`)}, to keep the report small.`,
      );
    run.keep("statistics", { type }, kept);
  }
  return leftOut;
}
