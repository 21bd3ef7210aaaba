import { displayName } from "../model/index.js";
import type { Source, SourceSeries } from "./source.js";
import type { AppliedRule, LabelMode, LabelRule } from "./types.js";

/** The pseudo-label of a series' endpoint. */
export const ENDPOINT = "endpoint_url";

/** Labels that merely identify: who exposes the series, not what it is about. */
export const DEFAULT_LABEL_RULES: readonly LabelRule[] = [
  ENDPOINT,
  "engine",
  "engine_index",
  "instance",
  "job",
  "host",
  "hostname",
  "Hostname",
  "port",
  "pod",
  "container",
  "namespace",
  "model_name",
  "model",
  "worker_id",
  "dynamo_namespace",
  "dynamo_endpoint_id",
  "pid",
  "UUID",
  "pci_bus_id",
  "modelName",
].map((label) => ({ label, mode: "auto" }));

/** How each label is treated in all runs. */
export interface Matching {
  readonly rules: readonly AppliedRule[];
  /** Identity of a series across runs: equal for those that are compared. */
  readonly keyOf: (run: number, series: SourceSeries) => string;
  readonly aggregates: (label: string) => boolean;
}

const ABSENT = "\u0000";

/** Settles the rules for these runs, the first of which is the reference that others are paired with. */
export function settleRules(runs: readonly Source[], chosen: readonly LabelRule[]): Matching {
  const rules = new Map([...DEFAULT_LABEL_RULES, ...chosen].map(({ label, mode }) => [label, mode]));
  const applied = new Map<
    string,
    { readonly rule: AppliedRule; readonly translate: readonly ReadonlyMap<string, string>[] }
  >();
  for (const [label, mode] of rules) {
    const values = runs.map(({ series }) => [...new Set(series.flatMap((one) => valueOf(one, label) ?? []))].sort());
    if (values.every((list) => list.length === 0)) continue;
    applied.set(label, settle(label, mode, values));
  }
  return {
    rules: [...applied.values()].map(({ rule }) => rule),
    aggregates: (label) => applied.get(label)?.rule.applied === "aggregate",
    keyOf: (run, series) => {
      const parts: (readonly [string, string])[] = [];
      for (const label of [ENDPOINT, ...series.labels.map(([name]) => name)]) {
        const found = applied.get(label);
        const value = valueOf(series, label) ?? ABSENT;
        if (found?.rule.applied === "aggregate" || (found === undefined && label === ENDPOINT)) continue;
        parts.push([label, found?.translate[run]?.get(value) ?? value]);
      }
      return JSON.stringify([series.canonical, series.family.type, parts]);
    },
  };
}

function valueOf(series: SourceSeries, label: string): string | undefined {
  return label === ENDPOINT ? series.endpointUrl : series.labels.find(([name]) => name === label)?.[1];
}

function settle(label: string, mode: LabelMode, values: readonly (readonly string[])[]) {
  const [reference = []] = values;
  const even = values.every((list) => list.length === reference.length);
  const applied = mode === "auto" ? (even ? "pair" : "aggregate") : mode;
  if (applied !== "pair") {
    const rule: AppliedRule = { label, mode, applied, values };
    return { rule, translate: values.map(() => new Map<string, string>()) };
  }
  const translate = values.map((list) => pairValues(reference, list));
  const inverse = translate.map((pairs) => new Map([...pairs].map(([own, base]) => [base, own])));
  const rule: AppliedRule = {
    label,
    mode,
    applied,
    values: inverse.map((pairs) => reference.map((value) => pairs.get(value) ?? "")),
  };
  return { rule, translate };
}

/**
 * Own value → the reference's: equal ones first, then endpoints at the same port and path, then in order. What is left
 * over keeps its own.
 */
function pairValues(reference: readonly string[], own: readonly string[]): Map<string, string> {
  const pairs = new Map<string, string>();
  const free = new Set(reference);
  const take = (value: string, other: string) => {
    pairs.set(value, other);
    free.delete(other);
  };
  for (const value of own) if (free.has(value)) take(value, value);
  for (const value of own) {
    if (pairs.has(value)) continue;
    const same = [...free].filter((other) => placeOf(other) !== "" && placeOf(other) === placeOf(value));
    const rivals = own.filter((other) => !pairs.has(other) && placeOf(other) === placeOf(value));
    const [only] = same;
    if (same.length === 1 && rivals.length === 1 && only !== undefined) take(value, only);
  }
  const left = [...free];
  for (const value of own) {
    const other = pairs.has(value) ? undefined : left.shift();
    if (other !== undefined) take(value, other);
  }
  return pairs;
}

/** Port and path of a URL or "host:port"; "" without. */
export function placeOf(value: string): string {
  return /:\d+.*$/.exec(displayName(value))?.[0] ?? "";
}
