import { mean, median } from "../math/index.js";
import { twoSidedP } from "./student.js";

/** Values that stand out from those around them. */
export interface Outlier {
  /** Positions: from the first to the last of neighbours that stand out together. */
  readonly from: number;
  readonly to: number;
  /** The value that is furthest from its neighbours' median. */
  readonly value: number;
  /** That median. */
  readonly usual: number;
}

/** Values on either side that one is compared with, and the fewest: a trend has no middle at its ends. */
const REACH = 10;
const FEWEST = 5;
/** A normal distribution's standard deviation, in median absolute deviations and in mean absolute ones. */
const PER_MEDIAN = 1.4826;
const PER_MEAN = Math.sqrt(Math.PI / 2);
/** What a median absolute deviation is worth in degrees of freedom of a standard deviation. */
const EFFICIENCY = 0.37;
/** Shares of the usual value below which a distance is what rounding leaves, as of rates between scrapes. */
const ROUNDING = 1e-9;
/** What more of the values do than this is the series' nature. */
const MOST = 0.05;

/**
 * Hampel's filter: values that are further from the median of their neighbours than the median absolute deviation
 * allows (Hampel 1974; Pearson 2002). The deviation is that of the neighbours or of the whole series, whichever is
 * larger; where most values are equal and it is 0, the mean absolute deviation (Iglewicz & Hoaglin 1993). A value
 * counts when chance gives one this far with probability `significant` in a series of this length.
 * @param values without NaN
 */
export function outliersOf(values: readonly number[], significant: number): readonly Outlier[] {
  const n = values.length;
  if (n < 2 * REACH) return [];
  const medians = values.map((_, i) => median(values.slice(Math.max(0, i - REACH), i + REACH + 1)));
  const distances = values.map((value, i) => value - (medians[i] ?? 0));
  const sizes = distances.map(Math.abs);
  const overall = PER_MEDIAN * median(sizes) || PER_MEAN * mean(sizes);
  const found: Outlier[] = [];
  let marked = 0;
  distances.forEach((distance, i) => {
    const own = PER_MEDIAN * median(sizes.slice(Math.max(0, i - REACH), i + REACH + 1));
    const scale = Math.max(own, overall);
    const isInside = i >= FEWEST && i < n - FEWEST;
    const isRounding = Math.abs(distance) <= ROUNDING * Math.abs(medians[i] ?? 0);
    if (!isInside || isRounding || !(scale > 0) || twoSidedP(distance / scale, EFFICIENCY * n) * n >= significant)
      return;
    marked++;
    const [value, usual] = [values[i] ?? NaN, medians[i] ?? NaN];
    const last = found.at(-1);
    if (last?.to !== i - 1 || last.value > last.usual !== value > usual) {
      found.push({ from: i, to: i, value, usual });
      return;
    }
    const further = Math.abs(distance) > Math.abs(last.value - last.usual);
    found[found.length - 1] = { ...last, to: i, ...(further ? { value, usual } : {}) };
  });
  return marked > MOST * n ? [] : found;
}
