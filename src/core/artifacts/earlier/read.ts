import {
  epochNs,
  makeLabels,
  NS_PER_SECOND,
  RecordedUrls,
  type EpochNs,
  type FamilyResult,
  type GaugeResult,
  type RunStatistics,
  type TimeRange,
} from "../../model/index.js";
import { scrubConfiguration, isFields, textOf, type Json, type JsonObject } from "../../text/index.js";
import { parseExact, parseIso } from "../json/exact.js";
import { CsvRows } from "../csv/cut-rows.js";

/** What a statistic was called, where that was not its name of today. */
const RENAMED: Readonly<Record<string, string>> = {
  mean: "avg",
  average: "avg",
  stddev: "std",
  minimum: "min",
  maximum: "max",
  median: "p50",
};

const STATISTIC = /^(avg|min|max|std|sum|count|total|rate|value|last|p\d+(\.\d+)?)$/;
/** How a table begins that describes a server. */
const DESCRIBING = /^(property|attribute|key|field|metadata)$/i;

interface EarlierFamily {
  readonly name: string;
  description: string;
  unit: string;
  readonly series: GaugeResult[];
}

/**
 * Statistics of the earlier layouts, which know no types: every family is unknown, and each statistic what it was
 * called.
 */
class EarlierFamilies {
  private readonly byName = new Map<string, EarlierFamily>();
  private readonly urls = new RecordedUrls();

  add(
    name: string,
    endpointUrl: string,
    labels: ServerLabels,
    stats: ReadonlyMap<string, number>,
    more: { readonly unit?: string; readonly description?: string } = {},
  ): void {
    let family = this.byName.get(name);
    if (family === undefined)
      this.byName.set(
        name,
        (family = { name, description: more.description ?? "", unit: more.unit ?? "", series: [] }),
      );
    family.series.push({
      kind: "gauge",
      endpointUrl: this.urls.of(endpointUrl),
      labels: makeLabels([...labels]),
      stats: Object.fromEntries(stats),
    });
  }

  statistics(inputConfig: JsonObject, benchmarkId: string, window: Partial<TimeRange> = {}): RunStatistics {
    const families = [...this.byName.values()].map(({ name, description, unit, series }): FamilyResult => ({
      name,
      type: "unknown",
      description,
      ...(unit === "" ? {} : { unit: unit === "%" ? "percent" : unit }),
      series,
    }));
    const endpoints = [...new Set(families.flatMap((family) => family.series.map((series) => series.endpointUrl)))];
    const start = window.start ?? window.end ?? epochNs(0n);
    return {
      benchmarkId,
      startNs: start,
      endNs: window.end ?? start,
      endpointsConfigured: endpoints,
      endpointsSuccessful: endpoints,
      endpointInfo: [],
      inputConfig,
      families: families.sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  }
}

/**
 * The earlier `aiperf.json`: `server_metrics.endpoints{url}.servers{id}.metrics{name}`, where a metric is a number or
 * an object of statistics. The model is kept in the configuration. `llm_metrics` is the client's, and read as such.
 * @throws Error when it is no JSON, or has neither member
 */
export function readEarlierJson(text: string): RunStatistics {
  const document = objectOf(parseExact(text));
  const servers = objectOf(document?.["server_metrics"]);
  const endpoints = objectOf(servers?.["endpoints"]);
  if (document === undefined || (endpoints === undefined && objectOf(document["llm_metrics"]) === undefined))
    throw new Error('it has no "server_metrics" with "endpoints"');
  const families = new EarlierFamilies();
  const described: JsonObject[] = [];
  for (const [url, endpoint] of Object.entries(endpoints ?? {})) {
    for (const [server, entry] of Object.entries(objectOf(objectOf(endpoint)?.["servers"]) ?? {})) {
      const fields = withMetadata(objectOf(entry));
      described.push(fields);
      const labels = serverLabels([["server", server], ...Object.entries(fields)]);
      for (const [name, metric] of Object.entries(objectOf(fields["metrics"]) ?? {}))
        addMetric(families, name, url, labels, metric);
    }
  }
  const about = withMetadata(document);
  const config = scrubConfiguration(objectOf(document["input_config"]) ?? {});
  const model = about["model"] ?? about["model_name"] ?? about["model_names"];
  return families.statistics(
    model === undefined || model === null || "model" in config ? config : { ...config, model },
    textOf(about["benchmark_id"]),
    windowOf([about, withMetadata(servers), objectOf(servers?.["summary"]) ?? {}, ...described]),
  );
}

/** What describes a thing stands in it, or in its `metadata`. */
function withMetadata(object: JsonObject | undefined): JsonObject {
  return { ...objectOf(object?.["metadata"]), ...object };
}

function addMetric(
  families: EarlierFamilies,
  name: string,
  url: string,
  labels: ServerLabels,
  metric: Json | undefined,
): void {
  const fields = objectOf(metric);
  const stats =
    fields === undefined
      ? numbersOf([["avg", metric]])
      : numbersOf(Object.entries({ ...fields, ...objectOf(fields["stats"]) }));
  if (stats.size > 0)
    families.add(name, url, labels, stats, {
      unit: textOf(fields?.["unit"]),
      description: textOf(fields?.["description"]),
    });
}

/** The window, from the first of some objects that tells it. */
function windowOf(places: readonly JsonObject[]): Partial<TimeRange> {
  const find = (keys: readonly string[]) => {
    for (const place of places)
      for (const key of keys) {
        const time = timeOf(place[key]);
        if (time !== undefined) return time;
      }
    return undefined;
  };
  const start = find(["start_ns", "start_time_ns", "start_time"]);
  const end = find(["end_ns", "end_time_ns", "end_time"]);
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
}

/** ISO 8601, nanoseconds, or seconds since the epoch. */
function timeOf(value: Json | undefined): EpochNs | undefined {
  if (typeof value === "bigint") return epochNs(value);
  if (typeof value === "string" && /^\d{10,19}$/.test(value))
    return timeOf(value.length > 16 ? BigInt(value) : Number(value));
  if (typeof value !== "number" || !(value > 0)) return parseIso(value)?.time;
  return epochNs(BigInt(Math.round(value < 1e11 ? value * NS_PER_SECOND : value)));
}

/**
 * The earlier `metrics.csv`: sections that begin with `## Server: …`. The header, whose first column names the metric,
 * stands in each section or once before them. Rows of a name and a value describe the server.
 * @throws Error when it has no such section
 */
export function readEarlierCsv(text: string): RunStatistics {
  const families = new EarlierFamilies();
  let server: string | undefined;
  let labels: ServerLabels = new Map();
  let header: readonly string[] | undefined;
  const described: Record<string, string> = {};
  const describe = (key: string, value: string) => {
    labels = new Map([...labels, ...serverLabels([[key, value]])]);
    described[key.trim().toLowerCase().replaceAll(" ", "_")] ??= value;
  };
  const rows = new CsvRows((row) => {
    if (row.kind === "comment") {
      const [, key = "", value = ""] = /^##\s*([\w ]+?)\s*:\s*(.+)$/.exec(row.text) ?? [];
      if (key === "Server") [server, labels] = [value.trim(), new Map()];
      else describe(key, value.trim());
    } else if (DESCRIBING.test(row.cells[0]?.trim() ?? "")) {
      header = undefined;
    } else if (isHeader(row.cells)) {
      header = row.cells.map((name) => name.trim().toLowerCase());
    } else if (header === undefined || isDescription(row.cells, header)) {
      const [key = "", value = ""] = row.cells;
      describe(key, value.trim());
    } else if (server !== undefined) {
      addRow(families, server, labels, header, row.cells);
    }
  });
  rows.push(text);
  rows.end();
  if (server === undefined) throw new Error('it has no section that begins with "## Server:"');
  return families.statistics({}, "", windowOf([described]));
}

/** A row of a name and a value below the wider header of another section, or one that names a server. */
function isDescription(cells: readonly string[], header: readonly string[]): boolean {
  return cells.length < 2 || (cells.length === 2 && (header.length > 2 || isServerField(cells[0] ?? "")));
}

/** A row that names statistics, and holds none. */
function isHeader(cells: readonly string[]): boolean {
  return cells.some((cell) => {
    const name = cell.trim().toLowerCase();
    return STATISTIC.test(RENAMED[name] ?? name);
  });
}

function addRow(
  families: EarlierFamilies,
  server: string,
  labels: ServerLabels,
  header: readonly string[],
  cells: readonly string[],
): void {
  const named = (column: string) => cells[header.indexOf(column)] ?? "";
  const [first = ""] = cells;
  const name = header.includes("metric") ? named("metric") : first;
  const columns = header.map((column, i) => [column, cells[i] ?? ""] as const);
  const numbers = columns.flatMap(([column, cell], i) =>
    i === 0 || column === "metric" || column === "unit" || isServerField(column) || cell.trim() === ""
      ? []
      : [[column, Number(cell)] as const],
  );
  const own = serverLabels(columns.filter(([, cell]) => cell !== ""));
  if (name !== "")
    families.add(name, server, new Map([...labels, ...own]), numbersOf(numbers), {
      unit: named("unit"),
      description: named("description"),
    });
}

function numbersOf(entries: readonly (readonly [string, Json | undefined])[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const [key, value] of entries) {
    const lower = key.toLowerCase();
    if (typeof value === "number" && Number.isFinite(value)) numbers.set(RENAMED[lower] ?? lower, value);
  }
  return numbers;
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return isFields(value) ? value : undefined;
}

/** What names a server in the earlier layouts, and the label that its series have for it. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ["server", "server"],
  ["server_id", "server"],
  ["instance", "instance"],
  ["hostname", "hostname"],
  ["model", "model_name"],
  ["model_name", "model_name"],
  ["type", "server_type"],
  ["server_type", "server_type"],
]);

export type ServerLabels = ReadonlyMap<string, string>;

const nameOf = (field: string) => field.trim().toLowerCase().replaceAll(" ", "_");

/** Whether a field names a server, as `serverLabels` reads it. */
export function isServerField(field: string): boolean {
  return LABELS.has(nameOf(field));
}

/** Labels for the fields that name a server; of any other field, or without a text or number, none. */
export function serverLabels(fields: Iterable<readonly [field: string, value: unknown]>): ServerLabels {
  const labels = new Map<string, string>();
  for (const [field, value] of fields) {
    const label = LABELS.get(nameOf(field));
    if (label !== undefined && (typeof value === "number" || (typeof value === "string" && value !== "")))
      labels.set(label, String(value));
  }
  return labels;
}
