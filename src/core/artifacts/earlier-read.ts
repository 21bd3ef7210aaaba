import {
  epochNs,
  makeLabels,
  type FamilyResult,
  type GaugeResult,
  type Json,
  type JsonObject,
  type RunStatistics,
} from "../model/index.js";
import { parseExact } from "./exact-json.js";
import { CsvRows } from "./csv-rows.js";

/** What a statistic was called, where that was not its name of today. */
const RENAMED: Readonly<Record<string, string>> = {
  mean: "avg",
  average: "avg",
  stddev: "std",
  minimum: "min",
  maximum: "max",
  median: "p50",
};

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

  add(
    name: string,
    endpointUrl: string,
    server: string | undefined,
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
      endpointUrl,
      labels: makeLabels(server === undefined ? [] : [["server", server]]),
      stats: Object.fromEntries(stats),
    });
  }

  statistics(inputConfig: JsonObject, benchmarkId: string): RunStatistics {
    const families = [...this.byName.values()].map(({ name, description, unit, series }): FamilyResult => ({
      name,
      type: "unknown",
      description,
      ...unitOf(name, unit, series),
      series,
    }));
    const endpoints = [...new Set(families.flatMap((family) => family.series.map((series) => series.endpointUrl)))];
    return {
      benchmarkId,
      startNs: epochNs(0n),
      endNs: epochNs(0n),
      endpointsConfigured: endpoints,
      endpointsSuccessful: endpoints,
      endpointInfo: [],
      inputConfig,
      families: families.sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  }
}

/** These layouts write percentages as shares: 0.53 is 53 %. */
function unitOf(name: string, unit: string, series: readonly GaugeResult[]): { readonly unit?: string } {
  const isPercentage = unit === "percent" || unit === "%" || (unit === "" && name.endsWith("_percent"));
  const isShare = series.every(({ stats }) =>
    Object.entries(stats).every(([key, value]) => key === "count" || (value >= 0 && value <= 1)),
  );
  if (isPercentage && isShare) return { unit: "ratio" };
  return unit === "" ? {} : { unit };
}

/**
 * The earlier `aiperf.json`: `server_metrics.endpoints{url}.servers{id}.metrics{name}`. A metric is a number or an
 * object of statistics.
 * @throws Error when it is no JSON, or has no such member
 */
export function readEarlierJson(text: string): RunStatistics {
  const document = objectOf(parseExact(text));
  const endpoints = objectOf(objectOf(document?.["server_metrics"])?.["endpoints"]);
  if (document === undefined || endpoints === undefined) throw new Error('it has no "server_metrics" with "endpoints"');
  const families = new EarlierFamilies();
  for (const [url, endpoint] of Object.entries(endpoints)) {
    for (const [server, entry] of Object.entries(objectOf(objectOf(endpoint)?.["servers"]) ?? {})) {
      for (const [name, metric] of Object.entries(objectOf(objectOf(entry)?.["metrics"]) ?? {})) {
        const fields = objectOf(metric);
        const stats =
          fields === undefined
            ? numbersOf([["avg", metric]])
            : numbersOf(Object.entries({ ...fields, ...objectOf(fields["stats"]) }));
        families.add(name, url, server, stats, {
          unit: textOf(fields?.["unit"]),
          description: textOf(fields?.["description"]),
        });
      }
    }
  }
  const id = document["benchmark_id"];
  return families.statistics(objectOf(document["input_config"]) ?? {}, typeof id === "string" ? id : "");
}

/**
 * The earlier `metrics.csv`: sections that begin with `## Server: …`, each with a header whose first column names the
 * metric.
 * @throws Error when it has no such section
 */
export function readEarlierCsv(text: string): RunStatistics {
  const families = new EarlierFamilies();
  let server: string | undefined;
  let header: readonly string[] | undefined;
  const rows = new CsvRows((row) => {
    if (row.kind === "comment") {
      const match = /^##\s*Server:\s*(.+)$/.exec(row.text);
      if (match !== null) [server, header] = [(match[1] ?? "").trim(), undefined];
    } else if (server !== undefined && row.cells.length > 0) {
      if (header === undefined) header = row.cells.map((name) => name.trim());
      else addRow(families, server, header, row.cells);
    }
  });
  rows.push(text);
  rows.end();
  if (server === undefined) throw new Error('it has no section that begins with "## Server:"');
  return families.statistics({}, "");
}

function addRow(families: EarlierFamilies, server: string, header: readonly string[], cells: readonly string[]): void {
  const [name = ""] = cells;
  const unitAt = header.findIndex((column) => column.toLowerCase() === "unit");
  const numbers = header.flatMap((column, i) =>
    i === 0 || i === unitAt || (cells[i] ?? "") === "" ? [] : [[column, Number(cells[i])] as const],
  );
  if (name !== "")
    families.add(name, server, undefined, numbersOf(numbers), unitAt < 0 ? {} : { unit: cells[unitAt] ?? "" });
}

function numbersOf(entries: readonly (readonly [string, Json | undefined])[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const [key, value] of entries) {
    const lower = key.toLowerCase();
    if (typeof value === "number" && Number.isFinite(value)) numbers.set(RENAMED[lower] ?? lower, value);
  }
  return numbers;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}
