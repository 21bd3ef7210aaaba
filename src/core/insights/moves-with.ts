import { titledName } from "../catalog/index.js";
import { NS_PER_SECOND, type EpochNs, type RunStatistics } from "../model/index.js";
import { benjaminiHochberg, SeededRandom } from "../math/index.js";
import { byStart, pointsOfFamily, type SignalPoint } from "./signals.js";

/** A family that moves with the one that was asked about. */
export interface Mover {
  readonly family: string;
  readonly title: string;
  /** Of the differences between slices, at `lagSeconds`; −1 to 1. */
  readonly correlation: number;
  /** How much later it moves; below 0: earlier. */
  readonly lagSeconds: number;
  /** Of a correlation this strong at any lag where nothing moves together (block permutation). */
  readonly p: number;
  /** Corrected for the number of families (Benjamini & Hochberg 1995). */
  readonly q: number;
}

export interface MovesWith {
  readonly family: string;
  readonly title: string;
  /** Slices that were compared. */
  readonly slices: number;
  readonly tested: number;
  /** q at most 0.05, the strongest first. */
  readonly movers: readonly Mover[];
  /** Why there is no answer; absent where there is one. */
  readonly note?: string;
}

const MIN_SLICES = 20;
const PERMUTATIONS = 499;
const MAX_LAG = 5;
const MAX_Q = 0.05;
const WEAKEST = 0.3;

/**
 * What moves with a family: the largest correlation of differences between timeslices at lags of up to five slices.
 * Differences, because two levels that drift correlate without any connection; p from permuting blocks of the family's
 * differences, which keeps how its neighbours depend on each other. Nothing is said of causes.
 * @param within absent: the whole run
 * @throws RangeError when the run has no such family
 */
export function movesWith(
  run: RunStatistics,
  name: string,
  within?: { readonly startNs: EpochNs; readonly endNs: EpochNs },
): MovesWith {
  const target = run.families.find((family) => family.name === name);
  if (target === undefined) throw new RangeError(`the run has no family ${name}`);
  const inside = (points: readonly SignalPoint[]) =>
    within === undefined
      ? points
      : points.filter(({ startNs, endNs }) => startNs >= within.startNs && endNs <= within.endNs);
  const own = inside(pointsOfFamily(target));
  const { title } = titledName(name);
  const base = { family: name, title, slices: own.length, tested: 0, movers: [] };
  if (own.length < MIN_SLICES)
    return { ...base, note: `${own.length} timeslices are not enough: at least ${MIN_SLICES} are needed.` };
  const starts = own.map(({ startNs }) => startNs);
  const y = differences(own.map(({ value }) => value));
  if (isConstant(y)) return { ...base, note: `${title} does not change.` };
  const shuffled = permutations(y);
  const candidates = run.families.flatMap((family) => {
    if (family.name === name) return [];
    const values = byStart(inside(pointsOfFamily(family)));
    const aligned = starts.map((start) => values.get(start) ?? NaN);
    const x = differences(aligned);
    return x.filter(Number.isFinite).length < MIN_SLICES - 1 || isConstant(x) ? [] : [{ family, x }];
  });
  const seconds = Number((own[1]?.startNs ?? 0n) - (own[0]?.startNs ?? 0n)) / NS_PER_SECOND;
  const measured = candidates.map(({ family, x }) => {
    const { r, lag } = strongest(y, x);
    const beyond = shuffled.filter((other) => Math.abs(strongest(other, x).r) >= Math.abs(r)).length;
    return {
      family: family.name,
      title: titledName(family.name).title,
      correlation: r,
      lagSeconds: lag * seconds,
      p: (1 + beyond) / (1 + PERMUTATIONS),
    };
  });
  const q = benjaminiHochberg(Float64Array.from(measured, ({ p }) => p));
  return {
    ...base,
    tested: measured.length,
    movers: measured
      .map((one, i) => ({ ...one, q: q[i] ?? 1 }))
      .filter((one) => one.q <= MAX_Q && Math.abs(one.correlation) >= WEAKEST)
      .sort((a, b) => Math.abs(b.correlation) - Math.abs(a.correlation)),
  };
}

function differences(values: readonly number[]): Float64Array {
  return Float64Array.from(
    { length: Math.max(0, values.length - 1) },
    (_, i) => (values[i + 1] ?? NaN) - (values[i] ?? NaN),
  );
}

function isConstant(values: Float64Array): boolean {
  const known = values.filter(Number.isFinite);
  return known.every((value) => value === known[0]);
}

/** The largest correlation at any lag; x is later than y by `lag` slices. */
function strongest(y: Float64Array, x: Float64Array): { readonly r: number; readonly lag: number } {
  let best = { r: 0, lag: 0 };
  for (let lag = -MAX_LAG; lag <= MAX_LAG; lag++) {
    const r = correlationAt(y, x, lag);
    // Of equal ones the lag nearest to none.
    if (Math.abs(r) > Math.abs(best.r) + (Math.abs(lag) < Math.abs(best.lag) ? 0 : 1e-12)) best = { r, lag };
  }
  return best;
}

function correlationAt(y: Float64Array, x: Float64Array, lag: number): number {
  let [n, sx, sy, sxx, syy, sxy] = [0, 0, 0, 0, 0, 0];
  for (let i = Math.max(0, -lag); i < y.length && i + lag < x.length; i++) {
    const a = y[i] ?? NaN;
    const b = x[i + lag] ?? NaN;
    if (!Number.isFinite(a) || !Number.isFinite(b)) continue;
    n++;
    sx += b;
    sy += a;
    sxx += b * b;
    syy += a * a;
    sxy += a * b;
  }
  if (n < MIN_SLICES / 2) return 0;
  const cov = sxy - (sx * sy) / n;
  const vx = sxx - (sx * sx) / n;
  const vy = syy - (sy * sy) / n;
  return vx > 0 && vy > 0 ? cov / Math.sqrt(vx * vy) : 0;
}

/** Blocks of the series in random order, the same at each asking. Their length grows as the cube root of the number. */
function permutations(values: Float64Array): readonly Float64Array[] {
  const length = Math.max(2, Math.round(1.5 * Math.cbrt(values.length)));
  // From one seed: the same run gives the same answer.
  const random = new SeededRandom(0x9e3779b9);
  return Array.from({ length: PERMUTATIONS }, () => {
    // Where the first block begins is random, too, so that borders differ.
    const shift = Math.floor(random.uniform() * values.length);
    const turned = values.map((_, i) => values[(i + shift) % values.length] ?? NaN);
    const blocks = Array.from({ length: Math.ceil(values.length / length) }, (_, b) =>
      turned.subarray(b * length, (b + 1) * length),
    );
    const out = new Float64Array(values.length);
    let at = 0;
    for (const block of random.shuffled(blocks)) {
      out.set(block, at);
      at += block.length;
    }
    return out;
  });
}
