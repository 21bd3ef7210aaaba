import {
  attainedText,
  canonicalName,
  COUNTED_AVERAGE_NOTE,
  familyOfResult,
  isCountedAverage,
  nearFamilies,
  shareStatistic,
  shownUnit,
  type Objective,
} from "../../catalog/index.js";
import {
  aiperfStatisticOf,
  labelValue,
  statisticOf,
  type Labels,
  type MetricType,
  type SeriesResult,
} from "../../model/index.js";
import { knownEstimate, shareBelow, type ShareBelow } from "../../stats/index.js";
import { ASSERTED, parseAssertion, type Assertion, type LabelSelector, type Operator } from "./assertion.js";
import { RE2JS } from "re2js";
import { messageOf } from "../../text/errors.js";

/** One series checked against an assertion. */
export interface CheckedSeries {
  readonly endpointUrl: string;
  readonly labels: Labels;
  /** NaN when the series has no such statistic. */
  readonly value: number;
  readonly passed: boolean;
  /** The data cannot decide: what is certain of the value lies on both sides of the limit. Then it has not passed. */
  readonly undecided?: true;
  /** A percentile beyond the last bucket, or a share whose threshold lies there: it is `value` or more. */
  readonly atLeast?: true;
  /**
   * It restarted, so that `value` is of the increase, as views show it; this is what AIPerf's rule (last less first)
   * makes of it.
   */
  readonly aiperfValue?: number;
  /** Of a share below a threshold inside a bucket: `value` is an estimate, with an interval in certain bounds. */
  readonly share?: ShareBelow;
}

export interface CheckResult {
  readonly assertion: Assertion;
  readonly passed: boolean;
  /** It has not passed, and only as the data cannot decide. */
  readonly undecided?: true;
  /** Its name in this run; absent when there is none. */
  readonly family?: string;
  readonly series: readonly CheckedSeries[];
  /** The statistic's own unit is not given here; the family's is, when known. */
  readonly unit?: string;
  /** Why it failed apart from values. */
  readonly reason?: string;
}

/** A family with the results of its series; as `RunStatistics` holds them. */
export interface CheckableFamily {
  readonly name: string;
  readonly description: string;
  readonly type: MetricType;
  readonly unit?: string;
  readonly series: readonly SeriesResult[];
}

/** The family that an assertion is about: under its name, or any name the catalogue knows for the same thing. */
export function assertedFamily<F extends { readonly name: string }>(
  assertion: Assertion,
  families: readonly F[],
): F | undefined {
  const { family: name } = assertion;
  return (
    families.find((family) => family.name === name) ??
    families.find((family) => canonicalName(family.name) === canonicalName(name))
  );
}

/**
 * Holds a run's statistics against an assertion. What cannot be found fails: a metric that is gone is no metric that is
 * well. Of families that the assertion is not about only the names are read.
 */
export function checkAssertion(
  assertion: Assertion,
  statistics: { readonly families: readonly CheckableFamily[] },
): CheckResult {
  const family = assertedFamily(assertion, statistics.families);
  const failed = (reason: string): CheckResult => ({
    assertion,
    passed: false,
    ...(family === undefined ? {} : { family: family.name }),
    series: [],
    reason,
  });
  if (family === undefined) {
    const names = statistics.families.map(({ name }) => name);
    const [near] = nearFamilies(assertion.family, names);
    return failed(`there is no metric ${assertion.family}${near === undefined ? "" : `; did you mean ${near}`}`);
  }
  if (isCountedAverage(family)) return failed(`it is ${COUNTED_AVERAGE_NOTE}`);
  const known = ASSERTED[family.type];
  if (!known.includes(assertion.statistic))
    return failed(`a ${family.type} has no ${assertion.statistic}; it has ${known.join(", ")}`);
  const problem = assertion.selectors.map(patternProblem).find((found) => found !== undefined);
  if (problem !== undefined) return failed(problem);
  const chosen = family.series.filter((series) => assertion.selectors.every((selector) => selects(selector, series)));
  if (chosen.length === 0) return failed(`none of its ${family.series.length} series has these labels`);
  const series = chosen.map((result): CheckedSeries => {
    const share =
      assertion.threshold !== undefined && result.kind === "histogram"
        ? shareBelow(result, assertion.threshold)
        : undefined;
    const beyond = lowestBeyond(result, assertion, share);
    const value = beyond ?? (share === undefined ? statisticOf(result, assertion.statistic) : share.value);
    const outcome =
      beyond === undefined
        ? { passed: HOLDS[assertion.operator](value, assertion.limit) }
        : outcomeAbove(beyond, share === undefined ? Infinity : 1, assertion);
    const aiperfValue = aiperfStatisticOf(result, assertion.statistic);
    return {
      endpointUrl: result.endpointUrl,
      labels: result.labels,
      value,
      ...(aiperfValue === undefined ? {} : { aiperfValue }),
      ...(share !== undefined && share.upper > share.lower ? { share } : {}),
      ...(beyond === undefined ? {} : { atLeast: true }),
      ...outcome,
    };
  });
  const passed = assertion.over === "any" ? series.some((one) => one.passed) : series.every((one) => one.passed);
  const open = (one: CheckedSeries) => one.passed || one.undecided === true;
  const undecided = !passed && (assertion.over === "any" ? series.some(open) : series.every(open));
  const unit = shownUnit(familyOfResult(family));
  const missing = series.filter(({ value }) => Number.isNaN(value)).length;
  return {
    assertion,
    passed,
    ...(undecided ? { undecided } : {}),
    family: family.name,
    series,
    ...(unit === undefined ? {} : { unit }),
    ...(!passed && missing > 0
      ? { reason: `${missing} of ${series.length} series have no ${assertion.statistic}: nothing was observed` }
      : undecided
        ? { reason: "cannot be decided: beyond the last bucket only its bound is known" }
        : {}),
  };
}

/**
 * Holds what a run attained of a service level objective, over all its series together, against the share that has to.
 * @param attained undefined where no histogram of the run measures it, which fails
 * @param target from 0 to 1
 */
export function checkObjective(
  { name, threshold }: Objective,
  attained: { readonly family: string; readonly unit?: string; readonly share: ShareBelow } | undefined,
  target: number,
): CheckResult {
  const { family, share, unit } = attained ?? { family: name };
  const assertion = {
    ...parseAssertion(`_ ${shareStatistic(threshold)} >= ${target}`),
    family,
    text: objectiveName({ name, threshold }, target),
  };
  if (share === undefined)
    return { assertion, passed: false, series: [], reason: "no histogram of this run measures it" };
  const beyond = share.beyond === true;
  const outcome = beyond
    ? outcomeAbove(share.lower, 1, assertion)
    : { passed: HOLDS[assertion.operator](share.value, target) };
  return {
    assertion,
    ...outcome,
    family,
    series: [
      {
        endpointUrl: "all series",
        labels: [],
        value: beyond ? share.lower : share.value,
        ...(share.upper > share.lower ? { share } : {}),
        ...(beyond ? { atLeast: true as const } : {}),
        ...outcome,
      },
    ],
    ...(unit === undefined ? {} : { unit }),
  };
}

/** "SLO ttft ≤ 0.5 for 99 %". @param target from 0 to 1 */
export function objectiveName({ name, threshold }: Objective, target: number): string {
  return `SLO ${name} ≤ ${threshold} for ${attainedText(target)}`;
}

/** What a value beyond the last bucket is at least; undefined of one that buckets tell. */
function lowestBeyond(
  result: SeriesResult,
  { statistic }: Assertion,
  share: ShareBelow | undefined,
): number | undefined {
  if (share !== undefined) return share.beyond === true ? share.lower : undefined;
  const estimate = result.kind === "histogram" ? knownEstimate(result, statistic) : undefined;
  return estimate?.extrapolated === true ? estimate.lower : undefined;
}

/** Of a value of which only is known that it lies above `lowest`, and at `highest` at most. */
function outcomeAbove(lowest: number, highest: number, { operator, limit }: Assertion) {
  if (operator === "==" || operator === "!=") {
    const possible = limit >= lowest && limit <= highest;
    return possible ? { passed: false, undecided: true as const } : { passed: operator === "!=" };
  }
  const [low, high] = [HOLDS[operator](lowest, limit), HOLDS[operator](highest, limit)];
  return low === high ? { passed: low } : { passed: false, undecided: true as const };
}

function selects(selector: LabelSelector, { labels, endpointUrl }: SeriesResult): boolean {
  const { label, operator, value } = selector;
  const own = label === "endpoint_url" ? endpointUrl : (labelValue(labels, label) ?? "");
  switch (operator) {
    case "=":
      return own === value;
    case "!=":
      return own !== value;
    case "=~":
      return matchesWhole(selector, own);
    case "!~":
      return !matchesWhole(selector, own);
  }
}

/** NaN holds nothing, not even "!=". */
const HOLDS: Readonly<Record<Operator, (value: number, limit: number) => boolean>> = {
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
  "==": (value, limit) => value === limit,
  "!=": (value, limit) => !Number.isNaN(value) && value !== limit,
};

/*
 * Patterns come from files, settings and agents: they are RE2's, as in PromQL, and match in time linear in the text.
 * RE2 takes 20 ms to load, which the extension's own thread saves: its settings are read without it.
 */

const compiled = new WeakMap<LabelSelector, RE2JS | string>();

/** As `parseAssertion`, with its patterns read. @throws AssertionError */
export function parseWithPatterns(text: string): Assertion {
  return parseAssertion(text, (pattern) => {
    const result = compile(pattern);
    return typeof result === "string" ? result : undefined;
  });
}

/** What is wrong with a selector's pattern, if it has one. */
export function patternProblem(selector: LabelSelector): string | undefined {
  if (!selector.operator.endsWith("~")) return undefined;
  const pattern = patternOf(selector);
  return typeof pattern === "string" ? pattern : undefined;
}

/** Whether all of a text matches a selector's pattern; none does where the pattern cannot be read. */
function matchesWhole(selector: LabelSelector, text: string): boolean {
  const pattern = patternOf(selector);
  return typeof pattern !== "string" && pattern.matches(text);
}

function patternOf(selector: LabelSelector): RE2JS | string {
  const pattern = compiled.get(selector) ?? compile(selector.value);
  compiled.set(selector, pattern);
  return pattern;
}

/** @returns what is wrong with it otherwise */
function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = messageOf(error).replace(/^error parsing regexp: /, "");
    return `the pattern cannot be read as RE2's, PromQL's syntax: ${reason}`;
  }
}
