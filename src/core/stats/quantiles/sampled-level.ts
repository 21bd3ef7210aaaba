import { numbersIn, type Scratch } from "../../store/scratch.js";
import type { SeededRandom } from "./random.js";
import { entryOf, type SampledDensity } from "./sampled-density.js";
import type { SampledUnits } from "./sampled-units.js";

/** States of the level, and the distance between two, in its standard deviations. */
const STATES = 7;
const BETWEEN = 2 / Math.sqrt(STATES - 1);
const STATE = Float64Array.from({ length: STATES }, (_, k) => BETWEEN * (k - (STATES - 1) / 2));
/** How the level goes on from one interval to the next: the correlation of the two, and what that makes of states. */
interface Move {
  readonly correlation: number;
  readonly chances: Float64Array;
}

const MOVE: Move = move(0.95);
const OTHER_MOVES: readonly Move[] = [0.8, 0.99, 0.998].map(move);
/** Probabilities of the states by themselves: those of tosses of a coin. */
const PRIOR = transitions(0).subarray(0, STATES);
/** Spreads tried at first, in those of the values; afterwards in that of the last. */
const FIRST = [0.15, 0.4, 0.7];
const NEXT = [0.7, 1, 1.4];
/** Steps of each interval's level in a sweep, and their reach in its standard deviations, about. */
const STEPS = 2;
const REACH = 2;
/** Of so many values the product of densities is still a number. */
const MAX_MULTIPLIED = 20;

/** Products of masses, none above 1, whose logarithm is taken before they vanish. */
const MIN_PRODUCT = 1e-200;

const factors = new Float64Array(STATES);

function move(correlation: number): Move {
  return { correlation, chances: transitions(correlation) };
}

/**
 * Probabilities of a first-order autoregression between states (Rouwenhorst 1995), exact however close its correlation
 * is to 1: `[from · STATES + to]`.
 */
function transitions(correlation: number): Float64Array {
  const stay = (1 + correlation) / 2;
  let all = Float64Array.of(1);
  for (let n = 2; n <= STATES; n++) {
    const next = new Float64Array(n * n);
    for (let a = 0; a < n - 1; a++) {
      for (let b = 0; b < n - 1; b++) {
        const p = all[a * (n - 1) + b] ?? 0;
        const add = (i: number, j: number, share: number) => (next[i * n + j] = (next[i * n + j] ?? 0) + share * p);
        add(a, b, stay);
        add(a, b + 1, 1 - stay);
        add(a + 1, b, 1 - stay);
        add(a + 1, b + 1, stay);
      }
    }
    // Inner rows were added to twice.
    for (let i = n; i < n * (n - 1); i++) next[i] = (next[i] ?? 0) / 2;
    all = next;
  }
  return all;
}

/**
 * The level that the observations of an interval share, as a hidden Markov chain: spread and correlation are what makes
 * the values likeliest, none at all included; the path is drawn (forward filtering, backward sampling: Carter and Kohn
 * 1994; Frühwirth-Schnatter 1994), and then moved on by itself.
 */
export class SampledLevel {
  /** Factors of the intervals: values times these lie around one level. */
  readonly factor: Float64Array;
  /** Logarithms of the levels: of the factors, with the sign turned. */
  readonly logs: Float64Array;
  spread = 0;
  private move = MOVE;
  private readonly likelihood: Float64Array;
  private readonly forward: Float64Array;
  private readonly chances = new Float64Array(STATES);
  private scale = 0;
  /** Are the likelihoods those of the density as it is, at the spread chosen? */
  private weighed = false;

  constructor(
    private readonly units: SampledUnits,
    scratch?: Scratch,
  ) {
    const rows = units.first.length - 1;
    this.factor = numbersIn(scratch, rows).fill(1);
    this.logs = numbersIn(scratch, rows).fill(0);
    this.likelihood = numbersIn(scratch, rows * STATES);
    this.forward = numbersIn(scratch, rows * STATES);
  }

  /** @param deviation of the values' logarithms */
  choose(density: SampledDensity, deviation: number): void {
    const spreads = this.spread > 0 ? NEXT.map((f) => f * this.spread) : FIRST.map((f) => f * deviation);
    this.spread = 0;
    let best = this.weigh(density, 0);
    const consider = (spread: number, tried: Move) => {
      const evidence = this.filter(tried.chances);
      if (evidence <= best) return;
      best = evidence;
      this.spread = spread;
      this.move = tried;
    };
    for (const spread of spreads) {
      this.weigh(density, spread);
      consider(spread, MOVE);
    }
    if (this.spread === 0) return;
    this.weigh(density, this.spread);
    for (const other of OTHER_MOVES) consider(this.spread, other);
    this.weighed = true;
  }

  draw(density: SampledDensity, random: SeededRandom): void {
    const { factor, logs, forward, chances } = this;
    const onward = this.move.chances;
    if (this.spread === 0) {
      factor.fill(1);
      logs.fill(0);
      return;
    }
    if (!this.weighed) this.weigh(density, this.spread);
    this.weighed = false;
    this.filter(onward);
    let next = -1;
    for (let r = factor.length - 1; r >= 0; r--) {
      let mass = 0;
      for (let k = 0; k < STATES; k++)
        mass += chances[k] = (forward[r * STATES + k] ?? 0) * (next < 0 ? 1 : (onward[k * STATES + next] ?? 0));
      let pick = random.uniform() * mass;
      let k = 0;
      while (k < STATES - 1 && (pick -= chances[k] ?? 0) > 0) k++;
      // Anywhere in the state's cell.
      const log = (logs[r] = this.spread * ((STATE[k] ?? 0) + (random.uniform() - 0.5) * BETWEEN));
      factor[r] = Math.exp(-log);
      next = k;
    }
  }

  /**
   * Moves the level of each interval from where it is, given those beside it and the values (random-walk Metropolis):
   * states are too far apart where a queue moves the level by far more than values differ within an interval.
   *
   * @param deviation of the values' logarithms about the level
   */
  refine(density: SampledDensity, deviation: number, random: SeededRandom): void {
    const { factor, logs, spread } = this;
    if (spread === 0) return;
    const { first, z } = this.units;
    const { correlation } = this.move;
    const last = factor.length - 1;
    const fresh = spread * spread * (1 - correlation * correlation);
    const between = 1 + correlation * correlation;
    for (let r = 0; r <= last; r++) {
      const from = first[r] ?? 0;
      const to = first[r + 1] ?? 0;
      const variance = r === 0 || r === last ? fresh : fresh / between;
      const beside = (logs[r - 1] ?? 0) + (logs[r + 1] ?? 0);
      const mean = (correlation * beside * variance) / fresh;
      const reach = REACH / Math.sqrt(1 / variance + (to - from) / (deviation * deviation));
      let now = logs[r] ?? 0;
      let here = -((now - mean) ** 2) / (2 * variance) + density.logOfAll(factor[r] ?? 1, z, from, to);
      for (let step = 0; step < STEPS; step++) {
        const next = now + reach * (2 * random.uniform() - 1);
        const lowered = Math.exp(-next);
        const there = -((next - mean) ** 2) / (2 * variance) + density.logOfAll(lowered, z, from, to);
        if (there < here && !(random.uniform() < Math.exp(there - here))) continue;
        now = next;
        here = there;
        factor[r] = lowered;
      }
      logs[r] = now;
    }
  }

  /** Likelihood of each interval in each state; returns that of all without a level's spread. */
  private weigh(density: SampledDensity, spread: number): number {
    const { likelihood } = this;
    const { first, z } = this.units;
    const { chance, shift, base } = density;
    const states = spread === 0 ? 1 : STATES;
    for (let k = 0; k < states; k++) factors[k] = spread === 0 ? 1 : Math.exp(-spread * (STATE[k] ?? 0));
    // Written out, as `filter` is: products of all states in variables take a fifth less time than loops over states.
    const f0 = factors[0] ?? 1;
    const f1 = factors[1] ?? 1;
    const f2 = factors[2] ?? 1;
    const f3 = factors[3] ?? 1;
    const f4 = factors[4] ?? 1;
    const f5 = factors[5] ?? 1;
    const f6 = factors[6] ?? 1;
    this.scale = 0;
    // Likelihoods since the last logarithm.
    let largest = 1;
    for (let r = 0; r + 1 < first.length; r++) {
      const from = first[r] ?? 0;
      const to = first[r + 1] ?? 0;
      const at = r * STATES;
      if (to - from > MAX_MULTIPLIED) {
        this.scale += this.weighMany(density, r, states);
        continue;
      }
      let p0 = 1;
      let p1 = 1;
      let p2 = 1;
      let p3 = 1;
      let p4 = 1;
      let p5 = 1;
      let p6 = 1;
      for (let j = from; j < to; j++) {
        const value = z[j] ?? 0;
        p0 *= chanceAt(chance, shift, base, f0 * value);
        // Without a spread all states are alike.
        if (states === 1) continue;
        p1 *= chanceAt(chance, shift, base, f1 * value);
        p2 *= chanceAt(chance, shift, base, f2 * value);
        p3 *= chanceAt(chance, shift, base, f3 * value);
        p4 *= chanceAt(chance, shift, base, f4 * value);
        p5 *= chanceAt(chance, shift, base, f5 * value);
        p6 *= chanceAt(chance, shift, base, f6 * value);
      }
      likelihood[at] = p0;
      likelihood[at + 1] = p1;
      likelihood[at + 2] = p2;
      likelihood[at + 3] = p3;
      likelihood[at + 4] = p4;
      likelihood[at + 5] = p5;
      likelihood[at + 6] = p6;
      let best = 0;
      for (let k = 0; k < states; k++) best = Math.max(best, likelihood[at + k] ?? 0);
      const share = 1 / best;
      for (let k = 0; k < states; k++) likelihood[at + k] = (likelihood[at + k] ?? 0) * share;
      if (largest * best < MIN_PRODUCT) {
        this.scale += Math.log(largest);
        largest = 1;
      }
      largest *= best;
    }
    this.scale += Math.log(largest);
    return this.scale;
  }

  /** Of one interval whose product of densities is no number any more; returns the largest one's logarithm. */
  private weighMany(density: SampledDensity, r: number, states: number): number {
    const { likelihood } = this;
    const { first, z } = this.units;
    const at = r * STATES;
    let best = -Infinity;
    for (let k = 0; k < states; k++) {
      const log = density.logOfAll(factors[k] ?? 1, z, first[r] ?? 0, first[r + 1] ?? 0);
      likelihood[at + k] = log;
      if (log > best) best = log;
    }
    for (let k = 0; k < states; k++) likelihood[at + k] = Math.exp((likelihood[at + k] ?? 0) - best);
    return best;
  }

  /** Log-likelihood of all intervals; leaves each one's probabilities given those up to it. */
  private filter(onward: Float64Array): number {
    const { likelihood, forward, factor } = this;
    let log = this.scale;
    // Masses since the last logarithm.
    let masses = 1;
    for (let r = 0; r < factor.length; r++) {
      const at = r * STATES;
      let mass = 0;
      if (r === 0) {
        for (let b = 0; b < STATES; b++) mass += forward[b] = (PRIOR[b] ?? 0) * (likelihood[b] ?? 0);
      } else {
        // Written out: this is what choosing the level costs most.
        const f0 = forward[at - 7] ?? 0;
        const f1 = forward[at - 6] ?? 0;
        const f2 = forward[at - 5] ?? 0;
        const f3 = forward[at - 4] ?? 0;
        const f4 = forward[at - 3] ?? 0;
        const f5 = forward[at - 2] ?? 0;
        const f6 = forward[at - 1] ?? 0;
        for (let b = 0; b < STATES; b++) {
          const p =
            f0 * (onward[b] ?? 0) +
            f1 * (onward[7 + b] ?? 0) +
            f2 * (onward[14 + b] ?? 0) +
            f3 * (onward[21 + b] ?? 0) +
            f4 * (onward[28 + b] ?? 0) +
            f5 * (onward[35 + b] ?? 0) +
            f6 * (onward[42 + b] ?? 0);
          mass += forward[at + b] = p * (likelihood[at + b] ?? 0);
        }
      }
      const share = 1 / mass;
      for (let b = 0; b < STATES; b++) forward[at + b] = (forward[at + b] ?? 0) * share;
      masses *= mass;
      if (masses > MIN_PRODUCT) continue;
      log += Math.log(masses);
      masses = 1;
    }
    return log + Math.log(masses);
  }
}

/** Density of a value's logarithm by a table; beyond it that of its end. */
function chanceAt(chance: Float64Array, shift: number, base: number, z: number): number {
  const last = chance.length - 1;
  const entry = entryOf(z, shift, base);
  return chance[entry < 0 ? 0 : entry > last ? last : entry] ?? 0;
}
