import type { SeededRandom } from "./random.js";
import { entryOf, type SampledDensity } from "./sampled-density.js";
import type { SampledUnits } from "./sampled-units.js";
import { oneIf } from "./without-branches.js";

/** Candidates for one of a pair, in turn on both scales where these differ. */
const TRIES = 4;
/** Largest ratio of a range's ends in which candidates lie evenly; in wider ones on both logarithmic scales. */
const EVEN = 4;

/** Of one of the pair: what it is, and the candidates. */
const values = new Float64Array(TRIES + 1);
const chances = new Float64Array(TRIES + 1);
/** Two of which one is picked: ends of a range, and what the other one of the pair is. */
const lows = new Float64Array(2);
const highs = new Float64Array(2);
const others = new Float64Array(2);

/** One sweep: pairs of a row are drawn again with their sum as it is. */
export function redraw(
  units: SampledUnits,
  density: SampledDensity,
  factors: Float64Array,
  random: SeededRandom,
): void {
  const { z, lower, upper, first, row, turns } = units;
  const { chance, shift, base, least, most } = density;
  for (let turn = 0; turn < turns.length; turn++) {
    const j = turns[turn] ?? 0;
    const r = row[j] ?? 0;
    const from = first[r] ?? 0;
    const o = (random.uniform() * ((first[r + 1] ?? 0) - from - 1)) | 0;
    const k = from + o + oneIf(from + o >= j);
    const factor = factors[r] ?? 1;
    const now = z[j] ?? 0;
    const whole = now + (z[k] ?? 0);
    const bottom = least / factor;
    const top = most / factor;
    // Which of two ends is nearer is random.
    const ownLow = Math.max(lower[j] ?? 0, bottom);
    const leftLow = whole - Math.min(upper[k] ?? 0, top);
    lows[0] = ownLow;
    lows[1] = leftLow;
    const low = lows[oneIf(leftLow > ownLow)] ?? 0;
    const ownHigh = Math.min(upper[j] ?? 0, top);
    const leftHigh = whole - Math.max(lower[k] ?? 0, bottom);
    highs[0] = ownHigh;
    highs[1] = leftHigh;
    const high = highs[oneIf(leftHigh < ownHigh)] ?? 0;
    if (!(high - low > 1e-9 * high)) continue;
    const otherLow = whole - high;
    const otherHigh = whole - low;
    const even = high < EVEN * low && otherHigh < EVEN * otherLow;
    const before = random.uniform();
    values[0] = now;
    // Density of both, from their logarithms' scale to their own, over that of the proposal. One that rounding puts
    // beyond the table has none.
    let mass =
      (chance[entryOf(factor * now, shift, base)] ?? 0) * (chance[entryOf(factor * (whole - now), shift, base)] ?? 0);
    if (even) {
      const step = (high - low) / TRIES;
      mass /= now * (whole - now);
      chances[0] = mass;
      // Written out: as a loop this took a tenth of a draw's time.
      const value1 = low + (1 - before) * step;
      const value2 = low + (2 - before) * step;
      const value3 = low + (3 - before) * step;
      const value4 = low + (4 - before) * step;
      const other1 = whole - value1;
      const other2 = whole - value2;
      const other3 = whole - value3;
      const other4 = whole - value4;
      const both1 =
        (chance[entryOf(factor * value1, shift, base)] ?? 0) * (chance[entryOf(factor * other1, shift, base)] ?? 0);
      const both2 =
        (chance[entryOf(factor * value2, shift, base)] ?? 0) * (chance[entryOf(factor * other2, shift, base)] ?? 0);
      const both3 =
        (chance[entryOf(factor * value3, shift, base)] ?? 0) * (chance[entryOf(factor * other3, shift, base)] ?? 0);
      const both4 =
        (chance[entryOf(factor * value4, shift, base)] ?? 0) * (chance[entryOf(factor * other4, shift, base)] ?? 0);
      values[1] = value1;
      values[2] = value2;
      values[3] = value3;
      values[4] = value4;
      mass += chances[1] = both1 / (value1 * other1);
      mass += chances[2] = both2 / (value2 * other2);
      mass += chances[3] = both3 / (value3 * other3);
      mass += chances[4] = both4 / (value4 * other4);
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
        const both =
          (chance[entryOf(factor * value, shift, base)] ?? 0) * (chance[entryOf(factor * other, shift, base)] ?? 0);
        values[t] = value;
        mass += chances[t] = both / (other / reach + value / otherReach);
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
