import { normal, seeded, type Random } from "./histogram-simulation.js";

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

/** Of 300 AR(1) processes, the share for which something holds. */
export function shareOfProcesses(
  {
    seed,
    length = 120,
    correlation,
  }: { readonly seed: number; readonly length?: number; readonly correlation: number },
  holds: (values: readonly number[], random: Random) => boolean,
): number {
  const random = seeded(seed);
  let held = 0;
  for (let i = 0; i < PROCESSES; i++) if (holds(autoregressive(random, length, correlation), random)) held++;
  return held / PROCESSES;
}

const PROCESSES = 300;
