import type { SeededRandom } from "../../math/index.js";
import { entryOf, type Density } from "./density.js";
import type { Units } from "./units.js";

/** Candidates for one of a pair, in turn on both scales where these differ. */
const TRIES = 4;
/** Largest ratio of a range's ends in which candidates lie evenly; in wider ones on both logarithmic scales. */
const EVEN = 4;
/** Whole numbers in a range that are all candidates. */
const ALL = 12;
/** Smaller whole numbers have chances of their own: their logarithms lie too far apart for a smooth density. */
const TIED = 64;
/** Rows beside one whose whole numbers are likely there too: numbers of requests under way change slowly. */
const NEAR = 1;
/**
 * Observations that each whole number of a bucket counts as beside those seen: in all (Laplace's rule of succession),
 * spread as the smooth density is; and about a row, spread as they are in all. A constant part for the density would
 * keep values likely that no interval needs.
 */
const IN_ALL = 1;
const ABOUT_ROW = 0.1;

/** How often small whole numbers are there: in all, and about each interval. */
export class Ties {
  private readonly all = new Float64Array(TIED);
  private readonly near: Float64Array;
  private readonly inAll: Float64Array;
  private readonly inNear: Float64Array;
  private readonly numbers: Float64Array;
  private readonly rows: number;

  constructor(private readonly units: Units) {
    this.rows = units.first.length - 1;
    this.near = new Float64Array(this.rows * TIED);
    this.inAll = new Float64Array(units.length);
    this.inNear = new Float64Array(units.length);
    this.numbers = units.upper.map((upper, j) => Math.min(TIED, upper - (units.lower[j] ?? 0) + 1));
    const { z, row, bucket, length, first } = units;
    const members = new Float64Array(64);
    for (let j = 0; j < length; j++) {
      members[bucket[j] ?? 0] = (members[bucket[j] ?? 0] ?? 0) + 1;
      this.move(row[j] ?? 0, z[j] ?? 0, 1);
    }
    for (let j = 0; j < length; j++) {
      this.inAll[j] = members[bucket[j] ?? 0] ?? 0;
      const r = row[j] ?? 0;
      let n = 0;
      for (let i = first[Math.max(0, r - NEAR)] ?? 0; i < (first[Math.min(this.rows, r + NEAR + 1)] ?? 0); i++)
        if (bucket[i] === bucket[j]) n++;
      this.inNear[j] = n;
    }
  }

  move(r: number, value: number, by: number): void {
    const v = Math.round(value - this.units.unit);
    if (v >= TIED) return;
    this.all[v] = (this.all[v] ?? 0) + by;
    for (let s = Math.max(0, r - NEAR); s <= Math.min(this.rows - 1, r + NEAR); s++)
      this.near[s * TIED + v] = (this.near[s * TIED + v] ?? 0) + by;
  }

  /** Chance of a value as one of a bucket's. @param smooth the density's expected number */
  chance(j: number, r: number, value: number, own: number, smooth: number): number {
    const v = Math.round(value - this.units.unit);
    const inAll = this.inAll[j] ?? 1;
    if (v >= TIED) return smooth / inAll;
    const numbers = this.numbers[j] ?? 1;
    const prior = IN_ALL * numbers;
    const overall = ((this.all[v] ?? 0) - own + (prior * smooth) / inAll) / (inAll - 1 + prior);
    const local = ABOUT_ROW * numbers;
    return ((this.near[r * TIED + v] ?? 0) - own + local * overall) / ((this.inNear[j] ?? 1) - 1 + local);
  }
}

/** Of one of the pair: what it is, and the candidates. */
const values = new Float64Array(ALL + 2);
const chances = new Float64Array(ALL + 2);

/** One sweep: pairs of a row are drawn again with their sum as it is. @param ties of whole numbers */
export function redraw(units: Units, density: Density, factors: Float64Array, random: SeededRandom, ties?: Ties): void {
  const { z, lower, upper, first, row, turns, weight } = units;
  const { chance, shift, base, least, most, scale } = density;
  for (let turn = 0; turn < turns.length; turn++) {
    const j = turns[turn] ?? 0;
    const r = row[j] ?? 0;
    const from = first[r] ?? 0;
    const o = (random.uniform() * ((first[r + 1] ?? 0) - from - 1)) | 0;
    const k = from + o + (from + o >= j ? 1 : 0);
    const factor = factors[r] ?? 1;
    const now = z[j] ?? 0;
    const partner = z[k] ?? 0;
    // What one loses the other gains, by the ratio of what they stand for.
    const ratio = (weight[j] ?? 1) / (weight[k] ?? 1);
    const whole = ratio * now + partner;
    const bottom = ties === undefined ? least / factor : 0;
    const top = ties === undefined ? most / factor : Infinity;
    const low = Math.max(lower[j] ?? 0, bottom, (whole - Math.min(upper[k] ?? 0, top)) / ratio);
    const high = Math.min(upper[j] ?? 0, top, (whole - Math.max(lower[k] ?? 0, bottom)) / ratio);
    if (!(high - low > 1e-9 * high)) continue;
    const before = random.uniform();
    let tried = TRIES;
    let begun = 0;
    values[0] = now;
    // Where candidates lie evenly, what proposes them has no say.
    let evenly = true;
    if (ties !== undefined) {
      const count = Math.round(high - low) + 1;
      if (count <= ALL) {
        tried = count;
        begun = 1;
        for (let t = 1; t <= tried; t++) values[t] = low + t - 1;
      } else for (let t = 1; t <= tried; t++) values[t] = low + Math.floor(((t - before) * count) / TRIES);
    } else {
      const otherLow = whole - ratio * high;
      const otherHigh = whole - ratio * low;
      if (high < EVEN * low && otherHigh < EVEN * otherLow) {
        const step = (high - low) / TRIES;
        for (let t = 1; t <= TRIES; t++) values[t] = low + (t - before) * step;
      } else {
        evenly = false;
        const reach = Math.log(high / low);
        const otherReach = Math.log(otherHigh / otherLow);
        for (let t = 0; t <= TRIES; t++) {
          const u = t === 0 ? 0 : random.uniform();
          const drawn = t % 2 === 1 ? low * Math.exp(u * reach) : (whole - otherLow * Math.exp(u * otherReach)) / ratio;
          // In a range this wide rounding may reach far beyond its lower end.
          const value = t === 0 ? now : Math.max(low, Math.min(high, drawn));
          values[t] = value;
          chances[t] = 1 / (value * reach) + ratio / ((whole - ratio * value) * otherReach);
        }
      }
    }
    let mass = 0;
    if (begun === 1) chances[0] = 0;
    for (let t = begun; t <= tried; t++) {
      const value = values[t] ?? 0;
      const other = whole - ratio * value;
      const one = (chance[entryOf(factor * value, shift, base)] ?? 0) / value;
      const two = (chance[entryOf(factor * other, shift, base)] ?? 0) / other;
      const both =
        ties === undefined
          ? one * two
          : ties.chance(j, r, value, Number(value === now) + Number(value === partner), scale * one) *
            ties.chance(k, r, other, Number(other === now) + Number(other === partner), scale * two);
      mass += chances[t] = evenly ? both : both / (chances[t] ?? 1);
    }
    // A pair that the density knows nothing of stays.
    if (!(mass > 0)) continue;
    let pick = random.uniform() * mass;
    let t = 0;
    while (t < tried && (pick -= chances[t] ?? 0) > 0) t++;
    if (t === 0) continue;
    const value = values[t] ?? 0;
    const other = whole - ratio * value;
    z[j] = value;
    z[k] = other;
    if (ties === undefined) continue;
    ties.move(r, now, -1);
    ties.move(r, partner, -1);
    ties.move(r, value, 1);
    ties.move(r, other, 1);
  }
}
