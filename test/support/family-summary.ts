import type { FamilySummary } from "../../src/protocol/index.js";

/** A gauge of one series, as far as a test does not say otherwise. */
export function familySummary(name: string, more: Partial<FamilySummary> = {}): FamilySummary {
  return {
    name,
    displayName: name,
    type: "gauge",
    description: "",
    group: "Other",
    seriesCount: 1,
    isInfo: false,
    isKey: false,
    direction: "neutral",
    ...more,
  };
}
