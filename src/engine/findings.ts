import { insightsOf, type Evidence } from "../core/insights/index.js";
import { offsetNs, type EpochNs, type RunStatistics } from "../core/model/index.js";
import type { FindingEvidence, RunFinding, RunFindings } from "../protocol/index.js";

/** Findings as a view shows them. @param origin time of offset 0 */
export function findingsOf(statistics: RunStatistics, origin: EpochNs): RunFindings {
  const { findings, checked } = insightsOf(statistics);
  const families = new Set(statistics.families.map(({ name }) => name));
  const shown = ({ family, endpointUrl, statistic, range, value, unit, threshold }: Evidence): FindingEvidence => ({
    family,
    endpointUrl,
    statistic,
    start: offsetNs(Number(range.startNs - origin)),
    end: offsetNs(Number(range.endNs - origin)),
    value,
    ...(unit === undefined ? {} : { unit }),
    ...(threshold === undefined ? {} : { threshold }),
  });
  return {
    findings: findings.map(({ id, title, text, advice, confidence, weight, evidence }): RunFinding => ({
      id,
      title,
      text,
      advice,
      confidence,
      weight,
      evidence: evidence.filter(({ family }) => families.has(family)).map(shown),
    })),
    checked: checked.map(({ title }) => title),
  };
}
