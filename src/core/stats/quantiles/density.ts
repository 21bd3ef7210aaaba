import { integersIn, numbersIn, type Scratch } from "../../store/memory.js";

const NODES = 48;
const ORDER = 3;
const DIFFERENCES = [-1, 3, -3, 1];
/** How far the nodes reach beyond the values, in units of their span. */
const BEYOND = 0.4;
/** Share of that reach that values leave free, or the nodes are laid anew. */
const LEFT = 0.3;
/** Span of the values, in that of when the nodes were laid, below which they are laid anew. */
const SHRUNK = 0.6;
/**
 * Weight of the penalty on the density's own scale, whatever the nodes' distance: at first, and the least. What lies
 * between is chosen by the evidence, in steps by so much.
 */
const ROUGHNESS = 5;
const LEAST_ROUGHNESS = 5e-6;
const LADDER = 10;
/** More would leave nothing of the counts in floating point, and narrow values would drift apart by each sweep. */
const MAX_PENALTY = 1e10;
/** Newton's steps at most on new nodes, and for each sweep's values on the same. */
const FIRST_ROUNDS = 12;
const ROUNDS = 2;
/** Largest part of a step, before it is damped, after which no other is made. */
const CONVERGED = 0.1;
/** Logarithm of an expected number below which a node says nothing: steps there only lead further down. */
const NOTHING = -7;
/** Entries of the table between two nodes, at least; its finest entries, in powers of two of the value. */
const FINENESS = 1.5;
const FINEST = 20;
/** Of the largest density: what is rarer is as rare. */
const MIN_CHANCE = 1e-12;
const MIN_LOG = Math.log(MIN_CHANCE);

const NO_CELLS = new Float64Array(0);
const NO_NODES = new Int32Array(0);

/** Where numbers are taken apart: the upper half holds sign, exponent and the first bits of the mantissa. */
const number = new Float64Array(1);
const halves = new Int32Array(number.buffer);
number[0] = -1;
const UPPER = (halves[1] ?? 0) < 0 ? 1 : 0;

/**
 * Entry of a density's table that a value falls into; there may be none. Loops take the density's `shift` and `base` as
 * variables of their own, which V8 would read from it again each time.
 */
export function entryOf(z: number, shift: number, base: number): number {
  number[0] = z;
  return ((halves[UPPER] ?? 0) >> shift) - base;
}

/**
 * Density of sampled values on the logarithmic scale, on evenly spaced nodes around them: Poisson counts smoothed by a
 * penalty on third differences of the log-density (P-splines: Eilers and Marx 1996), which leaves a normal one as it
 * is, however narrow.
 *
 * It is read too often to take a logarithm each time. The exponent and the first bits of the mantissa of a value, a
 * scale that is linear between powers of two, point into a table instead.
 */
export class Density {
  /** Density of a value's logarithm by the table's entries, up to a factor, and its own logarithm. */
  chance: Float64Array = NO_CELLS;
  private logs: Float64Array = NO_CELLS;
  /** Values that have a density. */
  least = 0;
  most = 0;
  /** What leads from a value to its entry: `entryOf`. */
  shift = 0;
  base = 0;
  /** Of `chance`, by which it becomes the expected number of units by the logarithm of their value. */
  scale = 0;
  private from = 0;
  private cell = 1;
  private span = 0;
  private began = false;
  /** The node below each entry of the table, and how far it lies beyond that, in cells. */
  private node: Int32Array = NO_NODES;
  private beyond: Float64Array = NO_CELLS;
  private readonly counts: Float64Array;
  private readonly theta: Float64Array;
  private readonly other: Float64Array;
  private lambda = 0;
  private roughness = ROUGHNESS;
  private told = 1;
  /** The roughness penalty's matrix for these nodes: from 4·k the diagonal, then what stands to its left. */
  private readonly penalty: Float64Array;

  constructor(private readonly scratch?: Scratch) {
    this.counts = numbersIn(scratch, NODES);
    this.theta = numbersIn(scratch, NODES);
    this.other = numbersIn(scratch, NODES);
    this.penalty = numbersIn(scratch, 4 * NODES);
  }

  /**
   * @param y logarithms of the values
   * @param weight of each, which `share` makes 1 on average
   */
  fit(y: Float64Array, weight: Float64Array, share: number): void {
    const laid = this.layNodes(y);
    this.count(y, weight, share);
    const { counts, theta, penalty } = this;
    // What laying the nodes anew made up beyond the values must be gone before values are drawn there.
    const rounds = laid ? FIRST_ROUNDS : ROUNDS;
    if (!this.began) theta.fill(Math.log(y.length / NODES));
    this.began = true;
    for (let round = 0; round < rounds; round++) if (stepDensity(theta, counts, this.lambda, penalty)) break;
    this.fillTable();
  }

  /**
   * Moves the penalty by a step to what makes the values counted likeliest, if any does.
   * @param told part of the values' number that is known of them: they are drawn from the density themselves, and as if
   * all were seen, any roughness would confirm itself
   */
  smooth(told: number): void {
    const { theta, penalty } = this;
    const counts = this.counts.map((count) => count * told);
    const start = theta.map((log) => log + Math.log(told));
    let best = -Infinity;
    let kept = start;
    const now = this.roughness;
    for (const factor of [1, 1 / LADDER, LADDER]) {
      if (factor > 1 && this.roughness < now) break;
      const roughness = Math.max(LEAST_ROUGHNESS, Math.min(ROUGHNESS, factor * now));
      if (factor !== 1 && roughness === now) continue;
      const lambda = this.lambdaOf(roughness);
      fillPenalty(penalty, lambda);
      theta.set(start);
      for (let round = 0; round < FIRST_ROUNDS; round++) if (stepDensity(theta, counts, lambda, penalty)) break;
      const evidence = evidenceOf(theta, counts, lambda);
      if (evidence <= best) continue;
      best = evidence;
      this.roughness = roughness;
      kept = Float64Array.from(theta);
    }
    theta.set(kept.map((log) => log - Math.log(told)));
    this.told = told;
    this.lambda = this.lambdaOf(this.roughness) / told;
    fillPenalty(penalty, this.lambda);
    this.fillTable();
  }

  private lambdaOf(roughness: number): number {
    return Math.min(MAX_PENALTY, roughness / this.cell ** (2 * ORDER - 1));
  }

  /** Sum of the logarithms of the densities at factor · z[from … to−1]; beyond the table those of its ends. */
  logOfAll(factor: number, z: Float64Array, from: number, to: number): number {
    const { logs, shift, base } = this;
    const last = logs.length - 1;
    let sum = 0;
    for (let j = from; j < to; j++) {
      const at = entryOf(factor * (z[j] ?? 0), shift, base);
      sum += logs[at < 0 ? 0 : at > last ? last : at] ?? 0;
    }
    return sum;
  }

  /** @returns whether they were laid anew */
  private layNodes(y: Float64Array): boolean {
    let least = Infinity;
    let most = -Infinity;
    for (let j = 0; j < y.length; j++) {
      const value = y[j] ?? 0;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    const span = Math.max(most - least, 1e-7 * Math.abs(most), 1e-12);
    const top = this.from + (NODES - 1) * this.cell;
    const room = LEFT * BEYOND * this.span;
    if (this.began && least >= this.from + room && most <= top - room && span >= SHRUNK * this.span) return false;
    const cell = ((1 + 2 * BEYOND) * span) / (NODES - 1);
    const from = least - BEYOND * span;
    const { theta, other } = this;
    if (this.began) {
      for (let k = 0; k < NODES; k++) {
        const at = (from + k * cell - this.from) / this.cell;
        const m = at <= 0 ? 0 : at >= NODES - 2 ? NODES - 2 : Math.floor(at);
        const low = theta[m] ?? 0;
        other[k] = low + (at - m) * ((theta[m + 1] ?? 0) - low) + Math.log(cell / this.cell);
      }
      theta.set(other);
    }
    [this.span, this.from, this.cell] = [span, from, cell];
    this.lambda = this.lambdaOf(this.roughness) / this.told;
    fillPenalty(this.penalty, this.lambda);
    this.layTable();
    return true;
  }

  private layTable(): void {
    const { from, cell } = this;
    this.least = Math.exp(from);
    this.most = Math.exp(from + (NODES - 1) * cell);
    this.shift = Math.max(0, 20 - Math.min(FINEST, Math.ceil(Math.log2(FINENESS / cell))));
    if (this.shift > 20) this.shift = 20;
    this.base = entryOf(this.least, this.shift, 0);
    const entries = entryOf(this.most, this.shift, this.base) + 1;
    this.node = integersIn(this.scratch, entries);
    this.beyond = numbersIn(this.scratch, entries);
    this.chance = numbersIn(this.scratch, entries);
    this.logs = numbersIn(this.scratch, entries);
    const half = this.shift === 0 ? 0 : 1 << (this.shift - 1);
    for (let i = 0; i < entries; i++) {
      halves[UPPER] = ((this.base + i) << this.shift) + half;
      halves[1 - UPPER] = 0;
      const y = Math.log(number[0] ?? 1);
      const at = Math.max(0, Math.min(NODES - 1, (y - from) / cell));
      const k = Math.min(NODES - 2, Math.floor(at));
      this.node[i] = k;
      this.beyond[i] = at - k;
    }
  }

  private fillTable(): void {
    const { node, beyond, chance, logs, theta } = this;
    let highest = -Infinity;
    for (let k = 0; k < NODES; k++) highest = Math.max(highest, theta[k] ?? 0);
    this.scale = Math.exp(highest) / this.cell;
    for (let i = 0; i < chance.length; i++) {
      const k = node[i] ?? 0;
      const low = theta[k] ?? 0;
      const log = low + (beyond[i] ?? 0) * ((theta[k + 1] ?? 0) - low) - highest;
      logs[i] = log;
      chance[i] = log < MIN_LOG ? MIN_CHANCE : Math.exp(log);
    }
  }

  private count(y: Float64Array, weight: Float64Array, share: number): void {
    const { counts, from, cell } = this;
    counts.fill(0);
    for (let j = 0; j < y.length; j++) {
      const place = ((y[j] ?? 0) - from) / cell;
      const k = Math.floor(place);
      const own = share * (weight[j] ?? 0);
      counts[k] = (counts[k] ?? 0) + own * (1 - (place - k));
      counts[k + 1] = (counts[k + 1] ?? 0) + own * (place - k);
    }
  }
}

/** Rows before the first, so that none is a special one. */
const PAD = ORDER;
/** Diagonal of the last step's factors. */
const pivots = new Float64Array(NODES + PAD).fill(1);
const gradient = new Float64Array(NODES + PAD);
/** Row k from 4·(PAD + k): the diagonal, then what stands one, two and three to its left; as many rows beyond. */
const factor = new Float64Array(4 * (NODES + 2 * PAD));

function pivotOf(row: number): number {
  return pivots[row] ?? 1;
}

/** Lower band of λ · D'D, D the third differences. */
function fillPenalty(penalty: Float64Array, lambda: number): void {
  penalty.fill(0);
  for (let k = 0; k + ORDER < NODES; k++)
    for (let a = 0; a <= ORDER; a++)
      for (let b = 0; b <= a; b++) {
        const at = 4 * (k + a) + a - b;
        penalty[at] = (penalty[at] ?? 0) + lambda * (DIFFERENCES[a] ?? 0) * (DIFFERENCES[b] ?? 0);
      }
}

/**
 * Evidence for a roughness by Laplace's approximation: what the values say, less what the penalty takes, and how far
 * both leave the log-density open, by the last step's factors.
 */
function evidenceOf(theta: Float64Array, counts: Float64Array, lambda: number): number {
  let evidence = ((NODES - ORDER) / 2) * Math.log(lambda);
  for (let k = 0; k < NODES; k++) {
    evidence += (counts[k] ?? 0) * (theta[k] ?? 0) - Math.exp(theta[k] ?? 0);
    evidence -= Math.log(pivotOf(PAD + k)) / 2;
    if (k + ORDER >= NODES) continue;
    const bend = (theta[k + 3] ?? 0) - (theta[k] ?? 0) + 3 * ((theta[k + 1] ?? 0) - (theta[k + 2] ?? 0));
    evidence -= (lambda / 2) * bend * bend;
  }
  return evidence;
}

/**
 * One damped Newton step of log-expectations θ towards the largest Σ counts·θ − exp(θ) − λ/2·(third differences of θ)².
 *
 * @param penalty that of `lambda`, from `fillPenalty`
 *
 * @returns whether it has arrived: nodes that say nothing do not count
 */
function stepDensity(theta: Float64Array, counts: Float64Array, lambda: number, penalty: Float64Array): boolean {
  factor.fill(0, 0, 4 * PAD);
  factor.set(penalty, 4 * PAD);
  for (let k = 0; k < NODES; k++) {
    const expected = Math.exp(theta[k] ?? 0);
    gradient[PAD + k] = (counts[k] ?? 0) - expected;
    factor[4 * (PAD + k)] = (penalty[4 * k] ?? 0) + expected + 1e-6;
  }
  // Written out, as this is done twice a sweep: the coefficients are those of DIFFERENCES.
  const threefold = 3 * lambda;
  for (let k = 0; k + ORDER < NODES; k++) {
    const bend = (theta[k + 3] ?? 0) - (theta[k] ?? 0) + 3 * ((theta[k + 1] ?? 0) - (theta[k + 2] ?? 0));
    const at = PAD + k;
    gradient[at] = (gradient[at] ?? 0) + lambda * bend;
    gradient[at + 1] = (gradient[at + 1] ?? 0) - threefold * bend;
    gradient[at + 2] = (gradient[at + 2] ?? 0) + threefold * bend;
    gradient[at + 3] = (gradient[at + 3] ?? 0) - lambda * bend;
  }
  // Cholesky's factors without roots: L · D · L', in place.
  for (let row = PAD; row < NODES + PAD; row++) {
    const at = 4 * row;
    let pivot = factor[at] ?? 0;
    let own = gradient[row] ?? 0;
    for (let left = ORDER; left > 0; left--) {
      // Times the pivot of its column, until that is divided by.
      let entry = factor[at + left] ?? 0;
      for (let further = ORDER; further > left; further--)
        entry -=
          (factor[at + further] ?? 0) * (factor[4 * (row - left) + further - left] ?? 0) * pivotOf(row - further);
      const share = entry / pivotOf(row - left);
      factor[at + left] = share;
      pivot -= share * entry;
      own -= share * (gradient[row - left] ?? 0);
    }
    pivots[row] = Math.max(pivot, 1e-12);
    gradient[row] = own;
  }
  let largest = 0;
  for (let row = NODES + PAD - 1; row >= PAD; row--) {
    let step = (gradient[row] ?? 0) / pivotOf(row);
    for (let right = 1; right <= ORDER; right++)
      step -= (factor[4 * (row + right) + right] ?? 0) * (row + right < NODES + PAD ? (gradient[row + right] ?? 0) : 0);
    gradient[row] = step;
    const log = theta[row - PAD] ?? 0;
    if (log > NOTHING || log + step > NOTHING) largest = Math.max(largest, Math.abs(step));
  }
  const damp = Math.min(1, 1.5 / largest);
  for (let k = 0; k < NODES; k++) theta[k] = (theta[k] ?? 0) + damp * (gradient[PAD + k] ?? 0);
  return largest < CONVERGED;
}
