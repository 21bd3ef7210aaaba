import type { Store } from "../../store/index.js";

/** Of families that were taken for counters by their name alone, those that fall become gauges. @returns their names */
export function settleGuesses(store: Store, names: Iterable<string>): readonly string[] {
  const guessed = new Set(names);
  const fallen: string[] = [];
  if (guessed.size === 0) return fallen;
  for (const { id, family } of store.seriesKeys()) {
    if (!guessed.has(family.name) || family.type !== "counter") continue;
    const samples = store.read(id);
    if (samples.kind !== "scalar" || !falls(samples.values)) continue;
    store.retype(family.name, "counter", "gauge");
    guessed.delete(family.name);
    fallen.push(family.name);
  }
  return fallen;
}

function falls(values: Float64Array): boolean {
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) < (values[i - 1] ?? 0)) return true;
  return false;
}
