import {
  findingsText,
  insightSteps,
  movesWith,
  ofEndpoint,
  thresholdsOf,
  type Evidence,
  type MovesWith,
  type Thresholds,
} from "../core/insights/index.js";
import { offsetNs, toEpoch, type EpochNs, type RunStatistics } from "../core/model/index.js";
import type { FindingEvidence, RunFinding, RunFindings, RunRequests } from "../protocol/index.js";
import { engineError } from "./engine-error.js";

/**
 * Findings as a view shows them, in steps.
 * @param origin time of offset 0
 * @throws UserError "unusable-settings" for a threshold that there is none of
 */
export function* findingSteps(
  all: RunStatistics,
  origin: EpochNs,
  { thresholds, endpointUrl }: RunRequests["findings"]["params"],
): Generator<number | void, RunFindings> {
  const statistics = endpointUrl === undefined ? all : ofEndpoint(all, endpointUrl);
  const insights = yield* insightSteps(statistics, checkedThresholds(thresholds));
  const families = new Set(statistics.families.map(({ name }) => name));
  const shown = (one: Evidence, _: number, all: readonly Evidence[]): FindingEvidence => {
    const { family, endpointUrl, statistic, range, value, unit, threshold } = one;
    const series = ownLabel(one, all);
    return {
      family,
      endpointUrl,
      ...(series === undefined ? {} : { series }),
      statistic,
      start: offsetNs(Number(range.startNs - origin)),
      end: offsetNs(Number(range.endNs - origin)),
      value,
      ...(unit === undefined ? {} : { unit }),
      ...(threshold === undefined ? {} : { threshold }),
    };
  };
  return {
    ...findingsText(insights),
    findings: insights.findings.map(({ id, title, text, advice, confidence, weight, evidence }): RunFinding => ({
      id,
      title,
      text,
      advice,
      confidence,
      weight,
      evidence: evidence.filter(({ family }) => families.has(family)).map(shown),
    })),
  };
}

/** The shortest label that figures of the same metric do not share; undefined where there is one figure of it. */
function ownLabel(one: Evidence, all: readonly Evidence[]): string | undefined {
  const others = all.filter(
    (other) => other !== one && other.family === one.family && other.endpointUrl === one.endpointUrl,
  );
  const shared = (key: string, value: string) =>
    others.some(({ labels = [] }) => labels.some(([name, text]) => name === key && text === value));
  if (others.length === 0) return undefined;
  const own = (one.labels ?? []).filter(([key, value]) => !shared(key, value)).map(([key, value]) => `${key}=${value}`);
  return own.sort((a, b) => a.length - b.length)[0];
}

/** @throws UserError "unusable-settings" for a threshold that there is none of */
export function checkedThresholds(thresholds: Readonly<Record<string, number>> = {}): Partial<Thresholds> {
  try {
    return thresholdsOf(thresholds);
  } catch (error) {
    throw error instanceof RangeError ? engineError("unusable-settings", error.message) : error;
  }
}

/** What moves with a family, as a view asks for it. @throws UserError "no-findings" where the run has it not */
export function movesOf(
  statistics: RunStatistics,
  origin: EpochNs,
  { family, from, to }: RunRequests["movesWith"]["params"],
): MovesWith {
  try {
    return movesWith(statistics, family, {
      startNs: from === undefined ? statistics.startNs : toEpoch(from, origin),
      endNs: to === undefined ? statistics.endNs : toEpoch(to, origin),
    });
  } catch (error) {
    throw error instanceof RangeError ? engineError("no-findings", error.message) : error;
  }
}
