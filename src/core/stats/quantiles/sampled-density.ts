import { solveBanded } from "./cholesky.js";

const NODES = 64;
const ORDER = 3;
const BAND = ORDER + 1;
/** How far the nodes reach beyond the values, in units of their span. */
const BEYOND = 0.4;
/** Weight of the penalty on the density's own scale, whatever the nodes' distance. */
const ROUGHNESS = 5;
/** Newton's steps for the first values, and for each sweep's. */
const FIRST_ROUNDS = 12;
const ROUNDS = 2;
/** Third differences. */
const DIFFERENCES = [-1, 3, -3, 1];

/**
 * Density of sampled values on evenly spaced nodes around them: Poisson counts smoothed by a penalty on third
 * differences of the log-density (P-splines: Eilers and Marx 1996), which leaves a normal one as it is, however narrow.
 */
export class SampledDensity {
  private readonly logs = new Float64Array(NODES);
  private from = 0;
  private cell = 1;
  private readonly counts = new Float64Array(NODES);
  private readonly step = new Float64Array(NODES);
  private readonly matrix = new Float64Array(NODES * BAND);
  private readonly penalty = penaltyOf();
  private readonly theta = new Float64Array(NODES);
  private began = false;

  fit(values: Float64Array): void {
    this.count(values);
    const { counts, step, matrix, penalty, theta } = this;
    const lambda = ROUGHNESS / this.cell ** (2 * ORDER - 1);
    if (!this.began) theta.fill(Math.log(values.length / NODES));
    for (let round = 0; round < (this.began ? ROUNDS : FIRST_ROUNDS); round++) {
      for (let k = 0; k < NODES; k++) {
        const expected = Math.exp(theta[k] ?? 0);
        let pull = 0;
        for (let d = 0; d <= ORDER; d++) {
          pull += (penalty[k * BAND + d] ?? 0) * (theta[k - d] ?? 0);
          if (d > 0 && k + d < NODES) pull += (penalty[(k + d) * BAND + d] ?? 0) * (theta[k + d] ?? 0);
          matrix[k * BAND + d] = lambda * (penalty[k * BAND + d] ?? 0);
        }
        matrix[k * BAND] = (matrix[k * BAND] ?? 0) + expected + 1e-6;
        step[k] = (counts[k] ?? 0) - expected - lambda * pull;
      }
      solveBanded(matrix, step, ORDER);
      let largest = 0;
      for (const d of step) largest = Math.max(largest, Math.abs(d));
      const damp = Math.min(1, 1.5 / largest);
      for (let k = 0; k < NODES; k++) theta[k] = (theta[k] ?? 0) + damp * (step[k] ?? 0);
      if (largest < 0.01) break;
    }
    this.began = true;
    let highest = -Infinity;
    for (let k = 0; k < NODES; k++) highest = Math.max(highest, theta[k] ?? 0);
    for (let k = 0; k < NODES; k++) this.logs[k] = (theta[k] ?? 0) - highest;
  }

  /** Log-density relative to the largest, linear between nodes. */
  logAt(y: number): number {
    const place = (y - this.from) / this.cell;
    const k = place <= 0 ? 0 : place >= NODES - 2 ? NODES - 2 : Math.floor(place);
    const low = this.logs[k] ?? 0;
    return low + (place - k) * ((this.logs[k + 1] ?? 0) - low);
  }

  private count(values: Float64Array): void {
    const { counts } = this;
    let least = Infinity;
    let most = -Infinity;
    for (const y of values) {
      if (y < least) least = y;
      if (y > most) most = y;
    }
    const span = Math.max(most - least, 1e-7 * Math.abs(most), 1e-12);
    this.cell = ((1 + 2 * BEYOND) * span) / (NODES - 1);
    this.from = least - BEYOND * span;
    counts.fill(0);
    for (const y of values) {
      const place = (y - this.from) / this.cell;
      const k = Math.floor(place);
      counts[k] = (counts[k] ?? 0) + 1 - (place - k);
      counts[k + 1] = (counts[k + 1] ?? 0) + place - k;
    }
  }
}

/** Lower band of the squared third differences. */
function penaltyOf(): Float64Array {
  const penalty = new Float64Array(NODES * BAND);
  for (let k = 0; k + ORDER < NODES; k++) {
    for (let a = 0; a <= ORDER; a++) {
      for (let b = 0; b <= a; b++) {
        const at = (k + a) * BAND + a - b;
        penalty[at] = (penalty[at] ?? 0) + (DIFFERENCES[a] ?? 0) * (DIFFERENCES[b] ?? 0);
      }
    }
  }
  return penalty;
}
