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
      let mass = 0;
      let t = 0;
      const even = high < EVEN * low && otherHigh < EVEN * otherLow;
      const reach = even ? high - low : Math.log(high / low);
      const otherReach = even ? reach : Math.log(otherHigh / otherLow);
      const shift = random.uniform();
      for (t = 0; t <= TRIES; t++) {
        let value = now;
        if (t > 0 && even) value = low + ((t - shift) / TRIES) * reach;
        else if (t > 0) {
          const u = random.uniform();
          value = t % 2 === 1 ? low * Math.exp(u * reach) : whole - otherLow * Math.exp(u * otherReach);
        }
        values[t] = value;
        const other = whole - value;
        // Density of both, from their logarithms' scale to their own, over that of the proposal.
        const proposed = even ? value * other : other / reach + value / otherReach;
        mass += chances[t] = (density.of(factor * value) * density.of(factor * other)) / proposed;
      }
      let pick = random.uniform() * mass;
      t = 0;
      while (t < TRIES && (pick -= chances[t] ?? 0) > 0) t++;
      if (t === 0) continue;
      z[j] = Math.max(low, Math.min(high, values[t] ?? 0));
      z[k] = whole - (z[j] ?? 0);
    }
  }
}
