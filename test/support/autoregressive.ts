import { normal, type Random } from "./histogram-simulation.js";

/** An AR(1) process of mean 0 and variance 1: each value is `correlation` of the one before, and noise. */
export function autoregressive(random: Random, length: number, correlation: number): number[] {
  const values: number[] = [];
  let value = normal(random);
  for (let i = 0; i < length; i++) {
    values.push(value);
    value = correlation * value + Math.sqrt(1 - correlation ** 2) * normal(random);
  }
  return values;
}
