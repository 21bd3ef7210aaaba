import type { ComparedRun } from "../../core/compare/index.js";
import {
  findingChanges,
  runInsights,
  type FindingChanges,
  type Insights,
  type Thresholds,
} from "../../core/insights/index.js";
import { currentWindow } from "../../core/stats/index.js";
import { checkedThresholds } from "../findings.js";
import { runSteps } from "../stepper.js";

/** Findings of compared runs, kept until samples, the window or the thresholds of one change. */
export class ComparisonFindings {
  private readonly kept = new WeakMap<object, { readonly of: string; readonly insights: Insights }>();

  /**
   * What became of the findings of the first set of runs in each of the others (`findingChanges`).
   * @throws UserError "unusable-settings" for a threshold that there is none of; the signal's reason
   */
  changes(
    sets: readonly (readonly ComparedRun[])[],
    given: Readonly<Record<string, number>> | undefined,
    signal: AbortSignal,
  ): Promise<readonly (FindingChanges | undefined)[]> {
    const thresholds = checkedThresholds(given);
    return runSteps(
      findingChanges(sets, (run) => this.insights(run, thresholds)),
      signal,
    );
  }

  private *insights(compared: ComparedRun, thresholds: Partial<Thresholds>): Generator<number | void, Insights> {
    const key = compared.kind === "samples" ? compared.run : compared.statistics;
    const of = stateOf(compared) + JSON.stringify(thresholds);
    const known = this.kept.get(key);
    if (known?.of === of) return known.insights;
    const insights = yield* runInsights(compared, { thresholds });
    this.kept.set(key, { of, insights });
    return insights;
  }
}

function stateOf(compared: ComparedRun): string {
  if (compared.kind === "statistics") return "";
  const { start, end } = currentWindow(compared.run);
  return `${compared.run.store.scrapes} ${start} ${end}`;
}
