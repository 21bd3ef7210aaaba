/*
 * Student's t for any positive, also fractional, degrees of freedom: its tail by the regularised incomplete beta
 * function (continued fraction of Lentz; DLMF 8.17.22), its quantile by bisection on that.
 */

/** Standard errors from the middle of a normal variable's 90 % interval to its ends. */
export const ENDS_OF_90 = 1.645;

const LANCZOS = [
  76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
  -0.000005395239384953,
];

/** ln Γ(x) for x > 0 (Lanczos 1964); relative error below 2e-10. */
function logGamma(x: number): number {
  const t = x + 5.5 - (x + 0.5) * Math.log(x + 5.5);
  let series = 1.000000000190015;
  LANCZOS.forEach((c, i) => (series += c / (x + i + 1)));
  return -t + Math.log((2.5066282746310005 * series) / x);
}

function betaFraction(a: number, b: number, x: number): number {
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1));
  let h = d;
  for (let m = 1; m < 500; m++) {
    const even = (m * (b - m) * x) / ((a - 1 + 2 * m) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 1 + 2 * m));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-13) break;
  }
  return h;
}

/** Regularised: the probability of a beta-distributed value below x. */
export function incompleteBeta(a: number, b: number, x: number): number {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(a, b, x)) / a : 1 - (front * betaFraction(b, a, 1 - x)) / b;
}

/** Probability that |t| is at least this large; 0 for an infinite t, NaN for none. @param df degrees of freedom, > 0 */
export function twoSidedP(t: number, df: number): number {
  if (Number.isNaN(t)) return NaN;
  return incompleteBeta(df / 2, 0.5, df / (df + t * t));
}

/** The chance of a t above this one. */
export function oneSidedP(t: number, df: number): number {
  return t > 0 ? twoSidedP(t, df) / 2 : 1 - twoSidedP(t, df) / 2;
}

const quantiles = new Map<string, number>();

/** The t that |t| exceeds with probability 1 − `confidence`; df is taken to a tenth, down. */
export function criticalT(confidence: number, df: number): number {
  const rounded = Math.max(0.1, Math.floor(df * 10) / 10);
  const key = `${confidence} ${rounded}`;
  let found = quantiles.get(key);
  if (found === undefined) {
    let low = 0;
    let high = 1;
    while (twoSidedP(high, rounded) > 1 - confidence) high *= 2;
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (twoSidedP(middle, rounded) > 1 - confidence) low = middle;
      else high = middle;
    }
    if (quantiles.size > 5000) quantiles.clear();
    quantiles.set(key, (found = high));
  }
  return found;
}
