import { upperBound } from "../store/window.js";
import type { IntervalSequence } from "./quantiles/index.js";
import { sharedUppers } from "./histogram-track.js";
import { complete, type Steps } from "./steps.js";

/**
 * The observations of several series as if one had made them: their intervals side by side in time order, on the bounds
 * that all share. Undefined when there is nothing to merge or fewer than two finite bounds are shared.
 */
export function mergeSequences(sequences: readonly IntervalSequence[]): IntervalSequence | undefined {
  return complete(mergeSteps(sequences));
}

/** As `mergeSequences`, for so many intervals that others may not wait for it. */
export function* mergeSteps(sequences: readonly IntervalSequence[]): Steps<IntervalSequence | undefined> {
  const [first] = sequences;
  if (first === undefined || sequences.length === 1) return first;
  const uppers = sharedUppers(sequences.map((sequence) => sequence.uppers));
  return uppers.length === 0 ? undefined : yield* mergeOn(sequences, uppers);
}

/** As `mergeSteps`, in one bucket: what is left, count and sum, where bounds are not shared. */
export function* mergeTotals(sequences: readonly IntervalSequence[]): Steps<IntervalSequence> {
  return yield* mergeOn(sequences, Float64Array.of(Infinity));
}

function* mergeOn(sequences: readonly IntervalSequence[], uppers: Float64Array): Steps<IntervalSequence> {
  const { times, sequenceOf, indexOf } = yield* inTimeOrder(sequences.map((sequence) => sequence.times));
  const gather = (out: Float64Array, cells: readonly (Float64Array | undefined)[]) => {
    for (let at = 0; at < out.length; at++) {
      const from = cells[sequenceOf[at] ?? 0];
      if (from !== undefined) out[at] = (out[at] ?? 0) + (from[indexOf[at] ?? 0] ?? 0);
    }
    return out;
  };
  const counts: Float64Array[] = [];
  for (const [u, upper] of uppers.entries()) {
    // A bound that not all have: its observations belong to the next shared one.
    const below = uppers[u - 1] ?? -Infinity;
    const parts = sequences.map((sequence) =>
      sequence.counts.slice(upperBound(sequence.uppers, below), upperBound(sequence.uppers, upper)),
    );
    const out = new Float64Array(times.length);
    for (let part = 0; parts.some((list) => part < list.length); part++) {
      gather(
        out,
        parts.map((list) => list[part]),
      );
      yield;
    }
    counts.push(out);
  }
  return {
    uppers,
    times,
    counts,
    sums: gather(
      new Float64Array(times.length),
      sequences.map((sequence) => sequence.sums),
    ),
  };
}

/** All times, ascending (equal ones in the lists' order), and where each comes from. */
function* inTimeOrder(
  lists: readonly Float64Array[],
): Steps<{ readonly times: Float64Array; readonly sequenceOf: Int32Array; readonly indexOf: Int32Array }> {
  const length = lists.reduce((sum, list) => sum + list.length, 0);
  const unsorted = new Float64Array(length);
  const listOf = new Int32Array(length);
  let offset = 0;
  const starts = lists.map((list, l) => {
    unsorted.set(list, offset);
    listOf.fill(l, offset, offset + list.length);
    offset += list.length;
    return offset - list.length;
  });
  // Each list is sorted: they are merged two by two.
  let runs = lists.map((list, l) => Int32Array.from({ length: list.length }, (_, i) => (starts[l] ?? 0) + i));
  while (runs.length > 1) {
    const pairs: Int32Array<ArrayBuffer>[] = [];
    for (let r = 0; r < runs.length; r += 2)
      pairs.push(mergeRuns(unsorted, runs[r] ?? new Int32Array(0), runs[r + 1] ?? new Int32Array(0)));
    runs = pairs;
    yield;
  }
  const [order = new Int32Array(0)] = runs;
  const times = new Float64Array(length);
  const sequenceOf = new Int32Array(length);
  const indexOf = new Int32Array(length);
  for (let at = 0; at < length; at++) {
    const index = order[at] ?? 0;
    const list = listOf[index] ?? 0;
    times[at] = unsorted[index] ?? 0;
    sequenceOf[at] = list;
    indexOf[at] = index - (starts[list] ?? 0);
  }
  yield;
  return { times, sequenceOf, indexOf };
}

/** Positions of `times` in ascending order, from two lists of them that are. */
function mergeRuns(times: Float64Array, a: Int32Array, b: Int32Array): Int32Array<ArrayBuffer> {
  const out = new Int32Array(a.length + b.length);
  let i = 0;
  let j = 0;
  for (let k = 0; k < out.length; k++) {
    const takeA = j >= b.length || (i < a.length && (times[a[i] ?? 0] ?? 0) <= (times[b[j] ?? 0] ?? 0));
    out[k] = (takeA ? a[i++] : b[j++]) ?? 0;
  }
  return out;
}

/** The intervals that end inside (start, end], OffsetNs. */
export function intervalsWithin(sequence: IntervalSequence, start: number, end: number): IntervalSequence {
  const from = upperBound(sequence.times, start);
  const to = upperBound(sequence.times, end);
  return {
    uppers: sequence.uppers,
    times: sequence.times.subarray(from, to),
    counts: sequence.counts.map((bucket) => bucket.subarray(from, to)),
    sums: sequence.sums.subarray(from, to),
  };
}
