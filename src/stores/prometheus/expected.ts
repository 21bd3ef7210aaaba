import { getOrInsert } from "../../core/math/index.js";
import { type Fields, isFields, isList, UserError } from "../../core/text/index.js";
import type { Parameters, PrometheusApi } from "./api.js";
import { seconds, type MsRange } from "./time.js";

/** Names that are asked for until each instance is counted; what remains is taken for average. */
const NAMES_ASKED = 4;

/**
 * How many samples series hold: of each instance the scrapes, by one of its families, times its series.
 * @param series labels of each
 * @returns undefined where the store would not count them at once
 * @throws UserError; the signal's reason
 */
export async function expectedSamples(
  api: PrometheusApi,
  series: readonly Fields[],
  { startMs, endMs }: MsRange,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const seriesOf = new Map<string, number>();
  const instancesOf = new Map<string, Set<string>>();
  for (const { __name__: name, instance } of series) {
    const key = typeof instance === "string" ? instance : "";
    seriesOf.set(key, (seriesOf.get(key) ?? 0) + 1);
    if (typeof name !== "string") continue;
    getOrInsert(instancesOf, name, () => new Set()).add(key);
  }
  const scrapes = new Map<string, number>();
  const names = [...instancesOf].sort(([, a], [, b]) => b.size - a.size);
  for (let asked = 0; asked < NAMES_ASKED && scrapes.size < seriesOf.size; asked++) {
    const [name] = names.find(([, instances]) => [...instances].some((instance) => !scrapes.has(instance))) ?? [];
    if (name === undefined) break;
    const parameters: Parameters = [
      ["query", `max by (instance) (count_over_time({__name__=${JSON.stringify(name)}}[${endMs - startMs + 1}ms]))`],
      ["time", seconds(endMs)],
    ];
    try {
      const data = await api.ask("/query", parameters, { signal });
      const counts = new Map(isFields(data) && isList(data["result"]) ? data["result"].flatMap(countOf) : []);
      for (const instance of instancesOf.get(name) ?? []) {
        const count = Math.max(scrapes.get(instance) ?? 0, counts.get(instance) ?? 0);
        scrapes.set(instance, count);
      }
    } catch (error) {
      if (error instanceof UserError && error.code === "too-much") return undefined;
      throw error;
    }
  }
  const average = [...scrapes.values()].reduce((sum, count) => sum + count, 0) / Math.max(1, scrapes.size);
  let samples = 0;
  for (const [instance, count] of seriesOf) samples += count * (scrapes.get(instance) ?? average);
  return Math.round(samples);
}

function countOf(item: unknown): readonly (readonly [string, number])[] {
  if (!isFields(item) || !isFields(item["metric"]) || !isList(item["value"])) return [];
  const { instance } = item["metric"];
  const count = Number(item["value"][1]);
  return Number.isFinite(count) ? [[typeof instance === "string" ? instance : "", count]] : [];
}
