import type { Run } from "../../src/core/store/index.js";
import type { Served } from "./servers.js";

/** What a run recorded of one endpoint, in order: values of its counter, and scrapes that timed out. */
export interface Recorded {
  /** NaN for a scrape that timed out: its answer may have been on its way. */
  readonly values: readonly number[];
}

/** By endpoint. */
export function recordedOf(run: Run): ReadonlyMap<string, Recorded> {
  const found = new Map<string, { values: number[] }>();
  for (const { endpointUrl, outcome } of run.store.scrapesInOrder()) {
    let recorded = found.get(endpointUrl);
    if (recorded === undefined) found.set(endpointUrl, (recorded = { values: [] }));
    if (outcome.kind === "failed" && outcome.error.type === "timeout") recorded.values.push(NaN);
    if (outcome.kind !== "samples") continue;
    const { defs, ids, values, length } = outcome.batch;
    for (let i = 0; i < length; i++)
      if (defs[ids[i] ?? 0]?.family.name === "served") recorded.values.push(values[i] ?? NaN);
  }
  return found;
}

/**
 * What is wrong with what was recorded of answers: each value has to be one that was served, and from the first on none
 * may be missing but those whose scrapes timed out.
 * @returns undefined when nothing is
 */
export function differenceOf({ values }: Recorded, served: readonly Served[]): string | undefined {
  const known = new Set(served.map(({ value }) => value));
  let last: number | undefined;
  let timedOut = 0;
  for (const value of values) {
    if (Number.isNaN(value)) {
      timedOut++;
      continue;
    }
    if (!known.has(value)) return `${value} was recorded and never served`;
    if (last !== undefined && (value <= last || value > last + 1 + timedOut))
      return `after ${last} comes ${value}, with ${timedOut} scrapes between that timed out`;
    last = value;
    timedOut = 0;
  }
  return undefined;
}
