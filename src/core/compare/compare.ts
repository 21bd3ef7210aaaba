import { UserError } from "../text/errors.js";
import { reporting } from "../stats/index.js";
import { configurationDifferences } from "./report/configuration.js";
import { unknownLoads, withoutDuplicates } from "./matching/repeats.js";
import { comparePair, type PairComparison } from "./pair.js";
import { INCOMPARABLE } from "./setup.js";
import { sourceOf } from "./source.js";
import type {
  Comparison,
  ComparisonOptions,
  RunSet,
  AppliedRule,
  BucketShares,
  ComparisonCell,
  ComparisonRow,
  ComparisonWarning,
} from "./types.js";
import { repeatedWarnings, withoutRepeats } from "./report/warnings.js";
import { getOrInsert } from "../math/index.js";
import { NO_DIFFERENCE } from "./inference/difference.js";
import { inReadingOrder } from "./judged-rows.js";

/**
 * Compares one baseline with one or several candidates, each a run or a set of repeats. A generator, so that its caller
 * can show progress, stay responsive and give up: yields the share done after each group of series. The same input
 * gives the same result, and each candidate's column is what it is without the others.
 *
 * Two single runs: mean of slices against mean of slices, with the error that their autocorrelation leaves
 * (`longRunVariance`), pair by pair where lengths allow; percentiles by their influence. Sets: the spread between
 * repeats. All rows of a candidate are corrected together (Benjamini-Hochberg).
 * @throws UserError for runs that cannot be compared at all
 */
export function* compareRuns(
  baseline: RunSet,
  candidates: readonly RunSet[],
  options: ComparisonOptions = {},
): Generator<number, Comparison> {
  if (candidates.length === 0)
    throw new UserError("A comparison needs a baseline and at least one candidate.", undefined, INCOMPARABLE);
  const given = [baseline, ...candidates];
  if (given.some((set) => set.runs.length === 0))
    throw new UserError("A set of runs to compare is empty.", undefined, INCOMPARABLE);
  const distinct = withoutDuplicates(given.map((set) => set.runs.map(sourceOf)));
  const [reference, ...others] = distinct.sets.map((runs, s) => ({ label: given[s]?.label ?? "", runs }));
  if (reference === undefined) throw new UserError("A comparison needs a baseline.", undefined, INCOMPARABLE);
  const parts: PairComparison[] = [];
  for (const [c, candidate] of others.entries()) {
    const steps = comparePair(reference, candidate, options);
    parts.push(yield* reporting(steps, (share) => (c + share) / others.length));
  }
  const merged = mergeComparisons(parts);
  return {
    ...merged,
    configuration: configurationDifferences(distinct.sets.flatMap(([first]) => first ?? [])),
    warnings: [
      ...repeatedWarnings(distinct.dropped),
      ...withoutRepeats(merged.warnings),
      ...unknownLoads(distinct.sets),
    ],
  };
}

/** Comparisons of one baseline with one candidate each as one, a column for each. */
function mergeComparisons(parts: readonly PairComparison[]): PairComparison {
  const [first] = parts;
  if (first === undefined) throw new RangeError("there is nothing to merge");
  if (parts.length === 1) return first;
  const { rows, renamed } = mergedRows(parts);
  return {
    ...first,
    candidates: parts.flatMap(({ candidates }) => candidates),
    method: { ...first.method, notes: [...new Set(parts.flatMap(({ method }) => method.notes))] },
    warnings: mergedWarnings(parts),
    rules: mergedRules(parts),
    rows,
    unmatched: parts.flatMap(({ unmatched }, candidate) => unmatched.map((one) => ({ ...one, candidate }))),
    shares: mergedShares(parts, renamed),
  };
}

/** What a row is about: a quantity of some series of the baseline. */
function subjectOf({ family, quantity, baseline }: ComparisonRow): string {
  const series = baseline.series.map(({ endpointUrl, labels }) => JSON.stringify([endpointUrl, labels])).sort();
  return JSON.stringify([family, quantity, series]);
}

/**
 * A row for each subject. Where candidates' labels are matched differently, some subjects are those of a few columns
 * only: the other columns have these series in other rows.
 */
function mergedRows(parts: readonly PairComparison[]) {
  const subjects = new Map<string, (ComparisonRow | undefined)[]>();
  parts.forEach(({ rows }, c) => {
    for (const row of rows) {
      const subject = subjectOf(row);
      const columns = getOrInsert(subjects, subject, () => parts.map(() => undefined));
      columns[c] = row;
    }
  });
  const taken = new Set<string>();
  const renamed = parts.map(() => new Map<string, string>());
  const families = parts.map(({ rows }) => new Set(rows.map(({ family, quantity }) => `${family} ${quantity}`)));
  const rows = [...subjects.values()].flatMap((columns): ComparisonRow[] => {
    const known = columns.flatMap((row) => row ?? []);
    const head = known.find(({ concept }) => concept !== undefined) ?? known[0];
    if (head === undefined) return [];
    let id = head.id;
    for (let n = 2; taken.has(id); n++) id = `${head.id} ~${n}`;
    taken.add(id);
    columns.forEach((row, c) => row !== undefined && renamed[c]?.set(row.id, id));
    const names = known.some((row) => row.names !== undefined)
      ? [
          head.names?.[0] ?? head.family,
          ...columns.map((row) => (row === undefined ? "" : (row.names?.[1] ?? row.family))),
        ]
      : undefined;
    const { names: _, ...rest } = head;
    return [
      {
        ...rest,
        id,
        ...(names === undefined ? {} : { names }),
        cells: columns.map(
          (row, c) => row?.cells[0] ?? absent(families[c]?.has(`${head.family} ${head.quantity}`) === true),
        ),
      },
    ];
  });
  return { rows: inReadingOrder(rows), renamed };
}

function absent(elsewhere: boolean): ComparisonCell {
  return {
    candidate: { value: NaN, series: [], trend: new Float64Array(0) },
    ...NO_DIFFERENCE,
    adjustedP: NaN,
    verdict: "cannot-tell",
    ...(elsewhere
      ? {
          elsewhere: true,
          reason: "its labels are matched differently with this run: see the other rows of this metric",
        }
      : { reason: "nothing was measured in the candidate" }),
  };
}

/** Those of a candidate with its column; those of the baseline once. */
function mergedWarnings(parts: readonly PairComparison[]): ComparisonWarning[] {
  const known = new Set<string>();
  return parts.flatMap(({ warnings }, c) =>
    warnings.flatMap((warning): ComparisonWarning[] => {
      if (warning.candidate !== undefined) return [{ ...warning, candidate: c }];
      if (known.has(warning.message)) return [];
      known.add(warning.message);
      return [warning];
    }),
  );
}

function mergedRules(parts: readonly PairComparison[]): AppliedRule[] {
  const labels = [...new Set(parts.flatMap(({ rules }) => rules.map(({ label }) => label)))];
  return labels.flatMap((label): AppliedRule[] => {
    const own = parts.map(({ rules }) => rules.find((rule) => rule.label === label));
    const first = own.find((rule) => rule !== undefined);
    if (first === undefined) return [];
    const applied = own.map((rule) => rule?.applied ?? first.applied);
    return [
      {
        ...first,
        ...(applied.every((one) => one === first.applied) ? {} : { appliedTo: applied }),
        values: [first.values[0] ?? [], ...own.map((rule) => rule?.values[1] ?? [])],
      },
    ];
  });
}

/** On the bounds that all columns have; none where a column lacks them. */
function mergedShares(
  parts: readonly PairComparison[],
  renamed: readonly ReadonlyMap<string, string>[],
): readonly BucketShares[] {
  const columns = new Map<string, BucketShares[]>();
  parts.forEach(({ shares }, c) => {
    for (const share of shares) {
      const id = renamed[c]?.get(share.rowId) ?? share.rowId;
      columns.set(id, [...(columns.get(id) ?? []), share]);
    }
  });
  return [...columns].flatMap(([id, own]): BucketShares[] => {
    const [first] = own;
    if (first === undefined || own.length < parts.length) return [];
    const uppers = first.uppers.filter((upper) => own.every((share) => share.uppers.includes(upper)));
    return [
      {
        rowId: id,
        uppers,
        baseline: joined(first.uppers, first.baseline, uppers),
        candidates: own.map((share) => joined(share.uppers, share.candidates[0] ?? new Float64Array(0), uppers)),
      },
    ];
  });
}

/** Shares of buckets on fewer bounds, the last of them the same. */
function joined(from: Float64Array, shares: Float64Array, to: Float64Array): Float64Array {
  const out = new Float64Array(to.length);
  let b = 0;
  from.forEach((upper, i) => {
    while (b < to.length - 1 && upper > (to[b] ?? Infinity)) b++;
    out[b] = (out[b] ?? 0) + (shares[i] ?? 0);
  });
  return out;
}
