import { NS_PER_SECOND } from "../../model/index.js";
import { mean } from "../../math/index.js";
import { figure, percent } from "../words.js";
import type { Observed } from "../observed.js";
import { adjustedForMany, ramp, trend, valuesOf, type SignalPoint, type SignalBase } from "../signals.js";
import { endpointRule } from "../rule.js";

const MIN_SLICES = 20;
const BATCH = 5;
/** Cuts up to half of the run are tried: where the best is at that end, the level changed later on. */
const MAX_OF_RUN = 0.45;
/** A cold server does less, not more: what begins with more is a burst or a backlog, and those are short. */
const MAX_OF_RUN_WITH_MORE = 0.25;
/** A start that differs by less does not matter. */
const RELEVANT = 0.2;
/** Kendall's tau. */
const STILL_MOVING = 0.5;
/** In simulated levels without a start at most one in twenty differs by as much; of many endpoints one does by more. */
const STANDARD_ERRORS = 3.5;

/**
 * The level still moves when profiling begins. MSER-5 (White 1997; Spratt 1998): the cut that makes the error of the
 * mean of what follows least, over batches of five slices.
 */
export const warmUpShort = endpointRule({
  title: "The warm-up is too short",
  advice:
    "Move the end of the warm-up to where the level is steady (drag the handle in the view, or give --warmup). The start of this run shifts its averages.",
  look: (run, endpointUrl) =>
    levelsOf(run, endpointUrl).some(({ points }) => points.length >= MIN_SLICES) ? { endpointUrl } : undefined,
  judge: ({ endpointUrl }, { run }) => {
    const start = startOfRun(run, endpointUrl);
    if (start === undefined) return undefined;
    const { level, cut, change, settledNs } = start;
    const seconds = Number(settledNs - run.run.startNs) / NS_PER_SECOND;
    const direction = change < 0 ? "lower" : "higher";
    return {
      weight: ramp(cut / level.points.length, 0, 0.5, 0.42, 0.6),
      confidence: cut >= 3 ? "medium" : "low",
      text: `in the first ${figure(seconds, "seconds")}, ${level.title} ${percent(Math.abs(change))} ${direction} than afterwards.`,
      evidence: [
        run.evidence(
          level,
          `start ${direction} than the rest by`,
          Math.abs(change),
          { threshold: RELEVANT, unit: "ratio" },
          level.points.slice(0, cut),
        ),
      ],
    };
  },
});

/** The beginning of a run that differs from the rest at an endpoint, and from when on it does not. */
export function startOfRun(run: Observed, endpointUrl: string) {
  const levels = levelsOf(run, endpointUrl);
  const [worst] = levels
    .flatMap((level) => startOf(level, run.servingEndpoints().length * levels.length) ?? [])
    .filter(({ level, cut, change }) =>
      level.isCost
        ? change > 0 && !isMoreLoad(levels, cut)
        : change < 0 || cut <= MAX_OF_RUN_WITH_MORE * level.points.length,
    )
    .sort((a, b) => b.cut - a.cut);
  const settledNs = worst?.level.points[worst.cut]?.startNs;
  return worst === undefined || settledNs === undefined ? undefined : { ...worst, settledNs };
}

/** What goes on moving, and by as much as matters, has no level that a longer warm-up would reach. */
function keepsMoving(values: readonly number[]): boolean {
  const third = Math.ceil(values.length / 3);
  const [first, last] = [mean(values.slice(0, third)), mean(values.slice(-third))];
  return Math.abs(trend(values)) > STILL_MOVING && Math.abs(last - first) > RELEVANT * Math.min(first, last);
}

/** How much of a level's beginning differs from the rest, and by how much; undefined where none does. */
function startOf(level: Level, levels: number) {
  const { points } = level;
  if (points.length < MIN_SLICES) return undefined;
  const cut = relevantStart(valuesOf(points));
  if (cut === 0 || cut > MAX_OF_RUN * points.length) return undefined;
  const before = valuesOf(points.slice(0, cut));
  const after = valuesOf(points.slice(cut));
  if (keepsMoving(after)) return undefined;
  // Where nothing follows, the load ended: that start is no warm-up.
  if (!(mean(after) > 0)) return undefined;
  const change = (mean(before) - mean(after)) / mean(after);
  return Math.abs(change) > RELEVANT && beyondChance(before, after, levels) ? { level, cut, change } : undefined;
}

/**
 * The means differ by more standard errors than the cut, which is chosen to make them differ, explains.
 * Neighbouring slices are alike: the errors are those of an AR(1) series with the autocorrelation of what follows,
 * its bias corrected (Marriott & Pope 1954).
 */
function beyondChance(before: readonly number[], after: readonly number[], levels: number): boolean {
  const level = mean(after);
  const spread = after.reduce((sum, value) => sum + (value - level) ** 2, 0);
  const together = after.slice(1).reduce((sum, value, i) => sum + (value - level) * ((after[i] ?? 0) - level), 0);
  const raw = spread > 0 ? together / spread : 0;
  const correlated = Math.min(0.95, Math.max(0, raw + (1 + 3 * raw) / after.length));
  const inflation = (1 + correlated) / (1 - correlated);
  const variance = (spread / (after.length - 1)) * inflation * (1 / before.length + 1 / after.length);
  return Math.abs(mean(before) - level) > adjustedForMany(STANDARD_ERRORS, levels) * Math.sqrt(variance);
}

interface Level extends SignalBase {
  readonly points: readonly SignalPoint[];
  /** With its verb. */
  readonly title: string;
  /** A cost, which a greater load raises as a cold server does. */
  readonly isCost: boolean;
}

/** Whether the load was greater before the cut by as much as matters. */
function isMoreLoad(levels: readonly Level[], cut: number): boolean {
  return levels.some(({ points, isCost }) => {
    const values = valuesOf(points);
    return !isCost && !(mean(values.slice(0, cut)) <= (1 + RELEVANT) * mean(values.slice(cut)));
  });
}

/** What is generated, else what runs; and how long a token takes, which a cold server shows at any load. */
function levelsOf(run: Observed, endpointUrl: string): readonly Level[] {
  const tokens = run.counter(endpointUrl, "generation-tokens");
  const running = run.gauge(endpointUrl, "running");
  const gaps = run.histogram(endpointUrl, "inter-token-latency");
  return [
    ...(tokens !== undefined && tokens.total > 0
      ? [{ ...tokens, points: tokens.rates, title: "generation tokens per second were", isCost: false }]
      : running !== undefined
        ? [{ ...running, points: running.means, title: "running requests were", isCost: false }]
        : []),
    ...(gaps === undefined ? [] : [{ ...gaps, points: gaps.means, title: "the time of a token was", isCost: true }]),
  ];
}

/**
 * Number of values to leave out at the start; 0 for none. MSER leaves out what it can tell from the rest, which of a
 * level that settles slowly in a quiet run is more than what matters: the start ends with the last batch that differs
 * from the settled level by as much as matters.
 */
function relevantStart(values: readonly number[]): number {
  const batch = values.length >= 10 * BATCH ? BATCH : 1;
  const means: number[] = [];
  for (let i = 0; i + batch <= values.length; i += batch) means.push(mean(values.slice(i, i + batch)));
  const cut = mser(means);
  const settled = mean(means.slice(cut));
  const last = means.slice(0, cut).findLastIndex((value) => Math.abs(value - settled) > RELEVANT * settled);
  return (last + 1) * batch;
}

/** Number of values without which the error of the mean of the rest is least. */
function mser(means: readonly number[]): number {
  let best = { cut: 0, error: Infinity };
  for (let cut = 0; cut <= means.length / 2; cut++) {
    const rest = means.slice(cut);
    const m = mean(rest);
    const error = rest.reduce((sum, value) => sum + (value - m) ** 2, 0) / rest.length ** 2;
    if (error < best.error) best = { cut, error };
  }
  return best.cut;
}
