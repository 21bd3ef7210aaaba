import { instanceOfUrl } from "./instance.js";
import { makeLabels, type Labels } from "./labels.js";
import type { RunMetadata } from "./run-metadata.js";

/** Labels that tell a run's samples from those of others in a store. */
export type OwnLabels = Readonly<Record<string, string>>;

/** How much of a run a store has got by remote write. */
export interface WrittenTo {
  /** As it may be shown. */
  readonly url: string;
  readonly labels: OwnLabels;
  /** The first so many, in the order in which they came. */
  readonly scrapes: number;
}

/** A label that a user may give to the series of a run. */
export function isOwnLabel(name: string): boolean {
  return /^[a-zA-Z_]\w*$/.test(name) && !name.startsWith("__") && name !== "le" && name !== "instance";
}

/** `run_id`, `label` where the run has one, and the user's own, which win. */
export function runLabels({ benchmarkId, label }: RunMetadata, own: OwnLabels = {}): OwnLabels {
  return { run_id: benchmarkId, ...(label === undefined ? {} : { label }), ...own };
}

/**
 * A series' labels in a store: `instance` stands for its endpoint. As Prometheus does it, a label of the server's that
 * goes by a name of ours becomes `exported_…`.
 */
export function storedLabels(labels: Labels, endpointUrl: string, own: OwnLabels): Labels {
  const ours: OwnLabels = { instance: instanceOfUrl(endpointUrl), ...own };
  const taken = new Set([...Object.keys(ours), ...labels.map(([name]) => name)]);
  const renamed = labels.map(([name, value]) => {
    if (!(name in ours)) return [name, value] as const;
    let free = `exported_${name}`;
    while (taken.has(free)) free = `exported_${free}`;
    return [free, value] as const;
  });
  return makeLabels([...renamed, ...Object.entries(ours)]);
}
