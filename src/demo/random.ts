/** Uniform numbers in [0, 1). */
export type Random = () => number;

/**
 * A seeded stream of uniform numbers (mulberry32). `stream` gives independent ones of the same seed, so that one part
 * of a simulation may draw more or fewer numbers without changing what another sees.
 */
export function seededRandom(seed: number, stream: number): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A draw from the exponential distribution of this mean, by inversion. */
export function exponential(random: Random, mean: number): number {
  return -mean * Math.log(1 - random());
}

/** Log-normal by its median and the standard deviation of its logarithm. */
export function logNormal(random: Random, median: number, sigma: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return median * Math.exp(sigma * normal);
}
