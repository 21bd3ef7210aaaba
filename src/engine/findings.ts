import { insightsOf } from "../core/insights/index.js";
import { offsetNs, type EpochNs, type RunStatistics } from "../core/model/index.js";
import type { RunFinding, RunFindings } from "../protocol/index.js";

/** Findings as a view shows them. @param origin time of offset 0 */
export function findingsOf(statistics: RunStatistics, origin: EpochNs): RunFindings {
  const { findings, checked } = insightsOf(statistics);
  const families = new Set(statistics.families.map(({ name }) => name));
  return {
    findings: findings.map(({ id, title, text, advice, confidence, weight, evidence }): RunFinding => {
      const first = evidence.find(({ family }) => families.has(family));
      return {
        id,
        title,
        text,
        advice,
        confidence,
        weight,
        ...(first === undefined
          ? {}
          : {
              evidence: {
                family: first.family,
                start: offsetNs(Number(first.range.startNs - origin)),
                end: offsetNs(Number(first.range.endNs - origin)),
              },
            }),
      };
    }),
    checked: checked.map(({ title }) => title),
  };
}
