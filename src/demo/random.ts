import { SeededRandom } from "../core/math/index.js";

/** Uniform numbers in [0, 1). */
export type Random = () => number;

/**
 * A seeded stream of uniform numbers. `stream` gives independent ones of the same seed, so that one part
 * of a simulation may draw more or fewer numbers without changing what another sees.
 */
export function seededRandom(seed: number, stream: number): Random {
  const random = new SeededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b));
  return () => random.uniform();
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
