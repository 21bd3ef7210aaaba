import { groupBy } from "../math/index.js";
import { naturalOrder } from "../text/index.js";
import { together } from "./intervals.js";
import {
  LATENCY_COLUMNS,
  latencyFigure,
  type Estimated,
  type Sweep,
  type SweepLatency,
  type SweepOptions,
  type SweepPoint,
  type SweepRun,
  type SweepSeries,
} from "./types.js";

interface Placed {
  readonly run: SweepRun;
  readonly throughput: Estimated;
  readonly latency: Estimated;
}

/**
 * Throughput against latency over the runs of a sweep: one series for each configuration, repeats of one load as one
 * point, the knee of each series and the Pareto frontier of all.
 */
export function sweepOf(
  runs: readonly SweepRun[],
  { latency = defaultLatency(runs), statistic = "avg" }: SweepOptions = {},
  skipped: Sweep["skipped"] = [],
): Sweep {
  const tokens = runs.filter(({ figures }) => figures.tokens !== undefined).length >= runs.length / 2;
  const left: { readonly path: string; readonly reason: string }[] = [...skipped];
  const placed = runs.flatMap((run): Placed[] => {
    const throughput = tokens ? run.figures.tokens : run.figures.requests;
    const y = run.figures[latencyFigure(latency, statistic)];
    if (throughput !== undefined && y !== undefined) return [{ run, throughput, latency: y }];
    const missing =
      throughput === undefined ? `${tokens ? "token" : "request"} throughput` : `${statistic} of ${latency}`;
    left.push({ path: run.path, reason: `it has no ${missing}` });
    return [];
  });
  const bySeries = groupBy(placed, ({ run }) => run.configuration || "all runs");
  const series = [...bySeries].map(([configuration, own]) => ({
    configuration,
    points: pointsOf(own).sort((a, b) => (a.load?.value ?? 0) - (b.load?.value ?? 0)),
  }));
  const all = series.flatMap(({ points }) => points);
  const best = paretoFront(all.map(valuesOf));
  const pareto = new Set(all.filter((_, i) => best[i]));
  return {
    latency,
    statistic,
    throughput: tokens
      ? { title: "Output token throughput", unit: "tokens/s" }
      : { title: "Request throughput", unit: "requests/s" },
    series: series
      .map(({ configuration, points }): SweepSeries => {
        const knee = kneeOf(points.map(valuesOf));
        return {
          configuration,
          points: points.map((point) => ({ ...point, pareto: pareto.has(point) })),
          ...(knee === undefined ? {} : { knee }),
        };
      })
      .sort((a, b) => naturalOrder(a.configuration, b.configuration)),
    skipped: left,
  };
}

function valuesOf({ throughput, latency }: Pick<SweepPoint, "throughput" | "latency">) {
  return { throughput: throughput.value, latency: latency.value };
}

/** Runs of one load are repeats; without a known load each stands for itself. */
function pointsOf(placed: readonly Placed[]): SweepPoint[] {
  const byLoad = groupBy(placed, ({ run: { load, path } }) =>
    load === undefined ? path : `${load.kind} ${load.value}`,
  );
  return [...byLoad.values()].flatMap((repeats): SweepPoint[] => {
    const [first] = repeats;
    if (first === undefined) return [];
    return [
      {
        paths: repeats.map(({ run }) => run.path),
        ...(first.run.load === undefined ? {} : { load: first.run.load }),
        throughput: together(repeats.map(({ throughput }) => throughput)),
        latency: together(repeats.map(({ latency }) => latency)),
        run: first.run,
        pareto: false,
      },
    ];
  });
}

/** Request latency, unless most runs have another one only. */
function defaultLatency(runs: readonly SweepRun[]): SweepLatency {
  const having = (latency: SweepLatency) =>
    runs.filter(({ figures }) => figures[LATENCY_COLUMNS[latency]] !== undefined).length;
  return having("request-latency") * 2 >= runs.length || having("ttft") === 0 ? "request-latency" : "ttft";
}

/** How a knee is found, for reports. */
export const KNEE_METHOD =
  "Kneedle (Satopää, Albrecht, Irwin & Raghavan 2011, sensitivity 1): the load above which latency grows faster than throughput";

/** Fewer points do not show a bend. */
export const MIN_KNEE_POINTS = 4;
const SENSITIVITY = 1;

/**
 * Index of the knee of throughput over latency, by Kneedle: both are scaled to 0…1, and the knee is where their
 * difference is largest, if it falls below that by the mean step of latency afterwards. Points without smoothing: a
 * sweep has few.
 * @param points in the order of their load
 * @returns undefined for fewer than four points, or where the curve does not bend
 */
export function kneeOf(
  points: readonly { readonly throughput: number; readonly latency: number }[],
): number | undefined {
  const sorted = points.map((point, index) => ({ ...point, index })).sort((a, b) => a.latency - b.latency);
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined || sorted.length < MIN_KNEE_POINTS) return undefined;
  const least = Math.min(...sorted.map(({ throughput }) => throughput));
  const span = Math.max(...sorted.map(({ throughput }) => throughput)) - least;
  const width = last.latency - first.latency;
  if (!(span > 0) || !(width > 0)) return undefined;
  const differences = sorted.map(
    ({ throughput, latency }) => (throughput - least) / span - (latency - first.latency) / width,
  );
  const step = 1 / (sorted.length - 1);
  const highest = differences.reduce((best, value, i) => (value > (differences[best] ?? -Infinity) ? i : best), 0);
  const peak = differences[highest] ?? 0;
  const falls = differences.slice(highest + 1).some((value) => value < peak - SENSITIVITY * step);
  return peak > 0 && falls ? sorted[highest]?.index : undefined;
}

/** Which points no other one beats in throughput without more latency. */
export function paretoFront(
  points: readonly { readonly throughput: number; readonly latency: number }[],
): readonly boolean[] {
  return points.map(
    (point) =>
      !points.some(
        (other) =>
          other.throughput >= point.throughput &&
          other.latency <= point.latency &&
          (other.throughput > point.throughput || other.latency < point.latency),
      ),
  );
}
