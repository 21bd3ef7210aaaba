import { NS_PER_SECOND, type ScalarSamples } from "../model/index.js";
import { medianInterval } from "../math/index.js";
import { windowIndices, type EndpointAxis } from "../store/index.js";

/** A drawable line: ascending OffsetNs, NaN where it breaks. */
export interface Line {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** Beyond this many typical intervals without a sample a line is broken rather than drawn through. */
const HOLE = 4;
/** Intervals that stand for all of a line. */
const INTERVALS = 101;

/** Moments at which nothing is known: failed scrapes, and gaps of this series. Ascending. */
export function breaksOf(samples: { readonly gapTimes: Float64Array }, axis: EndpointAxis): Float64Array {
  const failed = [...axis.errors.keys()].map((row) => axis.times.at(row));
  return failed.length === 0 ? samples.gapTimes : Float64Array.from([...failed, ...samples.gapTimes]).sort();
}

/**
 * Inserts one NaN into every stretch between two samples that holds a break, or is far longer than the usual interval.
 */
export function withBreaks({ times, values }: Line, breaks: Float64Array): Line {
  const hole = longestStep(times);
  const outTimes: number[] = [];
  const outValues: number[] = [];
  let b = 0;
  for (let i = 0; i < times.length; i++) {
    const time = times[i] ?? 0;
    const before = times[i - 1];
    let broken: number | undefined;
    for (; b < breaks.length && (breaks[b] ?? Infinity) < time; b++) broken ??= breaks[b];
    if (broken === undefined && before !== undefined && time - before > hole) broken = before + 1;
    if (broken !== undefined) {
      outTimes.push(broken);
      outValues.push(NaN);
    }
    outTimes.push(time);
    outValues.push(values[i] ?? NaN);
  }
  const trailing = breaks[b];
  if (trailing !== undefined) {
    outTimes.push(trailing);
    outValues.push(NaN);
  }
  return { times: Float64Array.from(outTimes), values: Float64Array.from(outValues) };
}

/** Two samples that lie further apart are not joined: what was between them is not known. */
export function longestStep(times: Float64Array): number {
  return HOLE * Math.max(medianInterval(times, INTERVALS), NS_PER_SECOND);
}

/**
 * A counter's rate per second over steps of at least `step` ns: the rise between two samples over their distance.
 * After a restart the new value is what has risen. A step's rate stands at its end.
 * @param start of the window: the last sample before it ends a step, so that those inside are the same in a file that
 *   holds the window only
 */
export function rateLine(
  { times, values }: Pick<ScalarSamples, "times" | "values">,
  step: number,
  start = -Infinity,
): Line {
  const outTimes: number[] = [];
  const outValues: number[] = [];
  let from = 0;
  let rise = 0;
  for (let i = 1; i < times.length; i++) {
    const before = values[i - 1] ?? 0;
    const now = values[i] ?? 0;
    rise += now < before ? now : now - before;
    const time = times[i] ?? 0;
    const elapsed = time - (times[from] ?? 0);
    const isReference = time < start && (times[i + 1] ?? Infinity) >= start;
    if (elapsed <= 0 || (elapsed < step && i < times.length - 1 && !isReference)) continue;
    // A stretch that is cut short is drawn only when it is long enough to say something.
    if (elapsed >= step / 2) {
      outTimes.push(time);
      outValues.push(rise / (elapsed / NS_PER_SECOND));
    } else if (!isReference) continue;
    from = i;
    rise = 0;
  }
  return { times: Float64Array.from(outTimes), values: Float64Array.from(outValues) };
}

/** The part of a line inside [from, to], with one point on either side so that it runs to the edges. */
export function clip(line: Line, from: number | undefined, to: number | undefined): Line {
  let first = 0;
  let end = line.times.length;
  if (from !== undefined) while (first + 1 < end && (line.times[first + 1] ?? 0) <= from) first++;
  if (to !== undefined) while (end > first && (line.times[end - 2] ?? -Infinity) >= to) end--;
  return { times: line.times.subarray(first, end), values: line.values.subarray(first, end) };
}

/** The points of a line whose times lie in [from, to]. */
export function within(
  { times, values }: Line,
  { from = -Infinity, to = Infinity }: { readonly from?: number; readonly to?: number },
): Line {
  const { first, end } = windowIndices(times, from, to);
  return { times: times.subarray(first, end), values: values.subarray(first, end) };
}

/**
 * Mean of the values that are known; NaN where none is.
 * @param held each value holds for the time since the point before it, as a rate does
 */
export function averageOf({ times, values }: Line, held = false): number {
  let sum = 0;
  let weight = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? NaN;
    if (Number.isNaN(value)) continue;
    // Before the first point there was a step, too, most likely one like the next.
    const own = held && times.length > 1 ? (times[Math.max(1, i)] ?? 0) - (times[Math.max(1, i) - 1] ?? 0) : 1;
    sum += value * own;
    weight += own;
  }
  return weight > 0 ? sum / weight : NaN;
}

/**
 * Several lines taken together, at the times of the one with most points; between its own points each counts with the
 * straight line. A line that has not begun or has ended counts for nothing; NaN where one of those that go on is
 * broken.
 */
export function joinLines(lines: readonly Line[], how: "sum" | "mean"): Line {
  const [first] = lines;
  if (first === undefined) return { times: new Float64Array(0), values: new Float64Array(0) };
  const { times } = lines.reduce((most, line) => (line.times.length > most.times.length ? line : most), first);
  return { times, values: joinedAt(times, lines, how) };
}

/** Sums of lines divided by sums of others, at the times of the former; NaN where there is nothing to divide by. */
export function divideLines(above: readonly Line[], below: readonly Line[]): Line {
  const { times, values } = joinLines(above, "sum");
  const divisors = joinedAt(times, below, "sum");
  return { times, values: values.map((value, i) => ((divisors[i] ?? NaN) > 0 ? value / (divisors[i] ?? NaN) : NaN)) };
}

function joinedAt(times: Float64Array, lines: readonly Line[], how: "sum" | "mean"): Float64Array {
  const sums = new Float64Array(times.length);
  const counts = new Uint32Array(times.length);
  for (const line of lines) {
    let at = 0;
    times.forEach((time, i) => {
      if (time < (line.times[0] ?? Infinity) || time > (line.times.at(-1) ?? -Infinity)) return;
      while (at + 1 < line.times.length && (line.times[at + 1] ?? Infinity) <= time) at++;
      sums[i] = (sums[i] ?? 0) + valueAt(line, at, time);
      counts[i] = (counts[i] ?? 0) + 1;
    });
  }
  return sums.map((sum, i) => (counts[i] === 0 ? NaN : how === "sum" ? sum : sum / (counts[i] ?? 1)));
}

/** From the point at position `at`, which is not later than the time, to the next. */
function valueAt({ times, values }: Line, at: number, time: number): number {
  const [from, to] = [times[at] ?? NaN, times[at + 1] ?? NaN];
  const [low, high] = [values[at] ?? NaN, values[at + 1] ?? NaN];
  return from === time ? low : low + ((time - from) / (to - from)) * (high - low);
}
