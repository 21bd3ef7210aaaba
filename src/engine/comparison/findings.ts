import type { ComparedRun } from "../../core/compare/index.js";
import { findingChanges, runInsights, type Insights, type Thresholds } from "../../core/insights/index.js";
import { currentWindow } from "../../core/stats/index.js";
import type { RunFindingChanges, RunId } from "../../protocol/comparison.js";
import { checkedThresholds } from "../findings.js";
import { runSteps } from "../stepper.js";

/** Findings of compared runs, kept until samples, the window or the thresholds of one change. */
export class ComparisonFindings {
  private readonly kept = new WeakMap<object, { readonly of: string; readonly insights: Insights }>();

  /**
   * What became of the baseline's findings in each candidate. Samples show more than stored statistics do, and these
   * more with slices than without: two that differ in this are not compared.
   * @param runs the baseline's, then each candidate's
   * @param comparedAs a run and its repeats, those that have been read
   * @throws UserError "unusable-settings" for a threshold that there is none of; the signal's reason
   */
  async changes(
    [baseline, ...candidates]: readonly RunId[],
    comparedAs: (run: RunId) => readonly ComparedRun[],
    given: Readonly<Record<string, number>> | undefined,
    signal: AbortSignal,
  ): Promise<readonly RunFindingChanges[]> {
    const thresholds = checkedThresholds(given);
    const before = baseline === undefined ? [] : comparedAs(baseline);
    if (before.length === 0) return [];
    const changes: RunFindingChanges[] = [];
    for (const run of candidates) {
      const after = comparedAs(run);
      if (after.length === 0 || new Set([...before, ...after].map(detailOf)).size > 1) continue;
      const own: Insights[] = [];
      for (const one of before) own.push(await this.insights(one, thresholds, signal));
      const others: Insights[] = [];
      for (const one of after) others.push(await this.insights(one, thresholds, signal));
      changes.push({ run, ...findingChanges(own, others) });
    }
    return changes;
  }

  private async insights(
    compared: ComparedRun,
    thresholds: Partial<Thresholds>,
    signal: AbortSignal,
  ): Promise<Insights> {
    const key = compared.kind === "samples" ? compared.run : compared.statistics;
    const of = stateOf(compared) + JSON.stringify(thresholds);
    const known = this.kept.get(key);
    if (known?.of === of) return known.insights;
    const insights = await runSteps(runInsights(compared, { thresholds }), signal);
    this.kept.set(key, { of, insights });
    return insights;
  }
}

function detailOf(compared: ComparedRun): "samples" | "slices" | "totals" {
  if (compared.kind === "samples") return "samples";
  const { families } = compared.statistics;
  return families.some(({ series }) => series.some(({ slices }) => slices !== undefined)) ? "slices" : "totals";
}

function stateOf(compared: ComparedRun): string {
  if (compared.kind === "statistics") return "";
  const { start, end } = currentWindow(compared.run);
  return `${compared.run.store.scrapes} ${start} ${end}`;
}
