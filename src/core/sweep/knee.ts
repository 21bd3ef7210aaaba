/** How a knee is found, for reports. */
export const KNEE_METHOD =
  "Kneedle (Satopää, Albrecht, Irwin & Raghavan 2011, sensitivity 1): the load above which latency grows faster than throughput";

/** Fewer points do not show a bend. */
export const MIN_KNEE_POINTS = 4;
const SENSITIVITY = 1;

/**
 * Index of the knee of throughput over latency, by Kneedle: both are scaled to 0…1, and the knee is where their
 * difference is largest, if it falls below that by the mean step of latency afterwards. Points without smoothing: a
 * sweep has few.
 * @param points in the order of their load
 * @returns undefined for fewer than four points, or where the curve does not bend
 */
export function kneeOf(
  points: readonly { readonly throughput: number; readonly latency: number }[],
): number | undefined {
  const sorted = points.map((point, index) => ({ ...point, index })).sort((a, b) => a.latency - b.latency);
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined || sorted.length < MIN_KNEE_POINTS) return undefined;
  const least = Math.min(...sorted.map(({ throughput }) => throughput));
  const span = Math.max(...sorted.map(({ throughput }) => throughput)) - least;
  const width = last.latency - first.latency;
  if (!(span > 0) || !(width > 0)) return undefined;
  const differences = sorted.map(
    ({ throughput, latency }) => (throughput - least) / span - (latency - first.latency) / width,
  );
  const step = 1 / (sorted.length - 1);
  const highest = differences.reduce((best, value, i) => (value > (differences[best] ?? -Infinity) ? i : best), 0);
  const peak = differences[highest] ?? 0;
  const falls = differences.slice(highest + 1).some((value) => value < peak - SENSITIVITY * step);
  return peak > 0 && falls ? sorted[highest]?.index : undefined;
}

/** Which points no other one beats in throughput without more latency. */
export function paretoFront(
  points: readonly { readonly throughput: number; readonly latency: number }[],
): readonly boolean[] {
  return points.map(
    (point) =>
      !points.some(
        (other) =>
          other.throughput >= point.throughput &&
          other.latency <= point.latency &&
          (other.throughput > point.throughput || other.latency < point.latency),
      ),
  );
}
