import { mean } from "../math/index.js";
import { bullets, paragraph, type Block } from "../text/document.js";
import type { Insights, InsightSource } from "./insights.js";
import type { Finding, FindingId } from "./rules/index.js";
import { lowPrefixHits } from "./rules/prefill.js";
import { DEFAULT_THRESHOLDS } from "./thresholds.js";
import { percent } from "./words.js";

/** One finding of a comparison. */
export interface ComparedFinding {
  readonly id: FindingId;
  readonly title: string;
  /** As the run says it that has it more weightily. */
  readonly text: string;
  readonly weight: number;
}

/** What became of findings from a baseline to another set of runs, the weightiest first. */
export interface FindingChanges {
  readonly appeared: readonly ComparedFinding[];
  readonly gone: readonly ComparedFinding[];
  readonly stayed: readonly ComparedFinding[];
}

/**
 * What became of the findings of the first set of runs in each of the others, in steps. Samples show more than stored
 * statistics do, and these more with slices than without: sets that differ in this are not compared.
 * @param insightsOf of one run
 * @returns by the other sets; undefined for one that is not compared
 */
export function* findingChanges<Source extends InsightSource>(
  [first = [], ...others]: readonly (readonly Source[])[],
  insightsOf: (run: Source) => Generator<number | void, Insights>,
): Generator<number | void, readonly (FindingChanges | undefined)[]> {
  const insights = function* (runs: readonly Source[]) {
    const all: Insights[] = [];
    for (const run of runs) all.push(yield* insightsOf(run));
    return all;
  };
  let before: readonly Insights[] | undefined;
  const changes: (FindingChanges | undefined)[] = [];
  for (const set of others) {
    const comparable = set.length > 0 && first.length > 0 && new Set([...first, ...set].map(detailOf)).size === 1;
    changes.push(comparable ? changesBetween((before ??= yield* insights(first)), yield* insights(set)) : undefined);
  }
  return changes;
}

function detailOf(source: InsightSource): "samples" | "slices" | "totals" {
  if (source.kind === "samples") return "samples";
  const { families } = source.statistics;
  return families.some(({ series }) => series.some(({ slices }) => slices !== undefined)) ? "slices" : "totals";
}

/** A finding counts to a set of runs where more than half of them have it. */
export function changesBetween(baseline: readonly Insights[], candidate: readonly Insights[]): FindingChanges {
  const before = commonOf(baseline);
  const own = commonOf(candidate);
  const after = own.some(({ id }) => id === "low-prefix-hits") ? own : [...own, ...lostHits(baseline, candidate)];
  return {
    appeared: after.filter(({ id }) => !before.some((one) => one.id === id) && judges(baseline, id)),
    gone: before.filter(({ id }) => !after.some((one) => one.id === id) && judges(candidate, id)),
    stayed: after.filter(({ id }) => before.some((one) => one.id === id)),
  };
}

/** Hits of the prefix cache that fell to hardly any: of a run by itself that is no finding, beside another it is. */
function lostHits(baseline: readonly Insights[], candidate: readonly Insights[]): readonly ComparedFinding[] {
  const rateOf = (runs: readonly Insights[]) => mean(runs.flatMap(({ prefixHitRate }) => prefixHitRate ?? []));
  const [before, after] = [rateOf(baseline), rateOf(candidate)];
  const { prefixHitRate: threshold } = DEFAULT_THRESHOLDS;
  if (!(before >= threshold && after < threshold)) return [];
  const { title } = lowPrefixHits;
  const text = `${percent(after)} of the prompt tokens were found in the prefix cache, ${percent(before)} in the baseline.`;
  return [{ id: "low-prefix-hits", title, text, weight: 0.5 }];
}

/** Without the metric that shows it, a finding is neither there nor gone. */
function judges(runs: readonly Insights[], id: FindingId): boolean {
  return runs.some(({ checked }) => checked.some((one) => one.id === id));
}

function commonOf(runs: readonly Insights[]): readonly ComparedFinding[] {
  const all = runs.flatMap(({ findings }) => findings);
  const ids = [...new Set(all.map(({ id }) => id))];
  return ids
    .flatMap((id): Finding[] => {
      const own = all.filter((finding) => finding.id === id);
      const worst = own.reduce((a, b) => (b.weight > a.weight ? b : a));
      return own.length > runs.length / 2 ? [worst] : [];
    })
    .map(({ id, title, text, weight }) => ({ id, title, text, weight }))
    .sort((a, b) => b.weight - a.weight);
}

/**
 * What appeared and what is gone in each candidate.
 * @param labels of the candidates
 */
export function findingChangesDocument(
  labels: readonly string[],
  findings: readonly (FindingChanges | undefined)[],
): readonly Block[] {
  return labels.flatMap((label, c) => {
    const { appeared = [], gone = [] } = findings[c] ?? {};
    const blocks = [...listed("Findings that appeared:", appeared), ...listed("Findings that are gone:", gone)];
    return labels.length > 1 && blocks.length > 0 ? [paragraph(`${label}:`), ...blocks] : blocks;
  });
}

function listed(text: string, findings: readonly ComparedFinding[]): readonly Block[] {
  return findings.length === 0 ? [] : [paragraph(text), bullets(findings.map(({ title }) => title))];
}
