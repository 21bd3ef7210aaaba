import { makeLabels, type Labels } from "../../model/index.js";
import type { MeasuredRun, SourceSeries } from "../source.js";
import { namesOf, profileOf } from "./target-labels.js";

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
 */
export function matchedLabels(runs: readonly MeasuredRun[]): MatchedLabels {
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
  runs.forEach(({ series }, r) => {
    const own = new Map([...renamed].filter(([, name]) => names[r]?.has(name) === true));
    if (own.size === 0) return;
    const back = new Map([...own].map(([plain, name]) => [name, plain]));
    for (const one of series)
      labels.set(
        one,
        makeLabels(
          one.labels.flatMap(([name, value]) => (own.has(name) ? [] : [[back.get(name) ?? name, value] as const])),
        ),
      );
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
