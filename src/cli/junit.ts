import { displayName, formatLabels } from "../core/model/index.js";
import type { CheckResult } from "../core/compare/index.js";

/** One test case an assertion, in the dialect that CI systems read (Ant's `junitreport`). */
export function junitXml(artifact: string, results: readonly CheckResult[]): string {
  const failures = results.filter(({ passed }) => !passed).length;
  const cases = results.map((result) => {
    const name = `    <testcase classname="${escape(artifact)}" name="${escape(result.assertion.text)}" time="0"`;
    if (result.passed) return `${name}/>`;
    return `${name}>\n      <failure message="${escape(failureText(result))}">${escape(seriesLines(result))}</failure>\n    </testcase>`;
  });
  const counts = `tests="${results.length}" failures="${failures}" errors="0"`;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites ${counts}>`,
    `  <testsuite name="server-metrics check" ${counts} skipped="0" time="0">`,
    ...cases,
    `  </testsuite>`,
    `</testsuites>`,
    "",
  ].join("\n");
}

/** Why it failed, in one line. */
export function failureText({ assertion, reason, series }: CheckResult): string {
  if (reason !== undefined) return reason;
  const failed = series.filter(({ passed }) => !passed);
  const [first] = failed;
  const value = `${assertion.statistic} is ${first?.value ?? "unknown"}`;
  return failed.length > 1 ? `${value} in one of ${failed.length} series that fail` : value;
}

function seriesLines({ assertion, series }: CheckResult): string {
  return series
    .filter(({ passed }) => !passed)
    .map(
      ({ endpointUrl, labels, value }) =>
        `${displayName(endpointUrl)} ${assertion.family}${formatLabels(labels)} ${assertion.statistic} ${value}`,
    )
    .join("\n");
}

/** XML allows no control characters but tab and line ends, not even escaped. */
function escape(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(
      /[&<>"\n]/g,
      (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character] ?? "&#10;",
    );
}
