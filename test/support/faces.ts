import { createServer } from "node:http";
import { formatValue, shownUnit, statisticUnit } from "../../src/core/catalog/index.js";
import { METRIC_TYPES, type Labels } from "../../src/core/model/index.js";
import { chartData, keyTiles, runEntries, statisticsTable, StoredRun, type Tile } from "../../src/core/query/index.js";
import { complete } from "../../src/core/stats/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { runCli } from "./cli.js";
import type { McpSession } from "./mcp.js";

/*
 * What each face of the product says of a file, as numbers by the name of the quantity.
 */

export interface Said {
  readonly value: number;
  /** As the face writes it; undefined where it names none. */
  readonly unit?: string | undefined;
}
export type Saying = ReadonlyMap<string, Said>;

/** One name for one quantity, whoever says it. */
export function quantity(
  family: string,
  url: string,
  labels: Labels | Readonly<Record<string, string>>,
  statistic: string,
): string {
  const pairs: readonly (readonly [string, string])[] = Array.isArray(labels)
    ? (labels as Labels)
    : Object.entries(labels);
  const name = [...pairs]
    .map(([label, value]) => `${label}="${value}"`)
    .sort()
    .join(",");
  return `${family}{${name}} ${statistic.replace(/_estimate$/, "")} of ${url.replace(/^https?:\/\/|\/metrics$/g, "")}`;
}

/** The tables of a view, of every type. */
export async function tablesOf(file: string): Promise<Saying> {
  const opened = await openArtifact(file);
  if (opened.kind === "snapshot") throw new Error(`${file} is one scrape`);
  const entries =
    opened.kind === "samples" ? [...runEntries(opened.run)] : [...runEntries(new StoredRun(opened.statistics))];
  const unitOf = new Map(entries.map(({ key }) => [key.family.name, shownUnit(key.family)]));
  const said = new Map<string, Said>();
  for (const type of METRIC_TYPES) {
    const { columns, rows } = complete(statisticsTable(entries, { type }));
    rows.forEach(({ family, endpointUrl, labels, values }) =>
      columns.forEach(({ key }) =>
        said.set(quantity(family, endpointUrl, labels, key), {
          value: values[key] ?? NaN,
          unit: statisticUnit(key, unitOf.get(family)),
        }),
      ),
    );
  }
  return said;
}

export async function tilesOf(file: string): Promise<readonly Tile[]> {
  const opened = await openArtifact(file);
  if (opened.kind === "snapshot") throw new Error(`${file} is one scrape`);
  return opened.kind === "samples" ? keyTiles(opened.run) : keyTiles(new StoredRun(opened.statistics));
}

/** The points that all charts of a run with samples draw inside its window, by the line and the time. */
export async function chartsOf(file: string): Promise<Saying> {
  const opened = await openArtifact(file);
  if (opened.kind !== "samples") throw new Error(`${file} has no samples`);
  const { run } = opened;
  const points = new Map<string, Said>();
  for (const { name } of run.store.families()) {
    const { lines, unit } = chartData(run, { family: name, maxSeries: 1000, maxPoints: 100_000 });
    for (const { endpointUrl, labels, quantity: drawn, times, values } of lines)
      times.forEach((offset, i) => {
        const time = run.store.origin + BigInt(offset);
        const value = values[i] ?? NaN;
        if (time <= run.profilingStart || Number.isNaN(value)) return;
        points.set(`${quantity(name, endpointUrl, labels, drawn)} at ${time}`, { value, unit });
      });
  }
  return points;
}

/** Asked with assertions that cannot hold, so that every value is printed. @param asked by the name of the quantity */
export async function checked(
  file: string,
  asked: ReadonlyMap<
    string,
    { readonly family: string; readonly url: string; readonly labels: Labels; readonly statistic: string }
  >,
): Promise<ReadonlyMap<string, string>> {
  const assertions = [...asked.values()].map(({ family, url, labels, statistic }) => {
    const selectors = [...labels, ["endpoint_url", url] as const].map(([label, value]) => `${label}="${value}"`);
    return `${family}{${selectors.join(",")}} ${statistic} < -1`;
  });
  const { stdout, stderr, code } = await runCli([
    "check",
    file,
    ...assertions.flatMap((assertion) => ["--assert", assertion]),
  ]);
  if (code !== 1) throw new Error(`check ended with ${code}: ${stderr}`);
  const lines = stdout.split("\n");
  return new Map(
    [...asked.keys()].map((name, i) => {
      const line = lines.find((one) => one.startsWith(assertions[i] ?? "?")) ?? "";
      const value = /(?:one|two|localhost):\d+(?: \{.*?\})?\s{2,}(.*?)\s*$/.exec(line)?.[1];
      return [name, value ?? line];
    }),
  );
}

/** As `check` prints a value: six digits, and where a person reads it otherwise that, too. */
export function checkText(value: number, unit: string | undefined): string {
  const exact = String(Number(value.toPrecision(6)));
  const shown = formatValue(value, unit);
  return shown === exact ? shown : `${exact} (${shown})`;
}

interface ComparedSide {
  readonly value: number;
  readonly series: readonly { readonly endpointUrl: string; readonly labels: Labels }[];
}
export interface ComparedRow {
  readonly family: string;
  readonly type: string;
  readonly quantity: string;
  readonly unit?: string;
  readonly baseline: ComparedSide;
  readonly cells: readonly { readonly candidate: ComparedSide }[];
}

export async function comparedRows(files: readonly string[]): Promise<readonly ComparedRow[]> {
  const { stdout, stderr, code } = await runCli(["compare", ...files, "--json"]);
  if (code !== 0) throw new Error(`compare ended with ${code}: ${stderr}`);
  return (JSON.parse(stdout) as { readonly rows: readonly ComparedRow[] }).rows;
}

export interface SweepPoint {
  readonly path: string;
  readonly request_throughput: { readonly value: number } | null;
  readonly output_token_throughput: { readonly value: number } | null;
  readonly latencies: Readonly<Record<string, { readonly avg: { readonly value: number } }>>;
}

export async function sweepPoints(folder: string): Promise<readonly SweepPoint[]> {
  const { stdout, stderr, code } = await runCli(["sweep", folder, "--json"]);
  if (code !== 0) throw new Error(`sweep ended with ${code}: ${stderr}`);
  const { series } = JSON.parse(stdout) as { readonly series: readonly { readonly points: readonly SweepPoint[] }[] };
  return series.flatMap(({ points }) => points);
}

/** A run's row in a library, by the column. */
export async function libraryRow(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const { stdout, stderr, code } = await runCli(["runs", folder, "--json", "--columns", "requests,tokens,latency"]);
  if (code !== 0) throw new Error(`runs ended with ${code}: ${stderr}`);
  const [row, another] = JSON.parse(stdout) as readonly Readonly<Record<string, unknown>>[];
  if (row === undefined || another !== undefined) throw new Error(`${folder} is not one run: ${stdout}`);
  return row;
}

const SQL_COLUMNS = ["total", "rate", "count", "count_rate", "sum", "avg", "min", "max"] as const;

/** What DuckDB answers for every series of a folder with one run. */
export async function statisticsBySql(folder: string): Promise<Saying> {
  const { stdout, stderr, code } = await runCli(["sql", folder, "SELECT * FROM statistics", "--json"]);
  if (code !== 0) throw new Error(`sql ended with ${code}: ${stderr}`);
  const rows = JSON.parse(stdout) as readonly Readonly<Record<string, string | number | null>>[];
  return new Map(
    rows.flatMap(
      ({ run: _, endpoint_url, metric_name, metric_type: _type, unit: _unit, description: _about, ...row }) => {
        const labels = Object.entries(row).flatMap(([name, value]): (readonly [string, string])[] =>
          value === null || SQL_COLUMNS.some((column) => column === name)
            ? []
            : [[name.replace(/^label_/, ""), String(value)]],
        );
        return SQL_COLUMNS.flatMap((column): (readonly [string, Said])[] => {
          const value = row[column];
          if (typeof value !== "number") return [];
          return [[quantity(String(metric_name), String(endpoint_url), labels, column), { value }]];
        });
      },
    ),
  );
}

/** The evidence of every finding. */
export async function findingsOf(file: string): Promise<Saying> {
  const { stdout, stderr, code } = await runCli(["insights", file, "--json"]);
  if (code !== 0) throw new Error(`insights ended with ${code}: ${stderr}`);
  const { findings } = JSON.parse(stdout) as {
    readonly findings: readonly {
      readonly id: string;
      readonly evidence: readonly {
        readonly family: string;
        readonly labels: Readonly<Record<string, string>>;
        readonly endpoint_url: string;
        readonly statistic: string;
        readonly value: number;
        readonly unit?: string;
      }[];
    }[];
  };
  return new Map(
    findings.flatMap(({ id, evidence }) =>
      evidence.map(({ family, labels, endpoint_url: url, statistic, value, unit }) => [
        `${id}: ${quantity(family, url, labels, statistic)}`,
        { value, unit },
      ]),
    ),
  );
}

/** What a Pushgateway is given. */
export async function pushed(file: string): Promise<Saying> {
  let body = "";
  const gateway = createServer((request, response) => {
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => response.end());
  });
  const port = await new Promise<number>((resolve) =>
    gateway.listen(0, "127.0.0.1", () => {
      const address = gateway.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    }),
  );
  try {
    const { stderr, code } = await runCli(["push", file, "--pushgateway", `http://127.0.0.1:${port}`]);
    if (code !== 0) throw new Error(`push ended with ${code}: ${stderr}`);
  } finally {
    gateway.close();
    gateway.closeAllConnections();
  }
  const said = new Map<string, Said>();
  for (const line of body.split("\n")) {
    const [, family = "", statistic = "", text = "", value = ""] = /^run:(.+):(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
    const labels = [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", own = ""]) => [name, own] as const);
    const url = labels.find(([name]) => name === "instance")?.[1] ?? "";
    const own = labels.filter(([name]) => name !== "instance");
    if (family !== "") said.set(quantity(family, url, own, statistic), { value: Number(value) });
  }
  return said;
}

/** What an agent is told of one family. */
export async function told(session: McpSession, run: string, family: string): Promise<Saying> {
  const said = new Map<string, Said>();
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const { json, text } = await session.call("query_metric", { run, family, offset });
    if (json === undefined) throw new Error(text);
    const { series, unit, units, next_offset } = json as {
      readonly series: readonly {
        readonly endpoint: string;
        readonly labels?: Readonly<Record<string, string>>;
        readonly statistics?: Readonly<Record<string, number>>;
      }[];
      readonly unit?: string;
      readonly units?: Readonly<Record<string, string>>;
      readonly next_offset?: number;
    };
    for (const { endpoint, labels = {}, statistics = {} } of series)
      for (const [statistic, value] of Object.entries(statistics))
        said.set(quantity(family, endpoint, labels, statistic), { value, unit: unit ?? units?.[statistic] });
    offset = next_offset;
  }
  return said;
}
