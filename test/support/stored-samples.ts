import { formatLabels, type SeriesSamples } from "../../src/core/model/index.js";
import type { Run } from "../../src/core/store/index.js";

/** What a remote write adds to the labels of a series. */
const ADDED = new Set(["run_id", "label", "cluster", "job"]);

/** Each series' values by the millisecond they belong to, to the last bit. */
export function samplesOf({ store }: Run, prefix = ""): Map<string, Map<number, readonly number[]>> {
  const all = new Map<string, Map<number, readonly number[]>>();
  for (const { id, family, labels } of store.seriesKeys()) {
    if (!family.name.startsWith(prefix)) continue;
    const byMs = new Map<number, readonly number[]>();
    const ms = (offset: number) => Number((store.origin + BigInt(offset)) / 1_000_000n);
    for (const [time, values] of rowsOf(store.read(id))) byMs.set(ms(time), values);
    all.set(`${family.name}${formatLabels(labels.filter(([name]) => !ADDED.has(name)))}`, byMs);
  }
  return all;
}

function rowsOf(samples: SeriesSamples): (readonly [number, readonly number[]])[] {
  if (samples.kind === "scalar") return Array.from(samples.times, (time, i) => [time, [samples.values[i]!]] as const);
  return samples.segments.flatMap(({ times, sums, counts, buckets }) =>
    Array.from(times, (time, i) => [time, [sums[i]!, counts[i]!, ...buckets.map((b) => b[i]!)]] as const),
  );
}
