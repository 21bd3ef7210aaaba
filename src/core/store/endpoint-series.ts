import { labelKey, type Family, type LabelKey, type Labels } from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import type { EndpointAxis } from "./endpoint.js";
import type { Plan } from "./plan.js";
import type { StoredSeries } from "./series.js";

/** What tells the families of a store apart: a gauge and a counter may share a name. */
export function familyKey({ type, name }: Pick<Family, "type" | "name">): string {
  return `${type} ${name}`;
}

/** An endpoint's series over its time axis, and the plan by which its next scrape is appended. */
export class EndpointSeries {
  readonly series: StoredSeries[] = [];
  plan: Plan | undefined;
  /** By family, then by labels: a key of both would be one more string for each series. */
  private readonly byFamily = new Map<string, Map<LabelKey, StoredSeries>>();

  constructor(readonly axis: EndpointAxis) {}

  find(family: Pick<Family, "type" | "name">, labels: Labels): StoredSeries | undefined {
    return this.byFamily.get(familyKey(family))?.get(labelKey(labels));
  }

  add(series: StoredSeries): void {
    this.series.push(series);
    this.setKey(series);
  }

  /** Gives the series of a family another one. */
  retype({ name, type }: Family, retyped: Family): void {
    for (const series of this.series) {
      const { labels, family: before } = series.key;
      if (before.name !== name || before.type !== type) continue;
      this.byFamily.get(familyKey(before))?.delete(labelKey(labels));
      series.key = { ...series.key, family: retyped };
      this.setKey(series);
    }
  }

  private setKey(series: StoredSeries): void {
    const { family, labels } = series.key;
    const key = familyKey(family);
    const ofFamily = getOrInsert(this.byFamily, key, () => new Map<LabelKey, StoredSeries>());
    ofFamily.set(labelKey(labels), series);
  }
}
