import { secondsToNs } from "../../../src/core/model/index.js";
import type {
  Dashboard,
  InstanceCourse,
  InstanceTable,
  RankingData,
  RankingQuery,
  SharesData,
  SharesQuery,
  VectorData,
} from "../../../src/protocol/index.js";
import { A, B, SERVING, WARMUP, FAMILIES, type SyntheticRun } from "./data.js";
import { tiles } from "./data-header.js";
import { statistics } from "./data-tables.js";

/* Rankings, shares, vectors, panels and instances of the made-up run. */

/** In the order of the statistics table; what they are is of no account here. */
export function ranking(query: RankingQuery): RankingData {
  const table = statistics({ family: query.family });
  const usual = query.statistic ?? (table.type === "counter" ? "rate" : "avg");
  const statistic = table.columns.find(({ key }) => key === usual) ?? table.columns[0] ?? { key: "avg", title: "avg" };
  const { key } = statistic;
  const valueOf = ({ values }: (typeof table.rows)[number]) => values[key] ?? NaN;
  const rows = table.rows.toSorted((a, b) => valueOf(b) - valueOf(a)).slice(0, query.count);
  return {
    family: query.family,
    statistic,
    statistics: table.columns,
    rows,
    values: Float64Array.from(rows, valueOf),
    ...(table.type === "histogram"
      ? {
          bounds: {
            lower: Float64Array.from(rows, ({ estimates }) => estimates?.[key]?.lower ?? NaN),
            upper: Float64Array.from(rows, ({ estimates }) => estimates?.[key]?.upper ?? NaN),
          },
        }
      : {}),
    seriesTotal: table.rows.length,
    unranked: 0,
  };
}

/** Two endpoints, the second with more. */
export function shares({ family: name, by }: SharesQuery): SharesData {
  const source = FAMILIES.find((one) => one.name === name);
  const values = Float64Array.of(41_250, 68_400);
  return {
    family: name,
    ...(source?.unit === undefined ? {} : { unit: source.unit }),
    measure: source?.type === "counter" ? "increase" : source?.type === "histogram" ? "observations" : "mean",
    ...(by === undefined || by === "" ? {} : { by }),
    labels: ["engine", "finished_reason"],
    parts:
      by === undefined || by === ""
        ? [
            { name: A, series: 4 },
            { name: B, series: 4, note: "restarted once: increase across restarts" },
          ]
        : [
            { name: "0", series: 2 },
            { name: "1", series: 6 },
          ],
    values,
    rates: values.map((value) => (source?.type === "counter" ? value / 138 : NaN)),
    shares: values.map((value) => value / 109_650),
    imbalance: { maxOverMean: 68_400 / 54_825, variation: 13_575 / 54_825 },
  };
}

/** Drafts are accepted less often the further they reach. */
export function vector(run: SyntheticRun, name: string): VectorData {
  const positions = 8;
  const slices = Math.max(1, Math.floor((run.now() - WARMUP) / run.sliceSeconds));
  const rates = Float64Array.from({ length: positions }, (_, p) => 420 * 0.72 ** p);
  return {
    family: name,
    unit: "tokens",
    label: "position",
    measure: "increase",
    positions: Array.from({ length: positions }, (_, p) => String(p)),
    values: rates.map((rate) => Math.round(rate * slices * run.sliceSeconds)),
    rates,
    edges: Float64Array.from({ length: slices + 1 }, (_, i) => secondsToNs(WARMUP + i * run.sliceSeconds)),
    cells: Float64Array.from(
      { length: slices * positions },
      (_, i) => (rates[i % positions] ?? 0) * (1 + 0.4 * Math.sin(Math.floor(i / positions) / 3 - (i % positions) / 2)),
    ),
  };
}

/** The tiles again, each as a panel, and one that needs a flag. */
export function dashboard(run: SyntheticRun, server: string, endpointUrl: string | undefined): Dashboard {
  const panels = tiles(run).map(({ id, title, family, statistic, value, unit, direction, sparkline }) => ({
    id,
    title,
    rows: [
      {
        title: endpointUrl === undefined ? title : `${title} of one`,
        family,
        direction,
        figures: [{ statistic, value, ...(unit === undefined ? {} : { unit }) }],
        sparkline,
      },
    ],
    withoutValues: [],
    missing: [],
  }));
  return {
    server,
    panels: [
      ...panels,
      {
        id: "kv-blocks",
        title: "KV block residency",
        rows: [],
        withoutValues: [],
        missing: ["vllm:kv_block_lifetime_seconds"],
        remedy: "Start vLLM with --kv-cache-metrics.",
      },
    ],
  };
}

export function instances(run: SyntheticRun, server: string): InstanceTable {
  const columns = tiles(run).slice(0, 6);
  const endpoints = SERVING;
  return {
    server,
    columns,
    endpoints,
    values: Float64Array.from(endpoints.flatMap((_, e) => columns.map(({ value }) => value * (1 + 0.8 * (e % 2))))),
  };
}

export function instanceCourse(run: SyntheticRun, metric: string): InstanceCourse {
  const found = tiles(run).find(({ id }) => id === metric);
  const sparkline = found?.sparkline ?? new Float64Array(0);
  return {
    family: metric,
    title: found?.title ?? metric,
    endpoints: [A, B],
    points: sparkline.length,
    values: Float64Array.from([...sparkline, ...sparkline.map((value) => value / 2)]),
  };
}
