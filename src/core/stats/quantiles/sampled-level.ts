import type { SeededRandom } from "./random.js";
import type { SampledDensity } from "./sampled-density.js";

/** States of the level, in its standard deviations. */
const STATES = 11;
const FURTHEST = 2.8;
const STATE = Float64Array.from({ length: STATES }, (_, k) => FURTHEST * ((2 * k) / (STATES - 1) - 1));
const PRIOR = STATE.map((u) => Math.exp(-0.5 * u * u));
const PRIOR_MASS = PRIOR.reduce((sum, p) => sum + p, 0);
/** Correlations tried between the levels of successive intervals. */
const MOVES = [0.8, 0.95, 0.99].map(transitions);
/** Spreads tried at first, in those of the values; afterwards in that of the last. */
const FIRST = [0.15, 0.4, 0.7];
const NEXT = [0.7, 1, 1.4];

/** Probabilities of a first-order autoregression between states (Tauchen 1986): `[from · STATES + to]`. */
function transitions(correlation: number): Float64Array {
  const all = new Float64Array(STATES * STATES);
  for (let a = 0; a < STATES; a++) {
    let mass = 0;
    for (let b = 0; b < STATES; b++) {
      const miss = (STATE[b] ?? 0) - correlation * (STATE[a] ?? 0);
      mass += all[a * STATES + b] = Math.exp((-0.5 * miss * miss) / (1 - correlation * correlation));
    }
    for (let b = 0; b < STATES; b++) all[a * STATES + b] = (all[a * STATES + b] ?? 0) / mass;
  }
  return all;
}

/**
 * The level that the observations of an interval share, as a hidden Markov chain: spread and correlation are what makes
 * the values likeliest, none at all included; the path is drawn (forward filtering, backward sampling: Carter and Kohn
 * 1994; Frühwirth-Schnatter 1994).
 */
export class SampledLevel {
  readonly path: Float64Array;
  spread = 0;
  private move = MOVES[0] ?? new Float64Array(0);
  private readonly likelihood: Float64Array;
  private readonly forward: Float64Array;
  private readonly chances = new Float64Array(STATES);
  private scale = 0;

  /** @param first index of each interval's first value, and their number */
  constructor(private readonly first: Int32Array) {
    this.path = new Float64Array(first.length - 1);
    this.likelihood = new Float64Array(this.path.length * STATES);
    this.forward = new Float64Array(this.path.length * STATES);
  }

  choose(values: Float64Array, density: SampledDensity): void {
    const spreads = this.spread > 0 ? NEXT.map((f) => f * this.spread) : FIRST.map((f) => f * deviation(values));
    this.spread = 0;
    let best = this.weigh(values, density, 0);
    for (const spread of spreads) {
      this.weigh(values, density, spread);
      for (const move of MOVES) {
        const evidence = this.filter(move);
        if (evidence <= best) continue;
        best = evidence;
        this.spread = spread;
        this.move = move;
      }
    }
  }

  draw(values: Float64Array, density: SampledDensity, random: SeededRandom): void {
    const { path, forward, chances, move } = this;
    if (this.spread === 0) {
      path.fill(0);
      return;
    }
    this.weigh(values, density, this.spread);
    this.filter(move);
    let next = -1;
    for (let r = path.length - 1; r >= 0; r--) {
      let mass = 0;
      for (let k = 0; k < STATES; k++)
        mass += chances[k] = (forward[r * STATES + k] ?? 0) * (next < 0 ? 1 : (move[k * STATES + next] ?? 0));
      let pick = random.uniform() * mass;
      let k = 0;
      while (k < STATES - 1 && (pick -= chances[k] ?? 0) > 0) k++;
      // Anywhere in the state's cell.
      path[r] = this.spread * ((STATE[k] ?? 0) + ((random.uniform() - 0.5) * 2 * FURTHEST) / (STATES - 1));
      next = k;
    }
  }

  /** Likelihood of each interval in each state; returns that of all without a level's spread. */
  private weigh(values: Float64Array, density: SampledDensity, spread: number): number {
    const { first, likelihood } = this;
    const states = spread === 0 ? 1 : STATES;
    this.scale = 0;
    for (let r = 0; r + 1 < first.length; r++) {
      let best = -Infinity;
      for (let k = 0; k < states; k++) {
        const level = spread === 0 ? 0 : spread * (STATE[k] ?? 0);
        let log = 0;
        for (let j = first[r] ?? 0; j < (first[r + 1] ?? 0); j++) log += density.logAt((values[j] ?? 0) - level);
        likelihood[r * STATES + k] = log;
        if (log > best) best = log;
      }
      this.scale += best;
      for (let k = 0; k < states; k++) likelihood[r * STATES + k] = Math.exp((likelihood[r * STATES + k] ?? 0) - best);
    }
    return this.scale;
  }

  /** Log-likelihood of all intervals; leaves each one's probabilities given those up to it. */
  private filter(move: Float64Array): number {
    const { likelihood, forward, path } = this;
    let log = this.scale;
    for (let r = 0; r < path.length; r++) {
      const at = r * STATES;
      let mass = 0;
      for (let b = 0; b < STATES; b++) {
        let p = 0;
        if (r === 0) p = (PRIOR[b] ?? 0) / PRIOR_MASS;
        else for (let a = 0; a < STATES; a++) p += (forward[at - STATES + a] ?? 0) * (move[a * STATES + b] ?? 0);
        mass += forward[at + b] = p * (likelihood[at + b] ?? 0);
      }
      log += Math.log(mass);
      for (let b = 0; b < STATES; b++) forward[at + b] = (forward[at + b] ?? 0) / mass;
    }
    return log;
  }
}

function deviation(values: Float64Array): number {
  let mean = 0;
  let squares = 0;
  for (const y of values) mean += y / values.length;
  for (const y of values) squares += (y - mean) ** 2 / values.length;
  return Math.sqrt(squares);
}
