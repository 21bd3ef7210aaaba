import type { SeededRandom } from "./random.js";
import type { SampledDensity } from "./sampled-density.js";
import type { SampledUnits } from "./sampled-units.js";

/** Candidates for one of a pair, in turn on both scales where these differ. */
const TRIES = 4;
/** Largest ratio of a range's ends in which candidates lie evenly; in wider ones on both logarithmic scales. */
const EVEN = 4;

const values = new Float64Array(TRIES + 1);
const chances = new Float64Array(TRIES + 1);

/** One sweep: pairs of a row are drawn again with their sum as it is. */
export function redraw(
  units: SampledUnits,
  density: SampledDensity,
  factors: Float64Array,
  random: SeededRandom,
): void {
  const { z, lower, upper, first } = units;
  for (let r = 0; r + 1 < first.length; r++) {
    const from = first[r] ?? 0;
    const size = (first[r + 1] ?? 0) - from;
    if (size < 2) continue;
    const factor = factors[r] ?? 1;
    const least = density.least / factor;
    const most = density.most / factor;
    for (let i = 0; i < (size === 2 ? 1 : size); i++) {
      let o = Math.floor(random.uniform() * (size - 1));
      if (o >= i) o++;
      const j = from + i;
      const k = from + o;
      const now = z[j] ?? 0;
      const whole = now + (z[k] ?? 0);
      const low = Math.max(lower[j] ?? 0, least, whole - Math.min(upper[k] ?? 0, most));
      const high = Math.min(upper[j] ?? 0, most, whole - Math.max(lower[k] ?? 0, least));
      if (!(high - low > 1e-9 * high)) continue;
      const otherLow = whole - high;
      const otherHigh = whole - low;
      const even = high < EVEN * low && otherHigh < EVEN * otherLow;
      const shift = random.uniform();
      values[0] = now;
      // Density of both, from their logarithms' scale to their own, over that of the proposal.
      let mass = density.of(factor * now) * density.of(factor * (whole - now));
      if (even) {
        const step = high - low;
        mass /= now * (whole - now);
        chances[0] = mass;
        for (let t = 1; t <= TRIES; t++) {
          const value = low + ((t - shift) / TRIES) * step;
          const other = whole - value;
          values[t] = value;
          mass += chances[t] = (density.of(factor * value) * density.of(factor * other)) / (value * other);
        }
      } else {
        const reach = Math.log(high / low);
        const otherReach = Math.log(otherHigh / otherLow);
        mass /= (whole - now) / reach + now / otherReach;
        chances[0] = mass;
        for (let t = 1; t <= TRIES; t++) {
          const u = random.uniform();
          const value = t % 2 === 1 ? low * Math.exp(u * reach) : whole - otherLow * Math.exp(u * otherReach);
          const other = whole - value;
          values[t] = value;
          mass += chances[t] =
            (density.of(factor * value) * density.of(factor * other)) / (other / reach + value / otherReach);
        }
      }
      let pick = random.uniform() * mass;
      let t = 0;
      while (t < TRIES && (pick -= chances[t] ?? 0) > 0) t++;
      if (t === 0) continue;
      z[j] = Math.max(low, Math.min(high, values[t] ?? 0));
      z[k] = whole - (z[j] ?? 0);
    }
  }
}
