import { displayName, labelValue, type Labels } from "../../model/index.js";
import type { MeasuredRun, SourceSeries } from "../source.js";
import { identifyingLabels, matchedLabels, profileOf, ROLE, type LabelProfile } from "./target-labels.js";
import type { AppliedRule, LabelMode, LabelRule } from "../types.js";

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
  /** Those that a series is matched by, under the names that all runs share. */
  readonly labelsOf: (series: SourceSeries) => Labels;
  /**
   * Identity of a series across runs: equal for those that are compared.
   *
   * @param canonical of another family with the same labels
   */
  readonly keyOf: (run: number, series: SourceSeries, canonical?: string) => string;
  readonly aggregates: (label: string) => boolean;
  /** What a series' endpoint does, as a label of its own; none unless all runs are disaggregated. */
  readonly roleOf: (run: number, series: Pick<SourceSeries, "endpointUrl">) => Labels;
}

/** Settles the rules for these runs, the first of which is the reference that others are paired with. */
export function settleRules(runs: readonly MeasuredRun[], chosen: readonly LabelRule[]): Matching {
  const byRole = runs.every(({ roles }) => roles.size > 0);
  const roleRules: readonly LabelRule[] = byRole ? [{ label: ROLE, mode: "match" }] : [];
  const modes = new Map([...DEFAULT_LABEL_RULES, ...roleRules, ...chosen].map(({ label, mode }) => [label, mode]));
  const { labelsOf, renamed } = matchedLabels(runs, byRole);
  const roleOf = (run: number, url: string) => (byRole ? runs[run]?.roles.get(url) : undefined);
  const profiles = runs.map(({ series }) => profileOf(series, labelsOf));
  const identifying = identifyingLabels(runs, profiles, labelsOf, (label) => modes.has(label) || renamed.has(label));
  const valueOf = (series: SourceSeries, label: string) =>
    label === ENDPOINT ? series.endpointUrl : labelValue(labelsOf(series), label);
  const applied = new Map<string, Settled>();
  for (const label of new Set([...modes.keys(), ...renamed.keys(), ...identifying.keys()])) {
    const mode = modes.get(label) ?? (renamed.has(label) ? "match" : "auto");
    const values = runs.map(({ series }) => [...new Set(series.flatMap((one) => valueOf(one, label) ?? []))].sort());
    if (values.every((list) => list.length === 0)) continue;
    const settled = settle(label, mode, values, label === ENDPOINT ? roleOf : undefined);
    const followed = mode !== "auto" || follows(settled, applied.get(ENDPOINT), label, profiles);
    const { rule, translate } = followed ? settled : unpaired(label, mode, "aggregate", values);
    const original = renamed.get(label);
    const reason =
      original !== undefined
        ? `a store renamed it ${original}`
        : label === ROLE && byRole
          ? "endpoints are compared within their role"
          : identifying.get(label);
    applied.set(label, { rule: reason === undefined ? rule : { ...rule, reason }, translate });
  }
  return {
    rules: [...applied.values()].map(({ rule }) => rule),
    labelsOf,
    roleOf: (run, { endpointUrl }) => {
      const role = roleOf(run, endpointUrl);
      return role === undefined ? [] : [[ROLE, role]];
    },
    aggregates: (label) => applied.get(label)?.rule.applied === "aggregate",
    keyOf: (run, series, canonical = series.canonical) => {
      const parts: (readonly [string, string])[] = [];
      for (const [label, own] of [[ENDPOINT, series.endpointUrl] as const, ...labelsOf(series)]) {
        const found = applied.get(label);
        if (found?.rule.applied === "aggregate" || (found === undefined && label === ENDPOINT)) continue;
        const value = found?.translate[run]?.get(own) ?? own;
        // A label that is empty and one that is absent are the same to Prometheus, and its stores keep none.
        if (value !== "") parts.push([label, value]);
      }
      return JSON.stringify([canonical, series.family.type, parts]);
    },
  };
}

interface Settled {
  readonly rule: AppliedRule;
  /** Of each run: its values → the reference's. */
  readonly translate: readonly ReadonlyMap<string, string>[];
}

/**
 * Where endpoints are paired, a target's label goes with its endpoint: values that are paired otherwise, such as names
 * of pods in order, would leave the series of both without a counterpart.
 */
function follows(
  { rule, translate }: Settled,
  endpoints: Settled | undefined,
  label: string,
  profiles: readonly ReadonlyMap<string, LabelProfile>[],
): boolean {
  const own = profiles.map((profile) => profile.get(label));
  if (rule.applied !== "pair" || endpoints?.rule.applied !== "pair") return true;
  if (own.some((profile) => profile?.isTarget !== true)) return true;
  return own.every((profile, r) =>
    [...(profile?.byEndpoint ?? [])].every(([url, value]) => {
      const reference = own[0]?.byEndpoint.get(endpoints.translate[r]?.get(url) ?? url);
      return reference === undefined || reference === (translate[r]?.get(value) ?? value);
    }),
  );
}

/** @param kindOf of a run's values, which are paired within their kind; absent: all are of one */
function settle(
  label: string,
  mode: LabelMode,
  values: readonly (readonly string[])[],
  kindOf: (run: number, value: string) => string | undefined = () => undefined,
): Settled {
  const [reference = []] = values;
  const kinds = values.map((list, r) => JSON.stringify(list.map((value) => kindOf(r, value) ?? "").sort()));
  const even = kinds.every((own) => own === kinds[0]);
  const applied = mode === "auto" ? (even ? "pair" : "aggregate") : mode;
  if (applied !== "pair") return unpaired(label, mode, applied, values);
  const translate = values.map((list, r) =>
    pairValues(reference, list, (value, other) => kindOf(r, value) === kindOf(0, other)),
  );
  const inverse = translate.map((pairs) => new Map([...pairs].map(([own, base]) => [base, own])));
  const rule: AppliedRule = {
    label,
    mode,
    applied,
    values: inverse.map((pairs) => reference.map((value) => pairs.get(value) ?? "")),
  };
  return { rule, translate };
}

function unpaired(
  label: string,
  mode: LabelMode,
  applied: "match" | "aggregate",
  values: readonly (readonly string[])[],
): Settled {
  return { rule: { label, mode, applied, values }, translate: values.map(() => new Map<string, string>()) };
}

/**
 * Own value → the reference's: equal ones first, then endpoints at the same port and path, then in order. What is left
 * over keeps its own.
 * @param mayPair whether an own value and one of the reference are alike enough
 */
function pairValues(
  reference: readonly string[],
  own: readonly string[],
  mayPair: (value: string, other: string) => boolean,
): Map<string, string> {
  const pairs = new Map<string, string>();
  const free = new Set(reference);
  const take = (value: string, other: string) => {
    pairs.set(value, other);
    free.delete(other);
  };
  for (const value of own) if (free.has(value) && mayPair(value, value)) take(value, value);
  for (const value of own) {
    if (pairs.has(value)) continue;
    const same = [...free].filter(
      (other) => placeOf(other) !== "" && placeOf(other) === placeOf(value) && mayPair(value, other),
    );
    const rivals = own.filter((other) => !pairs.has(other) && placeOf(other) === placeOf(value));
    const [only] = same;
    if (same.length === 1 && rivals.length === 1 && only !== undefined) take(value, only);
  }
  for (const value of own) {
    const other = pairs.has(value) ? undefined : [...free].find((one) => mayPair(value, one));
    if (other !== undefined) take(value, other);
  }
  return pairs;
}

/** Port and path of a URL or "host:port"; "" without. */
export function placeOf(value: string): string {
  return /:\d+.*$/.exec(displayName(value))?.[0] ?? "";
}
