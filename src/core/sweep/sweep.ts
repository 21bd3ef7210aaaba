import { groupBy } from "../math/index.js";
import { naturalOrder } from "../text/index.js";
import { kneeOf, paretoFront } from "./knee.js";
import { together } from "./intervals.js";
import type { Estimated, Sweep, SweepLatency, SweepOptions, SweepPoint, SweepRun, SweepSeries } from "./types.js";

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
  const tokens = runs.filter(({ tokenThroughput }) => tokenThroughput !== undefined).length >= runs.length / 2;
  const left: { readonly path: string; readonly reason: string }[] = [...skipped];
  const placed = runs.flatMap((run): Placed[] => {
    const throughput = tokens ? run.tokenThroughput : run.requestThroughput;
    const y = run.latencies[latency]?.[statistic];
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
  const having = (latency: SweepLatency) => runs.filter((run) => run.latencies[latency]?.avg !== undefined).length;
  return having("request-latency") * 2 >= runs.length || having("ttft") === 0 ? "request-latency" : "ttft";
}
