import type { Insights } from "./insights.js";
import { lowPrefixHits } from "./rules/low-prefix-hits.js";
import { DEFAULT_THRESHOLDS, type Finding, type FindingId } from "./types.js";
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

/** A finding counts to a set of runs where more than half of them have it. */
export function findingChanges(baseline: readonly Insights[], candidate: readonly Insights[]): FindingChanges {
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
  const rateOf = (runs: readonly Insights[]) => {
    const rates = runs.flatMap(({ prefixHitRate }) => prefixHitRate ?? []);
    return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  };
  const [before, after] = [rateOf(baseline), rateOf(candidate)];
  const { prefixHitRate: threshold } = DEFAULT_THRESHOLDS;
  if (!(before >= threshold && after < threshold)) return [];
  const { id, title } = lowPrefixHits;
  const text = `${percent(after)} of the prompt tokens were found in the prefix cache, ${percent(before)} in the baseline.`;
  return [{ id, title, text, weight: 0.5 }];
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

/** A list of what appeared and what is gone, in plain text that is Markdown too; "" where nothing changed. */
export function findingChangesText({ appeared, gone }: FindingChanges): string {
  const list = (heading: string, findings: readonly ComparedFinding[]) =>
    findings.length > 0 ? [[heading, "", ...findings.map(({ title }) => `- ${title}`)].join("\n")] : [];
  return [...list("Findings that appeared:", appeared), ...list("Findings that are gone:", gone)].join("\n\n");
}
