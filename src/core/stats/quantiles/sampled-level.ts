import type { SeededRandom } from "./random.js";
import type { SampledDensity } from "./sampled-density.js";
import type { SampledUnits } from "./sampled-units.js";

/** States of the level, and the distance between two, in its standard deviations. */
const STATES = 7;
const BETWEEN = 2 / Math.sqrt(STATES - 1);
const STATE = Float64Array.from({ length: STATES }, (_, k) => BETWEEN * (k - (STATES - 1) / 2));
/** Correlations tried between the levels of successive intervals. */
const MOVES = [0.8, 0.95, 0.99].map(transitions);
/** Probabilities of the states by themselves: those of tosses of a coin. */
const PRIOR = transitions(0).subarray(0, STATES);
/** Spreads tried at first, in those of the values; afterwards in that of the last. */
const FIRST = [0.15, 0.4, 0.7];
const NEXT = [0.7, 1, 1.4];
/** Of so many values the product of densities is still a number. */
const MOST_MULTIPLIED = 20;

const factors = new Float64Array(STATES);

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
 * 1994; Frühwirth-Schnatter 1994).
 */
export class SampledLevel {
  /** Factors of the intervals: values times these lie around one level. */
  readonly factor: Float64Array;
  spread = 0;
  private move = MOVES[0] ?? new Float64Array(0);
  private readonly likelihood: Float64Array;
  private readonly forward: Float64Array;
  private readonly chances = new Float64Array(STATES);
  private scale = 0;

  constructor(private readonly units: SampledUnits) {
    const rows = units.first.length - 1;
    this.factor = new Float64Array(rows).fill(1);
    this.likelihood = new Float64Array(rows * STATES);
    this.forward = new Float64Array(rows * STATES);
  }

  /** @param deviation of the values' logarithms */
  choose(density: SampledDensity, deviation: number): void {
    const spreads = this.spread > 0 ? NEXT.map((f) => f * this.spread) : FIRST.map((f) => f * deviation);
    this.spread = 0;
    let best = this.weigh(density, 0);
    const consider = (spread: number, move: Float64Array) => {
      const evidence = this.filter(move);
      if (evidence <= best) return;
      best = evidence;
      this.spread = spread;
      this.move = move;
    };
    for (const spread of spreads) {
      this.weigh(density, spread);
      consider(spread, MOVES[1] ?? this.move);
    }
    if (this.spread === 0) return;
    this.weigh(density, this.spread);
    consider(this.spread, MOVES[0] ?? this.move);
    consider(this.spread, MOVES[2] ?? this.move);
  }

  draw(density: SampledDensity, random: SeededRandom): void {
    const { factor, forward, chances, move } = this;
    if (this.spread === 0) {
      factor.fill(1);
      return;
    }
    this.weigh(density, this.spread);
    this.filter(move);
    let next = -1;
    for (let r = factor.length - 1; r >= 0; r--) {
      let mass = 0;
      for (let k = 0; k < STATES; k++)
        mass += chances[k] = (forward[r * STATES + k] ?? 0) * (next < 0 ? 1 : (move[k * STATES + next] ?? 0));
      let pick = random.uniform() * mass;
      let k = 0;
      while (k < STATES - 1 && (pick -= chances[k] ?? 0) > 0) k++;
      // Anywhere in the state's cell.
      factor[r] = Math.exp(-this.spread * ((STATE[k] ?? 0) + (random.uniform() - 0.5) * BETWEEN));
      next = k;
    }
  }

  /** Likelihood of each interval in each state; returns that of all without a level's spread. */
  private weigh(density: SampledDensity, spread: number): number {
    const { likelihood } = this;
    const { first, z } = this.units;
    const states = spread === 0 ? 1 : STATES;
    for (let k = 0; k < states; k++) factors[k] = spread === 0 ? 1 : Math.exp(-spread * (STATE[k] ?? 0));
    this.scale = 0;
    for (let r = 0; r + 1 < first.length; r++) {
      const from = first[r] ?? 0;
      const to = first[r + 1] ?? 0;
      const product = to - from <= MOST_MULTIPLIED;
      let best = product ? 0 : -Infinity;
      for (let k = 0; k < states; k++) {
        const factor = factors[k] ?? 1;
        let all = product ? 1 : 0;
        if (product) for (let j = from; j < to; j++) all *= density.of(factor * (z[j] ?? 0));
        else for (let j = from; j < to; j++) all += density.logOf(factor * (z[j] ?? 0));
        likelihood[r * STATES + k] = all;
        if (all > best) best = all;
      }
      this.scale += product ? Math.log(best) : best;
      if (product)
        for (let k = 0; k < states; k++) likelihood[r * STATES + k] = (likelihood[r * STATES + k] ?? 0) / best;
      else
        for (let k = 0; k < states; k++)
          likelihood[r * STATES + k] = Math.exp((likelihood[r * STATES + k] ?? 0) - best);
    }
    return this.scale;
  }

  /** Log-likelihood of all intervals; leaves each one's probabilities given those up to it. */
  private filter(move: Float64Array): number {
    const { likelihood, forward, factor } = this;
    let log = this.scale;
    for (let r = 0; r < factor.length; r++) {
      const at = r * STATES;
      let mass = 0;
      for (let b = 0; b < STATES; b++) {
        let p = 0;
        if (r === 0) p = PRIOR[b] ?? 0;
        else for (let a = 0; a < STATES; a++) p += (forward[at - STATES + a] ?? 0) * (move[a * STATES + b] ?? 0);
        mass += forward[at + b] = p * (likelihood[at + b] ?? 0);
      }
      log += Math.log(mass);
      for (let b = 0; b < STATES; b++) forward[at + b] = (forward[at + b] ?? 0) / mass;
    }
    return log;
  }
}
