import { deflateRawSync } from "node:zlib";
import {
  describeError,
  packReport,
  MOST_NARROWED,
  type RecordedAnswer,
  type RequestsOf,
  type Assertion,
  type FamilySummary,
  type Objective,
  type RunHeader,
  type RunRequests,
  type Tile,
} from "../../protocol/index.js";
import { vectorLabelOf } from "../../core/catalog/families.js";
import type { RunOutline } from "../../core/report/index.js";
import { grouped, plural } from "../../core/text/plural.js";
import { METRIC_TYPES } from "../../core/model/index.js";

/** What answers, such as a channel's client. */
export interface Asked<Requests extends RequestsOf<Requests>> {
  call<K extends keyof Requests & string>(
    name: K,
    params: Requests[K]["params"],
    signal?: AbortSignal,
  ): Promise<Requests[K]["result"]>;
}

/** An answer to what has no parameters, known without asking. */
export function answerOf(name: string, result: unknown): RecordedAnswer {
  return { name, params: {}, outcome: { result } };
}

/** What answers may take together, packed. As text, and with the views, a report is about twice that. */
export const MOST_BYTES = 700_000;

/** Asks for a report, keeps what is answered, and knows how large that has become. */
export class Recorder<Requests extends RequestsOf<Requests>> {
  readonly answers: RecordedAnswer[] = [];
  /** Packed. */
  bytes = 0;

  constructor(
    private readonly asked: Asked<Requests>,
    private readonly signal?: AbortSignal,
  ) {}

  /** @throws what it is answered with */
  ask<K extends keyof Requests & string>(name: K, params: Requests[K]["params"]): Promise<Requests[K]["result"]> {
    this.signal?.throwIfAborted();
    return this.asked.call(name, params, this.signal);
  }

  /**
   * Asks and keeps. An answer that says why there is none is kept too, and undefined returned.
   * @param asked what is asked for, where the page asks for less
   */
  async record<K extends keyof Requests & string>(
    name: K,
    params: Requests[K]["params"],
    asked = params,
  ): Promise<Requests[K]["result"] | undefined> {
    try {
      const answer = await this.ask(name, asked);
      this.keep(name, params, answer);
      return answer;
    } catch (error) {
      this.signal?.throwIfAborted();
      this.add({ name, params, outcome: { error: describeError(error) } });
      return undefined;
    }
  }

  keep<K extends keyof Requests & string>(name: K, params: Requests[K]["params"], result: Requests[K]["result"]): void {
    this.add({ name, params, outcome: { result: DRAWN.has(name) ? drawn(result) : result } });
  }

  private add(answer: RecordedAnswer): void {
    this.answers.push(answer);
    this.bytes += deflateRawSync(packReport({ view: "run", about: NOTHING, answers: [answer] }), { level: 1 }).length;
  }
}

const NOTHING = { title: "", made: "", version: "", files: [], leftOut: [], redacted: [] };

/** Answers that are drawn need no more digits; packed, those are most of a report. */
const DRAWN: ReadonlySet<string> = new Set(["chart", "heatmap", "runChart", "runHeatmap"]);
const DRAWN_DIGITS = 6;

/** The numbers of a drawing: as they are where they are whole, such as times. */
function drawn<T>(value: T): T;
function drawn(value: unknown): unknown {
  if (value instanceof Float64Array)
    return value.map((one) => (Number.isInteger(one) ? one : Number(one.toPrecision(DRAWN_DIGITS))));
  if (Array.isArray(value)) return value.map((item) => drawn(item as unknown));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, drawn(member as unknown)]));
}

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
    const wanted = table.rows.filter(({ family }) => names.has(family));
    if (wanted.length > MOST_ROWS)
      leftOut.push(
        `Statistics of ${plural(wanted.length - MOST_ROWS, `${type} series`, `${type} series`)}, to keep the report small.`,
      );
    run.keep("statistics", { type }, { ...table, rows: wanted.slice(0, MOST_ROWS) });
  }
  return leftOut;
}
