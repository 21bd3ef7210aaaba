import {
  groupOf,
  keyMetricOf,
  rateUnit,
  serverOf,
  shownUnit,
  titledName,
  canonicalName,
  familyEntry,
  conceptOf,
  conceptOfRatio,
  type Direction,
} from "../catalog/index.js";
import type { Labels, MetricType } from "../model/index.js";
import { benjaminiHochberg, getOrInsert } from "../math/index.js";
import { definitionNote } from "./matching/concepts.js";
import type { GroupDifference } from "./matching/group.js";
import { rowId, type Setup } from "./setup.js";
import { ENDPOINT, type Matching } from "./matching/labels.js";
import { isAttainment, isDecided } from "./report/report.js";
import type { Draft } from "./ratio-rows.js";
import { isAffected, type Restarts } from "./run-view.js";
import type { MeasuredRun, SourceSeries } from "./source.js";
import { NO_DIFFERENCE } from "./inference/difference.js";
import type {
  ComparisonCell,
  ComparisonOptions,
  ComparisonRow,
  ComparisonWarning,
  Quantity,
  Verdict,
} from "./types.js";

/** Share of the findings that may be false. */
export const FALSE_DISCOVERY_RATE = 0.05;

/** The rows of a pair with their verdicts: corrected for how many there are, in reading order. */
export function rowsOf(
  drafts: readonly Draft[],
  setup: Setup,
  restarts: readonly Restarts[],
  warnings: readonly ComparisonWarning[],
  options: ComparisonOptions,
): ComparisonRow[] {
  const { context, matching } = setup;
  const comparable = drafts.filter(
    ({ baseline, candidate }) => baseline.series.length > 0 && candidate.series.length > 0,
  );
  const blocking = warnings.find(({ severity }) => severity === "incomparable")?.message;
  const obstacles = comparable.map((draft) => {
    const run = setup.runs.find((_, r) =>
      draft.traces.some(({ [r]: trace }) => trace !== undefined && isAffected(trace, restarts[r]?.endpoints ?? [])),
    );
    return obstacleOf(draft, blocking ?? (run === undefined ? undefined : restartReason(run)));
  });
  const adjusted = benjaminiHochberg(
    Float64Array.from(comparable, ({ difference }, i) => (obstacles[i] === undefined ? (difference?.p ?? NaN) : NaN)),
  );
  return inReadingOrder(
    comparable.map((draft, i): ComparisonRow => {
      const { head, quantity, family, type, concept } = draft;
      const direction = isAttainment(quantity)
        ? "up"
        : quantity === "ratio"
          ? (keyMetricOf(family)?.direction ?? "neutral")
          : directionOf(family, type, options.directions ?? {});
      const unit = unitOf(head, quantity, type);
      const server = serverOf(family)?.name;
      return {
        id: rowId(draft.name, quantity),
        family,
        ...(concept === undefined ? {} : { concept: concept.concept.id }),
        title:
          draft.title ??
          concept?.concept.title ??
          (quantity === "ratio" ? keyMetricOf(family)?.title : undefined) ??
          titledName(family).title,
        ...(draft.names.length === 0 ? {} : { names: draft.names }),
        type,
        labels: concept === undefined && quantity !== "goodput" ? shownLabels(head, matching) : (draft.role ?? []),
        ...(concept !== undefined || quantity === "goodput" || matching.aggregates(ENDPOINT)
          ? {}
          : { endpointUrl: head.endpointUrl }),
        quantity,
        ...(draft.objective === undefined ? {} : { objective: draft.objective }),
        ...(unit === undefined ? {} : { unit }),
        direction,
        isKey: isAttainment(quantity) || isKeyQuantity(family, quantity),
        group: groupOf(family),
        ...(server === undefined ? {} : { server }),
        baseline: draft.baseline,
        cells: [
          withNote(
            cellOf(draft, obstacles[i], adjusted[i] ?? NaN, context.threshold, direction),
            concept === undefined ? undefined : definitionNote(concept, 0, context.sets[1][0] ?? 0),
          ),
        ],
      };
    }),
  );
}

function withNote(cell: ComparisonCell, note: string | undefined): ComparisonCell {
  if (note === undefined) return cell;
  return { ...cell, reason: cell.reason === undefined ? note : `${cell.reason}; ${note}` };
}

function restartReason({ run }: MeasuredRun): string {
  return `it restarted inside the window of ${run.label}, which mixes two states: before the restart, and cold after it`;
}

/** Why a cell cannot be judged; undefined when it can. */
function obstacleOf(
  { difference, obstacle, indistinguishable }: GroupDifference,
  blocking: string | undefined,
): string | undefined {
  if (difference === undefined) return obstacle ?? "there is nothing to compare";
  if (blocking !== undefined) return blocking;
  if (obstacle !== undefined) return obstacle;
  if (indistinguishable) return undefined;
  return Number.isNaN(difference.p)
    ? "there are too few slices or observations to measure how much they vary"
    : undefined;
}

/** Share of the baseline below which a difference is a matter of floating point. */
const ROUNDING = 1e-12;

function cellOf(
  { candidate, difference = NO_DIFFERENCE, indistinguishable }: Draft,
  why: string | undefined,
  adjustedP: number,
  threshold: number,
  direction: ComparisonRow["direction"],
): ComparisonCell {
  // Means of the same values in another order differ in their last digit, which is no difference.
  const rounding = Math.abs(difference.share) < ROUNDING;
  const numbers = {
    candidate,
    ...difference,
    ...(rounding ? { difference: 0, share: 0 } : {}),
    adjustedP,
  };
  if (why !== undefined) return { ...numbers, verdict: "cannot-tell", reason: why };
  if (indistinguishable)
    return { ...numbers, verdict: "same", reason: "all slices lie within the threshold of each other" };
  return { ...numbers, ...judge(numbers, threshold, direction) };
}

/**
 * A difference counts when it is significant after adjustment and at least as large as the threshold; it is ruled out
 * when the whole interval lies within the threshold.
 */
function judge(
  { share, shareLow, shareHigh, adjustedP }: Pick<ComparisonCell, "share" | "shareLow" | "shareHigh" | "adjustedP">,
  threshold: number,
  direction: ComparisonRow["direction"],
): { readonly verdict: Verdict; readonly reason?: string } {
  if (adjustedP <= FALSE_DISCOVERY_RATE && Math.abs(share) >= threshold) {
    if (direction === "neutral") return { verdict: "differs" };
    return { verdict: share > 0 === (direction === "up") ? "better" : "worse" };
  }
  return { verdict: shareLow >= -threshold && shareHigh <= threshold ? "same" : "no-evidence" };
}

function shownLabels(series: SourceSeries, matching: Matching): Labels {
  return matching.labelsOf(series).filter(([name]) => !matching.aggregates(name));
}

function unitOf({ family }: SourceSeries, quantity: Quantity, type: MetricType): string | undefined {
  if (quantity === "ratio" || isAttainment(quantity)) return "ratio";
  const unit = shownUnit(family);
  if (type !== "counter") return unit;
  return rateUnit(unit);
}

/**
 * Which way is better: what the user set, else the catalogue's word; else histograms of latency and
 * counters of errors down, all others neutral (more tokens or bytes may be more work for the same result).
 */
export function directionOf(family: string, type: MetricType, chosen: Readonly<Record<string, Direction>>): Direction {
  const set = chosen[family];
  if (set !== undefined) return set;
  const known = familyEntry(family);
  if (known !== undefined) return known.direction ?? "neutral";
  if (type === "counter" && /(error|failure|fail|timeout|abort|preempt)/i.test(family)) return "down";
  const latency = groupOf(family) === "Latency" || /latency|duration/.test(family);
  return type === "histogram" && latency ? "down" : "neutral";
}

/** Is it what the catalogue shows as a key metric? All quantities of such a histogram are. */
function isKeyQuantity(family: string, quantity: Quantity): boolean {
  const metric = keyMetricOf(family);
  return (
    metric !== undefined &&
    (metric.derived === undefined
      ? metric.family === canonicalName(family) && quantity !== "ratio"
      : quantity === "ratio")
  );
}

const RANK: Readonly<Record<Verdict, number>> = {
  worse: 0,
  better: 1,
  differs: 2,
  "no-evidence": 3,
  "cannot-tell": 4,
  same: 5,
};

/** Rows of one series are never torn apart: its average, then its percentiles. */
interface Metric {
  readonly rows: readonly ComparisonRow[];
  readonly isDecided: boolean;
  readonly importance: number;
  readonly rank: number;
  readonly size: number;
  readonly id: string;
}

/**
 * Rows as a reader of a benchmark asks for them. What is decided leads. Of that: the objectives, which the user set;
 * then what all engines are measured by (latencies, throughput, queue, cache); other key metrics; all others. Of each,
 * what got worse, what got better, and what merely differs, each by the size of its largest decided difference.
 */
export function inReadingOrder(rows: readonly ComparisonRow[]): ComparisonRow[] {
  const byMetric = new Map<string, { readonly importance: number; readonly rows: ComparisonRow[] }>();
  for (const row of rows) {
    const importance = importanceOf(row);
    // A row's id is that of its series and its quantity.
    const key = `${importance} ${row.id.replace(` ${row.quantity}`, "")}`;
    getOrInsert(byMetric, key, () => ({ importance, rows: [] })).rows.push(row);
  }
  return [...byMetric.values()]
    .map(({ importance, rows: own }) => measured(importance, own))
    .sort(byImportance)
    .flatMap((metric) => metric.rows);
}

function importanceOf(row: ComparisonRow): number {
  if (isAttainment(row.quantity)) return 0;
  const concept = row.quantity === "ratio" ? conceptOfRatio(row.family) : conceptOf(row.family);
  if (row.concept !== undefined || concept !== undefined) return 1;
  return row.isKey ? 2 : 3;
}

function measured(importance: number, rows: readonly ComparisonRow[]): Metric {
  const decided = rows.filter(isDecided);
  const leading = decided.length > 0 ? decided : rows;
  return {
    rows,
    isDecided: decided.length > 0,
    importance,
    rank: Math.min(...rows.map(rankOf)),
    size: Math.max(...leading.map(sizeOf)),
    id: rows[0]?.id ?? "",
  };
}

function rankOf({ cells }: ComparisonRow): number {
  return Math.min(...cells.map(({ verdict }) => RANK[verdict]));
}

function sizeOf({ cells }: ComparisonRow): number {
  return Math.max(...cells.map(({ share }) => (Number.isNaN(share) ? -1 : Math.abs(share))));
}

function byImportance(a: Metric, b: Metric): number {
  return (
    Number(b.isDecided) - Number(a.isDecided) ||
    a.importance - b.importance ||
    a.rank - b.rank ||
    // Two differences from nothing are infinite, and their difference is no number.
    (a.size === b.size ? 0 : b.size - a.size) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  );
}
