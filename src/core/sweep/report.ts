import { formatValue, splitValue } from "../catalog/index.js";
import { heading, paragraph, table, type Block } from "../text/document.js";
import { KNEE_METHOD, MIN_KNEE_POINTS } from "./sweep.js";
import {
  latencyFigure,
  SWEEP_LATENCIES,
  SWEEP_STATISTICS,
  type Estimated,
  type Sweep,
  type SweepLoad,
  type SweepPoint,
} from "./types.js";

/** Plain data for JSON; latencies in seconds, intervals at 95 %. */
export function sweepJson(sweep: Sweep) {
  const { latency, statistic, throughput, series, skipped } = sweep;
  return {
    throughput: { title: throughput.title, unit: throughput.unit },
    latency: { metric: latency, statistic, unit: "seconds" },
    knee_method: KNEE_METHOD,
    series: series.map(({ configuration, points, knee = -1 }) => ({
      configuration,
      points: points.map((point, i) => pointJson(point, i === knee)),
      knee: points[knee] === undefined ? null : placeJson(points[knee]),
    })),
    pareto_frontier: series
      .flatMap(({ configuration, points }) =>
        points.filter(({ pareto }) => pareto).map((point) => ({ configuration, ...placeJson(point) })),
      )
      .sort((a, b) => a.latency - b.latency),
    skipped,
  };
}

function pointJson({ paths, load, throughput, latency, run, pareto }: SweepPoint, isKnee: boolean) {
  return {
    path: paths[0] ?? "",
    paths,
    runs: paths.length,
    load: load ?? null,
    source: run.source,
    throughput,
    latency,
    request_throughput: run.figures.requests ?? null,
    output_token_throughput: run.figures.tokens ?? null,
    latencies: Object.fromEntries(
      SWEEP_LATENCIES.flatMap((latency) => {
        const known = SWEEP_STATISTICS.flatMap((name) => {
          const figure = run.figures[latencyFigure(latency, name)];
          return figure === undefined ? [] : [[name, figure] as const];
        });
        return known.length === 0 ? [] : [[latency, Object.fromEntries(known)]];
      }),
    ),
    pareto,
    knee: isKnee,
  };
}

function placeJson({ paths, load, throughput, latency }: SweepPoint) {
  return { path: paths[0] ?? "", load: load ?? null, throughput: throughput.value, latency: latency.value };
}

/** Titles of the columns: load, throughput, latency, runs, and what a point is. */
export function sweepColumns({ latency, statistic, throughput }: Sweep): readonly string[] {
  return ["Load", throughput.title, `${LATENCY_TITLES[latency]}, ${statistic}`, "Runs", ""];
}

/** What the latencies are called. */
export const LATENCY_TITLES: { readonly [L in Sweep["latency"]]: string } = {
  "request-latency": "Request latency",
  ttft: "Time to first token",
  "inter-token-latency": "Inter-token latency",
};

/** How the knees were found, or why there is none. */
export function kneeNote({
  series,
}: {
  readonly series: readonly { readonly points: readonly unknown[]; readonly knee?: number }[];
}): string {
  if (series.some(({ knee }) => knee !== undefined)) return `Knee by ${KNEE_METHOD}.`;
  return series.some(({ points }) => points.length >= MIN_KNEE_POINTS)
    ? "No knee: the curve does not bend over these loads. Higher loads may show one."
    : `No knee: it takes at least ${MIN_KNEE_POINTS} loads to find one.`;
}

/** What a load was: "concurrency 16". */
export function loadText(load: SweepLoad | undefined): string {
  return load === undefined ? "unknown" : `${load.kind} ${load.value}`;
}

/** "123 tokens/s (118 to 128 tokens/s)"; the unit once where it is the same. */
export function estimateText({ value, interval }: Estimated, unit: string): string {
  const shown = formatValue(value, unit);
  if (interval === undefined) return shown;
  const [low, high] = [splitValue(interval[0], unit), splitValue(interval[1], unit)];
  const from = low.unit === high.unit ? low.number : formatValue(interval[0], unit);
  return `${shown} (${from} to ${formatValue(interval[1], unit)})`;
}

/** For a pull request or a note. */
export function sweepDocument(sweep: Sweep): readonly Block[] {
  const { unit } = sweep.throughput;
  return [
    heading("Throughput against latency"),
    ...sweep.series.flatMap((series) => [
      heading(series.configuration, 3),
      table(
        sweepColumns(sweep),
        series.points.map(({ load, throughput, latency, paths, pareto }, i) => [
          loadText(load),
          estimateText(throughput, unit),
          estimateText(latency, "seconds"),
          String(paths.length),
          [...(i === series.knee ? ["knee"] : []), ...(pareto ? ["Pareto"] : [])].join(", "),
        ]),
        [1, 2, 3],
      ),
    ]),
    paragraph(`In parentheses: 95 % intervals. ${kneeNote(sweep)}`),
    ...sweep.skipped.map(({ path, reason }) => paragraph(`Left out: ${path}, ${reason}.`)),
  ];
}
