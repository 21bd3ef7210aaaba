import type { Run } from "../../src/core/store/index.js";
import type { Served } from "./servers.js";

/** The values of the counter that a run recorded of an endpoint, in order of time; failed scrapes left out. */
export function recordedValues(run: Run, url: string): readonly number[] {
  for (const key of run.store.seriesKeys()) {
    if (key.endpointUrl !== url || key.family.name !== "served") continue;
    const samples = run.store.read(key.id);
    if (samples.kind === "scalar") return Array.from(samples.values);
  }
  return [];
}

/**
 * What is wrong with the values recorded of answers: each has to be one that was served, and from the first on none may
 * be missing.
 * @returns undefined when nothing is
 */
export function differenceOf(recorded: readonly number[], served: readonly Served[]): string | undefined {
  const known = new Set(served.map(({ value }) => value));
  const invented = recorded.find((value) => !known.has(value));
  if (invented !== undefined) return `${invented} was recorded and never served`;
  const at = recorded.findIndex((value, i) => i > 0 && value !== (recorded[i - 1] ?? 0) + 1);
  return at < 0 ? undefined : `after ${recorded[at - 1]} comes ${recorded[at]}`;
}
