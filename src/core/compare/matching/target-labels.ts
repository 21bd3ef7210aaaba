import { labelValue, makeLabels, type Labels } from "../../model/index.js";
import { getOrInsert } from "../../math/index.js";
import type { MeasuredRun, SourceSeries } from "../source.js";

/**
 * Labels that stores and this product attach to all series of a target. Servers use some of these names for what a
 * series is about, so they identify only where they are a target's in all runs that have them.
 */
const TARGET_LABELS: ReadonlySet<string> = new Set([
  "service",
  "endpoint",
  "node",
  "cluster",
  "prometheus",
  "prometheus_replica",
  "replica",
  "run_id",
  "label",
]);

type LabelsOf = (series: SourceSeries) => Labels;

/** Names of all labels. */
function namesOf(series: readonly SourceSeries[], labelsOf: LabelsOf): ReadonlySet<string> {
  const names = new Set<string>();
  for (const one of series) for (const [name] of labelsOf(one)) names.add(name);
  return names;
}

/** What a run's series have of a label. */
export interface LabelProfile {
  /** A target's: of each endpoint all series have it with one value, or none. */
  readonly isTarget: boolean;
  /** A target's value, by endpoint. */
  readonly byEndpoint: ReadonlyMap<string, string>;
  readonly values: ReadonlySet<string>;
}

/** All labels of a run; one that is empty is none, as to Prometheus. */
export function profileOf(series: readonly SourceSeries[], labelsOf: LabelsOf): ReadonlyMap<string, LabelProfile> {
  const sizes = new Map<string, number>();
  const found = new Map<string, Map<string, Map<string, number>>>();
  for (const one of series) {
    const { endpointUrl } = one;
    sizes.set(endpointUrl, (sizes.get(endpointUrl) ?? 0) + 1);
    for (const [label, value] of labelsOf(one)) {
      if (value === "") continue;
      const endpoints = getOrInsert(found, label, () => new Map<string, Map<string, number>>());
      const counts = getOrInsert(endpoints, endpointUrl, () => new Map<string, number>());
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return new Map(
    [...found].map(([label, endpoints]) => {
      const all = [...endpoints].flatMap(([url, counts]) => [...counts].map(([value, n]) => ({ url, value, n })));
      return [
        label,
        {
          isTarget: all.every(({ url, n }) => n === sizes.get(url)),
          byEndpoint: new Map(all.map(({ url, value }) => [url, value])),
          values: new Set(all.map(({ value }) => value)),
        },
      ];
    }),
  );
}

/**
 * Labels that identify in these runs although no rule is known for them, with the reason. A target's label tells no
 * series of an endpoint apart. It identifies where a run lacks it, as a capture lacks those of a store, and where each
 * run has one value of its own. A label that a server has added is left out where that makes no two series of an
 * endpoint one: what tells series apart must match.
 */
export function identifyingLabels(
  runs: readonly MeasuredRun[],
  profiles: readonly ReadonlyMap<string, LabelProfile>[],
  labelsOf: LabelsOf,
  known: (label: string) => boolean,
): ReadonlyMap<string, string> {
  const identifying = new Map<string, string>();
  const added = new Set<string>();
  const shared = ofSharedFamilies(runs);
  for (const label of namesOf(shared.flat(), labelsOf)) {
    if (known(label)) continue;
    const own = profiles.flatMap((profile) => profile.get(label) ?? []);
    if (own.length === 0) continue;
    const areTargets = own.every(({ isTarget }) => isTarget);
    if (own.length < runs.length) {
      if (areTargets) identifying.set(label, "not in all runs, and one value for each endpoint");
      else added.add(label);
    } else if (areTargets && TARGET_LABELS.has(label)) {
      identifying.set(label, "one value for each endpoint");
    } else if (areTargets && own.every(({ values }) => values.size === 1)) {
      if (new Set(own.flatMap(({ values }) => [...values])).size > 1)
        identifying.set(label, "one value for each endpoint, and each run has another");
    }
  }
  for (const label of withoutMeaning(shared, added, labelsOf))
    identifying.set(label, "not in all runs, and distinguishes no series of an endpoint");
  return identifying;
}

/** Of each run the series of families that another one has: only these can match. */
function ofSharedFamilies(runs: readonly MeasuredRun[]): readonly (readonly SourceSeries[])[] {
  const families = runs.map(({ series }) => new Set(series.map(({ canonical }) => canonical)));
  return runs.map(({ series }, r) =>
    series.filter(({ canonical }) => families.some((own, other) => other !== r && own.has(canonical))),
  );
}

/** Those of the labels that some runs lack without which all series of a run's endpoints are still distinct. */
function withoutMeaning(
  runs: readonly (readonly SourceSeries[])[],
  added: ReadonlySet<string>,
  labelsOf: LabelsOf,
): ReadonlySet<string> {
  const left = new Set(added);
  if (left.size === 0) return left;
  for (const label of exchanged(runs, added, labelsOf)) left.delete(label);
  for (;;) {
    const distinguishing = runs.flatMap((series) => tellingApart(series, left, labelsOf));
    if (distinguishing.length === 0) return left;
    for (const label of distinguishing) left.delete(label);
  }
}

/** Labels that differ between series which are one without these labels. */
function tellingApart(series: readonly SourceSeries[], left: ReadonlySet<string>, labelsOf: LabelsOf): string[] {
  const heads = new Map<string, Labels>();
  const distinguishing = new Set<string>();
  for (const one of series) {
    const labels = labelsOf(one);
    const rest = labels.filter(([name]) => !left.has(name));
    const key = JSON.stringify([one.endpointUrl, one.canonical, one.family.type, rest]);
    const head = heads.get(key);
    if (head === undefined) heads.set(key, labels);
    else
      for (const label of left)
        if ((labelValue(head, label) ?? "") !== (labelValue(labels, label) ?? "")) distinguishing.add(label);
  }
  return [...distinguishing];
}

/** Labels of families that have one of them in this run and another in that: their values say different things. */
function exchanged(
  runs: readonly (readonly SourceSeries[])[],
  added: ReadonlySet<string>,
  labelsOf: LabelsOf,
): ReadonlySet<string> {
  const families = new Map<string, Set<string>[]>();
  runs.forEach((series, r) => {
    for (const one of series) {
      const own = getOrInsert(families, one.canonical, () => runs.map(() => new Set<string>()));
      for (const [label] of labelsOf(one)) if (added.has(label)) own[r]?.add(label);
    }
  });
  return new Set(
    [...families.values()].flatMap((own) =>
      own.flatMap((mine) =>
        own.flatMap((others) =>
          [...mine].some((label) => !others.has(label)) && [...others].some((label) => !mine.has(label))
            ? [...mine, ...others]
            : [],
        ),
      ),
    ),
  );
}

/** The pseudo-label of what a series' endpoint does, where all runs are disaggregated. */
export const ROLE = "role";

const PREFIX = "exported_";

/** The labels that series are matched by. */
export interface MatchedLabels {
  readonly labelsOf: (series: SourceSeries) => Labels;
  /** Labels that a store renamed, by the server's name: those that have it back. */
  readonly renamed: ReadonlyMap<string, string>;
}

/**
 * Prometheus renames a server's label that goes by the name of one of the target's: `job` becomes `exported_job`. Where
 * another run has the server's own name, as a capture does, it is matched by that, and the target's label is left out.
 * @param byRole whether a series is matched by the role of its endpoint, too
 */
export function matchedLabels(runs: readonly MeasuredRun[], byRole: boolean): MatchedLabels {
  const names = runs.map(({ series }) => namesOf(series, rawLabels));
  const exported = new Set(names.flatMap((own) => [...own].filter((name) => name.startsWith(PREFIX))));
  const renamed = new Map<string, string>();
  for (const name of exported) {
    const plain = name.slice(PREFIX.length);
    const others = runs.filter((_, r) => names[r]?.has(name) === false && names[r].has(plain));
    // A target's label in another run of a store is none of the server's.
    if (others.length === 0 || others.some((run) => profileOf(run.series, rawLabels).get(plain)?.isTarget === true))
      continue;
    if (runs.every(({ series }) => series.every(({ labels }) => isRenaming(labels, name, plain))))
      renamed.set(plain, name);
  }
  const labels = new Map<SourceSeries, Labels>();
  runs.forEach(({ series, roles }, r) => {
    const own = new Map([...renamed].filter(([, name]) => names[r]?.has(name) === true));
    const back = new Map([...own].map(([plain, name]) => [name, plain]));
    for (const one of series) {
      const kept = one.labels.flatMap(([name, value]) =>
        own.has(name) ? [] : [[back.get(name) ?? name, value] as const],
      );
      const role = byRole ? roles.get(one.endpointUrl) : undefined;
      // A server's own label of that name stays.
      const isKnown = role === undefined || labelValue(kept, ROLE) !== undefined;
      labels.set(one, makeLabels(isKnown ? kept : [...kept, [ROLE, role]]));
    }
  });
  return { labelsOf: (series) => labels.get(series) ?? series.labels, renamed };
}

function rawLabels({ labels }: SourceSeries): Labels {
  return labels;
}

/** It is there because the target's label is: the endpoint of a run from a store stands for `instance`. */
function isRenaming(labels: Labels, exported: string, plain: string): boolean {
  const has = (wanted: string) => labels.some(([name]) => name === wanted);
  return !has(exported) || plain === "instance" || has(plain);
}
