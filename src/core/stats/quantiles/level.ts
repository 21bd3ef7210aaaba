import { numbersIn, type Scratch } from "../../store/memory.js";
import type { SeededRandom } from "../../math/index.js";
import type { Density } from "./density.js";
import type { Units } from "./units.js";

/** States of the level, and the distance between two, in its standard deviations. */
const STATES = 7;
const BETWEEN = 2 / Math.sqrt(STATES - 1);
const STATE = Float64Array.from({ length: STATES }, (_, k) => BETWEEN * (k - (STATES - 1) / 2));
/** Correlations of the levels of neighbouring intervals that are tried, and what each makes of states. */
const MOVES = [0.8, 0.95, 0.99, 0.998].map((correlation) => ({ correlation, onward: transitions(correlation) }));
/** Probabilities of the states by themselves: those of tosses of a coin. */
const INDEPENDENT = transitions(0);
const PRIOR = INDEPENDENT.subarray(0, STATES);
/** Spreads that are tried beside none, in that of the values. */
const SPREADS = [0.15, 0.4, 0.7];
/** Steps of each interval's level in a sweep, and their reach in its standard deviations, about. */
const STEPS = 2;
const REACH = 2;

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
 * the values likeliest, none at all included; a first path is drawn (forward filtering, backward sampling: Carter and
 * Kohn 1994; Frühwirth-Schnatter 1994), and then moved on by itself.
 */
export class Level {
  /** Factors of the intervals: values times these lie around one level. */
  readonly factor: Float64Array;
  /** Logarithms of the levels: of the factors, with the sign turned. */
  readonly logs: Float64Array;
  spread = 0;
  private move = { correlation: 0, onward: INDEPENDENT };
  private readonly likelihood: Float64Array;
  private readonly forward: Float64Array;
  private scale = 0;

  constructor(
    private readonly units: Units,
    scratch?: Scratch,
  ) {
    const rows = units.first.length - 1;
    this.factor = numbersIn(scratch, rows).fill(1);
    this.logs = numbersIn(scratch, rows).fill(0);
    this.likelihood = numbersIn(scratch, rows * STATES);
    this.forward = numbersIn(scratch, rows * STATES);
  }

  /** Chooses spread and correlation, and draws a path. @param deviation of the values' logarithms */
  begin(density: Density, deviation: number, random: SeededRandom): void {
    let best = this.weigh(density, 0);
    for (const spread of SPREADS.map((share) => share * deviation)) {
      this.weigh(density, spread);
      for (const move of MOVES) {
        const evidence = this.filter(move.onward);
        if (evidence <= best) continue;
        best = evidence;
        this.spread = spread;
        this.move = move;
      }
    }
    if (this.spread === 0) return;
    const { factor, logs, forward } = this;
    const { onward } = this.move;
    this.weigh(density, this.spread);
    this.filter(onward);
    const chances = new Float64Array(STATES);
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
  refine(density: Density, deviation: number, random: SeededRandom): void {
    const { factor, logs, spread } = this;
    const { first, z } = this.units;
    const { correlation } = this.move;
    const last = factor.length - 1;
    const fresh = spread * spread * (1 - correlation ** 2);
    for (let r = 0; r <= last; r++) {
      const from = first[r] ?? 0;
      const to = first[r + 1] ?? 0;
      const variance = r === 0 || r === last ? fresh : fresh / (1 + correlation ** 2);
      const beside = (logs[r - 1] ?? 0) + (logs[r + 1] ?? 0);
      const mean = (correlation * beside * variance) / fresh;
      const reach = REACH / Math.sqrt(1 / variance + (to - from) / (deviation * deviation));
      let now = logs[r] ?? 0;
      let here = -((now - mean) ** 2) / (2 * variance) + density.logOfAll(factor[r] ?? 1, z, from, to);
      for (let step = 0; step < STEPS; step++) {
        const next = now + reach * (2 * random.uniform() - 1);
        const lowered = Math.exp(-next);
        const there = -((next - mean) ** 2) / (2 * variance) + density.logOfAll(lowered, z, from, to);
        // Drawn in any case: where both are equal but for rounding, all later draws would be others.
        if (!(random.uniform() < Math.exp(there - here))) continue;
        now = next;
        here = there;
        factor[r] = lowered;
      }
      logs[r] = now;
    }
  }

  /** Likelihood of each interval in each state; returns that of all without a level's spread. */
  private weigh(density: Density, spread: number): number {
    const { likelihood } = this;
    const { first, z } = this.units;
    const states = spread === 0 ? 1 : STATES;
    for (let k = 0; k < states; k++) factors[k] = spread === 0 ? 1 : Math.exp(-spread * (STATE[k] ?? 0));
    this.scale = 0;
    for (let r = 0; r + 1 < first.length; r++) {
      const at = r * STATES;
      let best = -Infinity;
      for (let k = 0; k < states; k++) {
        const log = density.logOfAll(factors[k] ?? 1, z, first[r] ?? 0, first[r + 1] ?? 0);
        likelihood[at + k] = log;
        if (log > best) best = log;
      }
      for (let k = 0; k < states; k++) likelihood[at + k] = Math.exp((likelihood[at + k] ?? 0) - best);
      this.scale += best;
    }
    return this.scale;
  }

  /** Log-likelihood of all intervals; leaves each one's probabilities given those up to it. */
  private filter(onward: Float64Array): number {
    const { likelihood, forward, factor } = this;
    let log = this.scale;
    for (let r = 0; r < factor.length; r++) {
      const at = r * STATES;
      let mass = 0;
      for (let b = 0; b < STATES; b++) {
        let p = r === 0 ? (PRIOR[b] ?? 0) : 0;
        if (r > 0)
          for (let a = 0; a < STATES; a++) p += (forward[at - STATES + a] ?? 0) * (onward[a * STATES + b] ?? 0);
        mass += forward[at + b] = p * (likelihood[at + b] ?? 0);
      }
      for (let b = 0; b < STATES; b++) forward[at + b] = (forward[at + b] ?? 0) / mass;
      log += Math.log(mass);
    }
    return log;
  }
}
