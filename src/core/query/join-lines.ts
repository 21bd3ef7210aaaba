import type { Line } from "./lines.js";

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
