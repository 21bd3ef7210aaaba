import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import type { MetricType } from "../../src/core/model/index.js";
import type { CheckResult } from "../../src/protocol/index.js";
import { fullName } from "../format/text.js";
import { Icon } from "../components/icon.js";

/** Unit of a statistic of a family with this unit; undefined for a plain number. */
function unitOf(statistic: string, unit: string | undefined): string | undefined {
  if (/^(count|increase_count|gaps|resets)$/.test(statistic)) return undefined;
  if (statistic === "count_rate") return "/s";
  return /^(rate|rate_.*|sum_rate)$/.test(statistic)
    ? unit === undefined || unit === "count"
      ? "/s"
      : `${unit}/s`
    : unit;
}

/** Without the family, beside which it stands: "p99 < 500 ms", "any: {reason="stop"} rate > 3 /s". */
export function assertionText({ assertion, unit }: Pick<CheckResult, "assertion" | "unit">): string {
  const { over, selectors, statistic, operator, limit } = assertion;
  const labels = selectors.map((one) => `${one.label}${one.operator}"${one.value}"`).join(", ");
  const title = statistic.replace(/_estimate$/, "").replace(/_/g, " ");
  return [
    ...(over === "any" ? ["any:"] : []),
    ...(labels === "" ? [] : [`{${labels}}`]),
    `${title} ${operator} ${formatValue(limit, unitOf(statistic, unit))}`,
  ].join(" ");
}

function outcomeText({ passed, undecided }: CheckResult): string {
  return passed ? t("passed") : undecided === true ? t("undecided") : t("failed");
}

/** As many of the series that failed as a title has room for. */
const MAX_SERIES = 5;

/** All that is known of a result: the assertion as it was written, why it failed, and which series did. */
export function resultTitle({ assertion, passed, undecided, reason, series, unit }: CheckResult): string {
  const failed = series.filter((one) => !one.passed && !Number.isNaN(one.value));
  const value = (number: number) => formatValue(number, unitOf(assertion.statistic, unit));
  return [
    `${passed ? t("Passed") : undecided === true ? t("Undecided") : t("Failed")}: ${assertion.text}`,
    ...(reason === undefined ? [] : [reason]),
    ...(passed
      ? []
      : failed
          .slice(0, MAX_SERIES)
          .map(
            (one) => `${one.atLeast === true ? "≥ " : ""}${value(one.value)}: ${fullName(one).replaceAll("\n", " ")}`,
          )),
    ...(!passed && failed.length > MAX_SERIES ? [t`and ${failed.length - MAX_SERIES} more series`] : []),
  ].join("\n");
}

/** A limit that can be drawn among the lines of a family. */
export interface Threshold {
  readonly value: number;
  readonly text: string;
  readonly failed: boolean;
}

/**
 * Statistics on the scale of what a chart draws: values of gauges, rates of counters, quantiles and averages of
 * histograms.
 */
const DRAWN: { readonly [T in MetricType]: RegExp } = {
  gauge: /^(avg|min|max|p\d+)$/,
  unknown: /^(avg|min|max|p\d+)$/,
  counter: /^(rate|rate_avg|rate_min|rate_max)$/,
  histogram: /^(avg|p\d+_estimate)$/,
};

/** Whether a statistic is on the scale of a chart of its family's lines. */
export function isDrawn(type: MetricType, statistic: string): boolean {
  return DRAWN[type].test(statistic);
}

/** The limits of a family's assertions that a chart of its lines can show. */
export function thresholdsOf(results: readonly CheckResult[], family: string, type: MetricType): readonly Threshold[] {
  return results
    .filter((result) => result.family === family && isDrawn(type, result.assertion.statistic))
    .map((result) => ({
      value: result.assertion.limit,
      text: `${result.passed ? "" : `${outcomeText(result)}: `}${assertionText(result)}`,
      failed: !result.passed,
    }));
}

interface AssertionListProps {
  readonly results: readonly CheckResult[];
  /** Where the results of several families stand together. */
  readonly named?: boolean;
}

/** What the assertions of the settings give, by icon and word. */
export function AssertionList({ results, named = false }: AssertionListProps) {
  if (results.length === 0) return null;
  return (
    <ul class="assertions" aria-label={t("Assertions")}>
      {results.map((result, i) => (
        <li key={i} class={`assertion ${result.passed ? "" : "tone-error"}`} title={resultTitle(result)}>
          <Icon
            name={result.passed ? "pass" : result.undecided === true ? "question" : "error"}
            class={result.passed ? "tone-good" : ""}
          />
          {`${outcomeText(result)}: ${named ? `${result.family ?? result.assertion.family} ` : ""}${assertionText(result)}`}
        </li>
      ))}
    </ul>
  );
}
