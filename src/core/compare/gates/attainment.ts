import { formatValue, objectiveApplies, shareStatistic, shownUnit, type Objective } from "../../catalog/index.js";
import { getOrInsert } from "../../math/index.js";
import { goodputBounds, observesRequests, partBelow } from "../../stats/index.js";
import {
  differenceOf,
  rowOf,
  sideOf,
  type DraftRow,
  type GroupContext,
  type GroupDifference,
  type RunQuantity,
} from "../matching/group.js";
import { ratioInfluence, type Influence } from "../inference/influence.js";
import { measureShare, shareError } from "../measured.js";
import type { HistogramSlices } from "../slices/slices.js";
import type { Draft } from "../ratio-rows.js";
import type { Trace, GroupOfRun } from "../run-view.js";
import type { SourceSeries } from "../source.js";

/** How far one run met an objective, in some of its series. */
interface Attained {
  readonly observations: number;
  readonly certain: readonly [lower: number, upper: number];
  /** Observations of each slice that met it, of all; undefined without slices. */
  readonly counts: () => Counts | undefined;
}

interface Counts {
  readonly met: Float64Array;
  readonly all: Float64Array;
}

/** What tells of an objective. */
interface Told {
  readonly objective: Objective;
  /** An engine may tell one thing by two families, and the first is the one. */
  readonly head: SourceSeries;
  /** For each run its series. */
  readonly byRun: readonly Attained[][];
}

/** Rows of service level objectives: a share for each group of histograms, and what meets several of them. */
export class Attainments {
  private readonly told = new Map<Objective, Told>();
  private readonly views: GroupOfRun[] = [];
  private readonly traces: (readonly Trace[])[] = [];

  constructor(private readonly objectives: readonly Objective[]) {}

  /** Of a group of histograms whose first series is `head`. */
  rows(head: SourceSeries, views: readonly GroupOfRun[], traces: readonly Trace[], context: GroupContext): DraftRow[] {
    if (head.family.type !== "histogram") return [];
    const unit = shownUnit(head.family);
    return this.objectives.flatMap((objective) => {
      if (!objectiveApplies(head.canonical, objective)) return [];
      const told = getOrInsert(this.told, objective, () => ({ objective, head, byRun: views.map(() => []) }));
      if (told.head.canonical !== head.canonical) return [];
      this.traces.push(traces);
      const quantities = views.map((view, r) => this.quantityOf(told, view, r));
      return rowOf(shareStatistic(objective.threshold), views, quantities, context).map((row) => ({
        ...row,
        objective: { ...objective, ...(unit === undefined ? {} : { unit }) },
      }));
    });
  }

  /** Objectives that no common histogram tells of. */
  get missing(): readonly Objective[] {
    return this.objectives.filter((objective) => !this.told.has(objective));
  }

  private quantityOf({ objective, byRun }: Told, view: GroupOfRun, run: number): RunQuantity | undefined {
    const measured = measureShare(view.series, objective.threshold);
    if (measured === undefined) return undefined;
    const { share, observations } = measured;
    const certain = [share.lower, share.upper] as const;
    const counts = () => {
      const { slices } = view;
      return slices?.kind === "histogram" && slices.uppers.length > 1
        ? { met: metIn(slices, objective.threshold, partBelow(share)), all: slices.observed }
        : undefined;
    };
    byRun[run]?.push({ observations, certain, counts });
    this.views[run] ??= view;
    return {
      value: share.value,
      atLeast: false,
      most: 1,
      error: shareError(share, observations),
      certain,
      interval: share.interval,
      influence: () => influenceOf(counts()),
    };
  }

  /**
   * The share of requests that meet all objectives; undefined with fewer than two objectives of requests. Of a run's
   * goodput its bounds are known alone (`goodputBounds`): what is certain of the difference is the gap between the
   * bounds of both sides.
   */
  goodput(context: GroupContext): Draft | undefined {
    const runs = context.sets.flat();
    const kept = this.ofRequests(runs);
    const head = kept[0]?.head;
    if (kept.length < 2 || head === undefined) return undefined;
    const bounds = runs.map((r) => boundsOf(kept.map(({ byRun }) => byRun[r] ?? [])));
    const middles = bounds.map(middleOf);
    const mixed = (baseline: Bound, candidate: Bound) =>
      runs.map((r) => bounds[r]?.[context.sets[0].includes(r) ? baseline : candidate]);
    const baseline = sideOf(context.sets[0], this.views, middles);
    const candidate = sideOf(context.sets[1], this.views, middles);
    const risen = differenceOf(mixed("upper", "lower"), context);
    const fallen = differenceOf(mixed("lower", "upper"), context);
    const limits = kept.map(
      ({ objective: { name, threshold }, head: { family } }) =>
        `${name} ≤ ${formatValue(threshold, shownUnit(family))}`,
    );
    return {
      name: "slo",
      title: `Goodput: ${limits.join(" and ")}`,
      family: head.canonical,
      type: "histogram",
      head,
      names: [],
      traces: this.traces,
      quantity: "goodput",
      baseline,
      candidate,
      ...goodputDifference(baseline.value, candidate.value, risen, fallen),
    };
  }

  /** Objectives whose metrics observe each request once, in all runs. */
  private ofRequests(runs: readonly number[]): readonly Told[] {
    const all = this.objectives
      .flatMap((objective) => this.told.get(objective) ?? [])
      .filter(({ byRun }) => runs.every((r) => (byRun[r] ?? []).length > 0));
    const observed = ({ byRun }: Told, r: number) =>
      (byRun[r] ?? []).reduce((sum, { observations }) => sum + observations, 0);
    const once = runs.map((r) => observesRequests(all.map((told) => observed(told, r))));
    return all.filter((_, i) => once.every((own) => own[i]));
  }
}

/** From the difference of the bounds that are nearest to a rise, and of those nearest to a fall. */
function goodputDifference(
  baseline: number,
  candidate: number,
  { difference: least, obstacle }: GroupDifference,
  { difference: most }: GroupDifference,
): GroupDifference {
  if (least === undefined || most === undefined)
    return { obstacle: obstacle ?? "nothing was measured", indistinguishable: false };
  const difference = candidate - baseline;
  return {
    difference: {
      ...least,
      difference,
      high: most.high,
      share: difference === 0 ? 0 : difference / baseline,
      shareLow: Math.max(-1, least.low / baseline),
      shareHigh: most.high / baseline,
      p: least.difference > 0 ? least.p : most.difference < 0 ? most.p : Number.isNaN(least.p) ? NaN : 1,
    },
    ...(obstacle === undefined ? {} : { obstacle }),
    indistinguishable: false,
  };
}

/** Of one run. @param parts by objective, its series */
function boundsOf(parts: readonly (readonly Attained[])[]): Readonly<Record<Bound, RunQuantity>> {
  const met = parts.map(together);
  const { lower, upper } = goodputBounds(met.map(({ certain }) => ({ lower: certain[0], upper: certain[1] })));
  const hardest = met.reduce((a, b) => (b.certain[1] < a.certain[1] ? b : a));
  const plain = { atLeast: false, most: 1, error: 0 } as const;
  return {
    // Those who fail are all different ones.
    lower: { ...plain, value: lower, influence: () => sumOf(met.map((one) => influenceOf(one.counts()))) },
    // All who fail, fail the hardest one.
    upper: { ...plain, value: upper, influence: () => boundInfluence(hardest.counts()) },
  };
}

function middleOf({ lower, upper }: Readonly<Record<Bound, RunQuantity>>): RunQuantity {
  return { ...lower, value: (lower.value + upper.value) / 2, certain: [lower.value, upper.value] };
}

/** Several series as one. */
function together(parts: readonly Attained[]): Attained {
  const observations = parts.reduce((sum, part) => sum + part.observations, 0);
  const mean = (end: 0 | 1) =>
    parts.reduce((sum, part) => sum + part.observations * part.certain[end], 0) / observations;
  return {
    observations,
    certain: [mean(0), mean(1)],
    counts: () =>
      parts
        .map(({ counts }) => counts())
        .reduce((a, b) =>
          a === undefined || b === undefined ? undefined : { met: added(a.met, b.met), all: added(a.all, b.all) },
        ),
  };
}

function added(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((x, s) => x + (b[s] ?? NaN));
}

/** Of a sum; undefined when one of them is. */
function sumOf(influences: readonly (Influence | undefined)[]): Influence | undefined {
  return influences.reduce((a, b) =>
    a === undefined || b === undefined
      ? undefined
      : { values: added(a.values, b.values), min: NaN, max: NaN, worth: Math.min(a.worth, b.worth) },
  );
}

/** Observations of each slice at or below a threshold. @param part of those in the bucket around it */
function metIn({ uppers, counts, observed }: HistogramSlices, threshold: number, part: number): Float64Array {
  const around = uppers.findIndex((upper) => upper > threshold);
  return observed.map((_, s) => {
    let met = 0;
    for (let b = 0; b < uppers.length && (uppers[b] ?? Infinity) <= threshold; b++) met += counts[b]?.[s] ?? 0;
    return met + (around < 0 ? 0 : part * (counts[around]?.[s] ?? 0));
  });
}

function influenceOf(counts: Counts | undefined): Influence | undefined {
  return counts === undefined ? undefined : ratioInfluence(counts.met, counts.all);
}

/** Of a bound of the share, which the slices' own share is not. */
function boundInfluence(counts: Counts | undefined): Influence | undefined {
  const influence = influenceOf(counts);
  if (influence === undefined) return undefined;
  const { inside: _, ...rest } = influence;
  return rest;
}

/** One bound of the goodput of each run. */
type Bound = "lower" | "upper";
