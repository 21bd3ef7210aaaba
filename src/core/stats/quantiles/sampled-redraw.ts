import type { SeededRandom } from "./random.js";
import type { SampledDensity } from "./sampled-density.js";
import type { SampledUnits } from "./sampled-units.js";
import { oneIf } from "./without-branches.js";

/** Candidates for one of a pair, in turn on both scales where these differ. */
const TRIES = 4;
/** Largest ratio of a range's ends in which candidates lie evenly; in wider ones on both logarithmic scales. */
const EVEN = 4;

/** Of one of the pair: what it is, and the candidates. */
const values = new Float64Array(TRIES + 1);
const chances = new Float64Array(TRIES + 1);
/** What the other one is, and what goes with the candidate. */
const others = new Float64Array(2);

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
      const o = (random.uniform() * (size - 1)) | 0;
      const j = from + i;
      const k = from + o + oneIf(o >= i);
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
      let mass = density.inside(factor * now) * density.inside(factor * (whole - now));
      if (even) {
        const step = high - low;
        mass /= now * (whole - now);
        chances[0] = mass;
        for (let t = 1; t <= TRIES; t++) {
          const value = low + ((t - shift) / TRIES) * step;
          const other = whole - value;
          values[t] = value;
          mass += chances[t] = (density.inside(factor * value) * density.inside(factor * other)) / (value * other);
        }
      } else {
        const reach = Math.log(high / low);
        const otherReach = Math.log(otherHigh / otherLow);
        mass /= (whole - now) / reach + now / otherReach;
        chances[0] = mass;
        for (let t = 1; t <= TRIES; t++) {
          const u = random.uniform();
          const drawn = t % 2 === 1 ? low * Math.exp(u * reach) : whole - otherLow * Math.exp(u * otherReach);
          // In a range this wide rounding may reach far beyond its lower end.
          const value = Math.max(low, Math.min(high, drawn));
          const other = whole - value;
          values[t] = value;
          mass += chances[t] =
            (density.inside(factor * value) * density.inside(factor * other)) / (other / reach + value / otherReach);
        }
      }
      const after0 = random.uniform() * mass - (chances[0] ?? 0);
      const after1 = after0 - (chances[1] ?? 0);
      const after2 = after1 - (chances[2] ?? 0);
      const after3 = after2 - (chances[3] ?? 0);
      const moved = oneIf(after0 > 0);
      const value = values[moved + oneIf(after1 > 0) + oneIf(after2 > 0) + oneIf(after3 > 0)] ?? 0;
      others[0] = z[k] ?? 0;
      others[1] = whole - value;
      z[j] = value;
      z[k] = others[moved] ?? 0;
    }
  }
}
