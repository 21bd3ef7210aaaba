import {
  derivedById,
  groupOf,
  joiningOf,
  keyMetricOf,
  rateUnit,
  serverOf,
  SERVERS,
  shownUnit,
  titledName,
} from "../catalog/index.js";
import type { Labels, MetricType } from "../model/index.js";
import { benjaminiHochberg } from "./adjust.js";
import { configurationDifferences } from "./configuration.js";
import { directionOf, isKeyQuantity } from "./direction.js";
import {
  compareGroup,
  compareRatio,
  viewOf,
  type DraftCell,
  type DraftRow,
  type Group,
  type GroupContext,
  type RunView,
} from "./group.js";
import { conceptOfSeries, definitionNote, matchConcepts, type ConceptMatch, type ConceptMatches } from "./concepts.js";
import { groupNames, rowId } from "./group-names.js";
import { ENDPOINT, settleRules, type Matching } from "./labels.js";
import { loadsOf } from "./load.js";
import { concerned, Restarts, tracesOf, type Trace } from "./restarts.js";
import { withoutDuplicates } from "./same-run.js";
import { bucketShares } from "./shares.js";
import { chooseSliceSeconds, type SliceGrid } from "./slices.js";
import { sourceOf, summaryOf, windowSeconds, type Source, type SourceSeries } from "./source.js";
import { unmatchedSeries } from "./unmatched.js";
import { FALSE_DISCOVERY_RATE, judge } from "./verdict.js";
import { comparisonWarnings, repeatedWarnings } from "./warnings.js";
import { ComparisonError } from "./types.js";
import type {
  BucketShares,
  Comparison,
  ComparisonCell,
  ComparisonOptions,
  ComparisonRow,
  ComparisonWarning,
  Quantity,
  RunSet,
} from "./types.js";

/** All that is settled before the first series is read. */
interface Setup {
  readonly runs: readonly Source[];
  /** Position of each run's set: 0 the baseline. */
  readonly setOf: readonly number[];
  readonly context: GroupContext;
  readonly matching: Matching;
  readonly groups: ReadonlyMap<string, Group>;
  readonly groupNames: ReadonlyMap<Group, string>;
  readonly concepts: ConceptMatches;
  /** Of runs that were given twice. */
  readonly repeated: readonly ComparisonWarning[];
}

/** A row before the correction for the number of rows. */
interface Draft extends DraftRow {
  /** Of its group. */
  readonly name: string;
  readonly concept?: ConceptMatch;
  readonly family: string;
  readonly type: MetricType;
  readonly head: SourceSeries;
  readonly names: readonly string[];
  /** For each run; of a ratio those of both counters. */
  readonly traces: readonly (readonly Trace[])[];
}

/**
 * Compares one baseline with one or several candidates, each a run or a set of repeats. A generator, so that its caller
 * can show progress, stay responsive and give up: yields the share done after each group of series. The same input
 * gives the same result.
 *
 * Two single runs: mean of slices against mean of slices, with the error that their autocorrelation leaves
 * (`longRunVariance`), pair by pair where lengths allow; quantiles by resampling (`quantileDifferences`). Sets: the
 * spread between repeats. All rows of a candidate are corrected together (Benjamini-Hochberg).
 * @throws ComparisonError for runs that cannot be compared at all
 */
export function* compareRuns(
  baseline: RunSet,
  candidates: readonly RunSet[],
  options: ComparisonOptions = {},
): Generator<number, Comparison> {
  const setup = prepare([baseline, ...candidates], options);
  const { runs, context, groups } = setup;
  const drafts: Draft[] = [];
  const shares: BucketShares[] = [];
  const restarts = new Restarts(runs.length);
  let done = 0;
  for (const group of groups.values()) {
    const head = group.series[0]?.[0] ?? group.series.flat()[0];
    const name = setup.groupNames.get(group);
    if (head !== undefined && name !== undefined && isCommon(group, context)) {
      const views = group.series.map((series, r) =>
        viewOf(
          series,
          context.grids[r] ?? { start: 0, length: 0, count: 0 },
          joiningOf(group.type, shownUnit(head.family)).compared,
        ),
      );
      const traces = tracesOf(views);
      restarts.count(traces);
      const names = namesOf(group, context);
      for (const row of compareGroup(group, views, context))
        drafts.push({
          ...row,
          name,
          ...(group.concept === undefined ? {} : { concept: group.concept }),
          family: head.canonical,
          type: group.type,
          head,
          names,
          traces: [traces],
        });
      const share = bucketShares(views, context);
      if (share !== undefined) shares.push({ rowId: rowId(name, "avg"), ...share });
    }
    yield ++done / groups.size;
  }
  drafts.push(...ratioDrafts(setup, options), ...conceptRatioDrafts(setup, options));
  const restarted = runs.map((_, r) => restarts.seriesOf(r));
  const warnings = [...(options.partial === true ? [PARTIAL] : []), ...warningsOf(setup, restarts, drafts)];
  return {
    ...(options.partial === true ? { partial: true } : {}),
    baseline: summarize(baseline, 0, setup, restarted),
    candidates: candidates.map((set, c) => summarize(set, c + 1, setup, restarted)),
    method: {
      threshold: context.threshold,
      confidence: context.confidence,
      falseDiscoveryRate: FALSE_DISCOVERY_RATE,
      notes: methodNotes(context.sets),
    },
    warnings,
    configuration: configurationDifferences(context.sets.flatMap(([first = 0]) => runs[first] ?? [])),
    rules: setup.matching.rules,
    rows: rowsOf(drafts, setup, restarts, warnings, options),
    unmatched: unmatchedSeries(groups, runs, context.sets, setup.concepts.refused),
    shares,
  };
}

const PARTIAL: ComparisonWarning = {
  kind: "partial",
  severity: "note",
  message:
    "Key metrics only so far: the other metrics are still being read. Verdicts may change with them, for they are corrected for the number of rows.",
};

function prepare(sets: readonly RunSet[], options: ComparisonOptions): Setup {
  if (sets.length < 2) throw new ComparisonError("A comparison needs a baseline and at least one candidate.");
  if (sets.some((set) => set.runs.length === 0)) throw new ComparisonError("A set of runs to compare is empty.");
  const distinct = withoutDuplicates(sets.map((set) => set.runs.map(sourceOf)));
  const runs = distinct.sets.flat();
  const setOf = distinct.sets.flatMap((own, s) => own.map(() => s));
  for (const run of runs) {
    if (run.series.length === 0)
      throw new ComparisonError(
        `${run.run.label} holds no metrics: there is nothing to compare.`,
        "Choose a run in which an endpoint answered with metrics.",
      );
    // A CSV does not tell its window.
    if (run.run.kind === "samples" && windowSeconds(run) <= 0)
      throw new ComparisonError(
        `${run.run.label} has an empty window: profiling ends when it starts.`,
        "Choose a run that was captured for longer.",
      );
  }
  const concepts = matchConcepts(runs);
  requireCommonFamily(runs, setOf, concepts);
  const matching = settleRules(runs, options.labelRules ?? []);
  const groups = groupSeries(runs, matching, concepts, options);
  const pairGrids = (a: number, b: number): readonly [SliceGrid, SliceGrid] => {
    const [first, second] = [runs[a], runs[b]];
    if (first === undefined || second === undefined) throw new RangeError("there is no such run");
    const seconds = options.sliceSeconds ?? sliceSecondsOf(first, second);
    return [first.grid(seconds), second.grid(seconds)];
  };
  const context: GroupContext = {
    // Shown beside each other: each run as it is cut against the baseline, that one as against the first of the others.
    grids: runs.map((_, r): SliceGrid => (r === 0 ? pairGrids(0, 1)[0] : pairGrids(0, r)[1])),
    pairGrids,
    sets: sets.map((_, s) => Array.from(setOf.keys()).filter((r) => setOf[r] === s)),
    confidence: options.confidence ?? 0.95,
    threshold: options.threshold ?? 0.03,
  };
  return {
    runs,
    setOf,
    context,
    matching,
    groups,
    groupNames: groupNames(groups.values(), matching),
    concepts,
    repeated: repeatedWarnings(distinct.dropped),
  };
}

/** Of two runs, whatever else is compared: a file's own, else chosen for both. */
function sliceSecondsOf(a: Source, b: Source): number {
  const own = [a, b].find((run) => (run.ownSliceSeconds ?? 0) > 0)?.ownSliceSeconds;
  if (own !== undefined) return own;
  const sampled = [a, b].filter(({ run }) => run.kind === "samples");
  return sampled.length === 0
    ? 0
    : chooseSliceSeconds(sampled.map((run) => ({ seconds: windowSeconds(run), interval: run.intervalSeconds })));
}

function requireCommonFamily(runs: readonly Source[], setOf: readonly number[], concepts: ConceptMatches): void {
  const [first] = runs;
  if (first === undefined) return;
  const own = new Set(first.series.map(({ canonical }) => canonical));
  runs.forEach((run, r) => {
    if (r === 0 || run.series.some(({ canonical }) => own.has(canonical))) return;
    if (concepts.matches.some(({ members }) => members[r] !== undefined)) return;
    const what = (source: Source) =>
      `${source.run.label} holds ${source.servers.join(", ") || (source.series[0]?.canonical ?? "nothing")}`;
    const word = setOf[r] === 0 ? "repeats of one run" : "runs";
    throw new ComparisonError(
      `These ${word} have no metric family in common: ${what(first)}, ${what(run)}.`,
      "Choose runs of the same kind of server.",
    );
  });
}

function groupSeries(
  runs: readonly Source[],
  matching: Matching,
  concepts: ConceptMatches,
  options: ComparisonOptions,
): Map<string, Group> {
  const groups = new Map<string, Group & { readonly series: SourceSeries[][] }>();
  runs.forEach((run, r) => {
    for (const series of run.series) {
      if (options.includes?.(series.canonical) === false) continue;
      // Engines label their series differently, so by concept all of a family's are one.
      const concept = conceptOfSeries(concepts, r, series);
      const key = concept === undefined ? matching.keyOf(r, series) : `concept ${concept.concept.id}`;
      let group = groups.get(key);
      if (group === undefined) {
        const about = concept === undefined ? {} : { concept };
        groups.set(key, (group = { type: series.family.type, ...about, series: runs.map(() => []) }));
      }
      group.series[r]?.push(series);
    }
  });
  return groups;
}

/** A group that one side alone has is listed as unmatched, not compared. */
function isCommon(group: Group, { sets: [baseline = [], ...candidates] }: GroupContext): boolean {
  const has = (runs: readonly number[]) => runs.some((r) => (group.series[r] ?? []).length > 0);
  return has(baseline) && candidates.some(has);
}

/** The name each side uses; empty when all use the canonical one. */
function namesOf(group: Group, { sets }: GroupContext): readonly string[] {
  const names = sets.map(
    (runs) => runs.map((r) => group.series[r]?.[0]?.family.name).find((name) => name !== undefined) ?? "",
  );
  const canonical = group.series.flat()[0]?.canonical;
  return names.every((name) => name === canonical) ? [] : names;
}

/** The catalogue's ratios of two counters, where both sides have both. */
function ratioDrafts({ groups, groupNames, runs, matching, context }: Setup, options: ComparisonOptions): Draft[] {
  const drafts: Draft[] = [];
  const metrics = SERVERS.flatMap((server) => server.keyMetrics.filter(({ derived }) => derived !== undefined));
  for (const metric of metrics) {
    const { derived } = metric;
    if (derived?.kind !== "rate-ratio" || options.includes?.(derived.numerator) === false) continue;
    for (const above of groups.values()) {
      const head = above.series[0]?.[0];
      const name = groupNames.get(above);
      if (head?.canonical !== derived.numerator || name === undefined) continue;
      const below = derived.denominator.flatMap(
        (canonical) => groups.get(matching.keyOf(0, { ...head, canonical })) ?? [],
      );
      if (below.length < derived.denominator.length || derived.numeratorOf !== undefined) continue;
      const views = (parts: readonly Group[]): RunView[] =>
        runs.map((_, r) =>
          viewOf(
            parts.flatMap(({ series }) => series[r] ?? []),
            context.grids[r] ?? { start: 0, length: 0, count: 0 },
            "sum",
          ),
        );
      const [numerators, denominators] = [views([above]), views(below)];
      const traces = [tracesOf(numerators), tracesOf(denominators)];
      for (const row of compareRatio(numerators, denominators, context))
        drafts.push({ ...row, name, family: derived.numerator, type: "counter", head, names: [], traces });
    }
  }
  return drafts;
}

/** Ratios that different engines tell by counters of their own. */
function conceptRatioDrafts({ runs, context, concepts }: Setup, options: ComparisonOptions): Draft[] {
  return concepts.matches.flatMap((match): Draft[] => {
    const derivations = match.members.map((member) =>
      member?.source.kind === "derived" ? derivedById(member.source.id)?.derivation : undefined,
    );
    const viewsOf = (familiesAt: (r: number) => readonly string[]): RunView[] =>
      runs.map((run, r) =>
        viewOf(
          run.series.filter(({ canonical }) => familiesAt(r).includes(canonical)),
          context.grids[r] ?? { start: 0, length: 0, count: 0 },
          "sum",
        ),
      );
    const part = (r: number) => (derivations[r]?.kind === "rate-ratio" ? derivations[r] : undefined);
    const numerators = viewsOf((r) => [part(r)?.numerator ?? ""]);
    const denominators = viewsOf((r) => part(r)?.denominator ?? []);
    const head = numerators[0]?.series[0];
    if (head === undefined || options.includes?.(head.canonical) === false) return [];
    const names = context.sets.map((set) => numerators[set[0] ?? 0]?.series[0]?.family.name ?? "");
    const traces = [tracesOf(numerators), tracesOf(denominators)];
    const name = `concept:${match.concept.id}`;
    return compareRatio(numerators, denominators, context).map((row): Draft => ({
      ...row,
      name,
      concept: match,
      family: head.canonical,
      type: "counter",
      head,
      names,
      traces,
    }));
  });
}

function rowsOf(
  drafts: readonly Draft[],
  setup: Setup,
  restarts: Restarts,
  warnings: readonly ComparisonWarning[],
  options: ComparisonOptions,
): ComparisonRow[] {
  const { context, matching } = setup;
  const comparable = drafts.filter(
    ({ baseline, cells }) => baseline.series.length > 0 && cells.some(({ candidate }) => candidate.series.length > 0),
  );
  const restarted = setup.runs.map((_, r) => restarts.endpointsOf(r));
  const columns = context.sets.slice(1).map((_, c) => {
    const blocking = warnings.find((warning) => warning.severity === "incomparable" && (warning.candidate ?? c) === c);
    const sides = [...(context.sets[0] ?? []), ...(context.sets[c + 1] ?? [])];
    const obstacles = comparable.map(({ cells, traces }) => {
      const run = sides.find((r) =>
        traces.some(({ [r]: trace }) => trace !== undefined && concerned(trace, restarted[r] ?? [])),
      );
      return cellObstacle(
        cells[c],
        blocking?.message ?? (run === undefined ? undefined : restartReason(setup.runs[run])),
      );
    });
    const adjusted = benjaminiHochberg(
      Float64Array.from(comparable, ({ cells }, i) =>
        obstacles[i] === undefined ? (cells[c]?.difference?.p ?? NaN) : NaN,
      ),
    );
    return { obstacles, adjusted };
  });
  return comparable
    .map((draft, i): ComparisonRow => {
      const { head, quantity, family, type, concept } = draft;
      const direction =
        quantity === "ratio"
          ? (keyMetricOf(family)?.direction ?? "neutral")
          : directionOf(family, type, options.directions ?? {});
      const unit = unitOf(head, quantity, type);
      const server = serverOf(family)?.name;
      return {
        id: rowId(draft.name, quantity),
        family,
        ...(concept === undefined ? {} : { concept: concept.concept.id }),
        title:
          concept?.concept.title ??
          (quantity === "ratio" ? keyMetricOf(family)?.title : undefined) ??
          titledName(family).title,
        ...(draft.names.length === 0 ? {} : { names: draft.names }),
        type,
        labels: concept === undefined ? shownLabels(head, matching) : [],
        ...(concept !== undefined || matching.aggregates(ENDPOINT) ? {} : { endpointUrl: head.endpointUrl }),
        quantity,
        ...(unit === undefined ? {} : { unit }),
        direction,
        isKey: isKeyQuantity(family, quantity),
        group: groupOf(family),
        ...(server === undefined ? {} : { server }),
        baseline: draft.baseline,
        cells: draft.cells.map((cell, c) =>
          withNote(
            cellOf(cell, columns[c]?.obstacles[i], columns[c]?.adjusted[i] ?? NaN, context.threshold, direction),
            concept === undefined
              ? undefined
              : definitionNote(concept, context.sets[0]?.[0] ?? 0, context.sets[c + 1]?.[0] ?? 0),
          ),
        ),
      };
    })
    .sort(byEffect);
}

function withNote(cell: ComparisonCell, note: string | undefined): ComparisonCell {
  if (note === undefined) return cell;
  return { ...cell, reason: cell.reason === undefined ? note : `${cell.reason}; ${note}` };
}

function restartReason(source: Source | undefined): string {
  return `it restarted inside the window of ${source?.run.label ?? "a run"}, which shows two servers in one: before, and cold after`;
}

/** Why a cell cannot be judged; undefined when it can. */
function cellObstacle(cell: DraftCell | undefined, blocking: string | undefined): string | undefined {
  if (cell?.difference === undefined) return cell?.obstacle ?? "there is nothing to compare";
  if (blocking !== undefined) return blocking;
  if (cell.obstacle !== undefined) return cell.obstacle;
  if (cell.indistinguishable) return undefined;
  return Number.isNaN(cell.difference.p) ? "there are too few slices to tell how much they vary" : undefined;
}

/** Share of the baseline below which a difference is a matter of floating point. */
const ROUNDING = 1e-12;

const NOTHING = {
  difference: NaN,
  low: NaN,
  high: NaN,
  share: NaN,
  shareLow: NaN,
  shareHigh: NaN,
  p: NaN,
  effective: NaN,
  basis: "values",
} as const;

function cellOf(
  cell: DraftCell,
  why: string | undefined,
  adjustedP: number,
  threshold: number,
  direction: ComparisonRow["direction"],
): ComparisonCell {
  const difference = cell.difference ?? NOTHING;
  const { low, high, shareLow, shareHigh, p, effective, basis } = difference;
  // Means of the same values in another order differ in their last digit, which is no difference.
  const rounding = Math.abs(difference.share) < ROUNDING;
  const share = rounding ? 0 : difference.share;
  const numbers = {
    candidate: cell.candidate,
    difference: rounding ? 0 : difference.difference,
    low,
    high,
    share,
    shareLow,
    shareHigh,
    p,
    adjustedP,
    effective,
    basis,
  };
  if (why !== undefined) return { ...numbers, verdict: "cannot-tell", reason: why };
  if (cell.indistinguishable)
    return { ...numbers, verdict: "same", reason: "all slices lie within the threshold of each other" };
  return { ...numbers, ...judge({ share, shareLow, shareHigh, adjustedP }, threshold, direction) };
}

const RANK: Readonly<Record<ComparisonCell["verdict"], number>> = {
  worse: 0,
  better: 0,
  differs: 1,
  "no-evidence": 2,
  "cannot-tell": 3,
  same: 4,
};

/** Decided rows first, then by size of the difference; key metrics before others of the same. */
function byEffect(a: ComparisonRow, b: ComparisonRow): number {
  const rank = (row: ComparisonRow) => Math.min(...row.cells.map(({ verdict }) => RANK[verdict]));
  const size = (row: ComparisonRow) =>
    Math.max(...row.cells.map(({ share }) => (Number.isNaN(share) ? -1 : Math.abs(share))));
  const [sizeA, sizeB] = [size(a), size(b)];
  return (
    rank(a) - rank(b) ||
    (sizeA === sizeB ? 0 : sizeB - sizeA) ||
    Number(b.isKey) - Number(a.isKey) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  );
}

function shownLabels({ labels }: SourceSeries, matching: Matching): Labels {
  return labels.filter(([name]) => !matching.aggregates(name));
}

function unitOf({ family }: SourceSeries, quantity: Quantity, type: MetricType): string | undefined {
  if (quantity === "ratio") return "ratio";
  const unit = shownUnit(family);
  if (type !== "counter") return unit;
  return rateUnit(unit);
}

function warningsOf(
  { runs, setOf, context, concepts, repeated }: Setup,
  restarts: Restarts,
  drafts: readonly Draft[],
): ComparisonWarning[] {
  const loads = loadsOf(runs, context.grids, concepts);
  const warnings = [
    ...repeated,
    ...comparisonWarnings(
      runs.map((source, r) => ({
        source,
        candidate: (setOf[r] ?? 0) - 1,
        slices: context.grids[r]?.count ?? 0,
        sliceLength: context.grids[r]?.length ?? 0,
        fallen: restarts.seriesOf(r),
        restarted: restarts.endpointsOf(r),
        load: loads[r] ?? NaN,
        concepts: concepts.matches.filter(({ members }) => members[r] !== undefined).length,
        refused: concepts.refused
          .filter(({ run }) => run === r)
          .map(({ concept, reason }) => `${concept.title} (${reason})`),
      })),
    ),
  ];
  const differing = new Set(
    drafts
      .filter(({ cells }) => cells.some((cell) => cell.obstacle?.startsWith("the bucket bounds differ") === true))
      .map(({ family }) => family),
  );
  if (differing.size > 0) {
    const [first = ""] = differing;
    const rest = differing.size > 1 ? ` and ${differing.size - 1} more` : "";
    warnings.push({
      kind: "bounds",
      severity: "caution",
      message: `The bucket bounds of ${first}${rest} differ: their quantiles cannot be compared, their averages can.`,
    });
  }
  return warnings;
}

function methodNotes(sets: readonly (readonly number[])[]): string[] {
  const repeated = sets.some((runs) => runs.length > 1);
  return [
    repeated
      ? "Repeats: the error is the spread between runs, pooled over the sets that are compared; slices are not used for it."
      : "One run each: how much runs of the same configuration vary among themselves is unseen. Three or more repeats of each, given as sets, show it.",
    "Intervals are for each row by itself; verdicts are corrected for the number of rows (Benjamini-Hochberg).",
  ];
}

function summarize(set: RunSet, s: number, { runs, context }: Setup, restarted: readonly number[]) {
  const positions = context.sets[s] ?? [];
  return {
    label: set.label,
    runs: positions.flatMap((r) => {
      const source = runs[r];
      const grid = context.grids[r];
      return source === undefined || grid === undefined ? [] : [summaryOf(source, grid, restarted[r] ?? 0)];
    }),
  };
}
