import { writeFile } from "node:fs/promises";
import { describeFileError } from "../../files/index.js";
import { displayName, formatLabels } from "../../core/model/index.js";
import { plainText } from "../../core/text/index.js";
import { guardedText, type CheckResult, type Gate } from "../../core/compare/index.js";

/** Results in the dialect that CI systems read (Ant's `junitreport`). */
interface TestCase {
  readonly className: string;
  readonly name: string;
  /** Absent for what passed. */
  readonly problem?: {
    readonly kind: "failure" | "error" | "skipped";
    readonly message: string;
    readonly text?: string;
  };
}

/** @throws UserError when it cannot be written */
export async function writeJunit(file: string, xml: string): Promise<void> {
  await writeFile(file, xml).catch((error: unknown) => {
    throw describeFileError(file, error, "write");
  });
}

/** One test case an assertion; what cannot be decided is an error. */
export function checkJunit(artifact: string, results: readonly CheckResult[]): string {
  return junitXml(
    "check",
    results.map((result) => ({
      className: artifact,
      name: result.assertion.text,
      ...(result.passed
        ? {}
        : {
            problem: {
              kind: result.undecided === true ? ("error" as const) : ("failure" as const),
              message: failureText(result),
              text: seriesLines(result),
            },
          }),
    })),
  );
}

/** One test case a guarded metric and candidate: what is undecided is skipped, what cannot be judged is an error. */
export function gateJunit([baseline = ""]: readonly string[], { metrics, undecided }: Gate): string {
  const kinds = {
    worse: "failure",
    undecided: undecided === "fail" ? "failure" : "skipped",
    unjudged: "error",
  } as const;
  return junitXml(
    "compare",
    metrics.map((one) => ({
      className: `${baseline} → ${one.candidate}`,
      name: one.name,
      ...(one.outcome === "passed" ? {} : { problem: { kind: kinds[one.outcome], message: guardedText(one) } }),
    })),
  );
}

function junitXml(suite: string, cases: readonly TestCase[]): string {
  const lines = cases.map(({ className, name, problem }) => {
    const head = `    <testcase classname="${escape(className)}" name="${escape(name)}" time="0"`;
    if (problem === undefined) return `${head}/>`;
    const { kind, message, text = "" } = problem;
    return `${head}>\n      <${kind} message="${escape(message)}">${escape(text)}</${kind}>\n    </testcase>`;
  });
  const count = (kind: string) => cases.filter(({ problem }) => problem?.kind === kind).length;
  const counts = `tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}"`;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites ${counts}>`,
    `  <testsuite name="server-metrics ${suite}" ${counts} skipped="${count("skipped")}" time="0">`,
    ...lines,
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
      ({ endpointUrl, labels, value, atLeast, aiperfValue }) =>
        `${displayName(endpointUrl)} ${assertion.family}${formatLabels(labels)} ${assertion.statistic} ${atLeast === true ? "≥ " : ""}${value}${aiperfValue === undefined ? "" : ` (increase across a restart; AIPerf's ${aiperfValue})`}`,
    )
    .join("\n");
}

/** XML allows no control characters but tab and line ends; CI systems print the others as they are. */
function escape(text: string): string {
  return plainText(text)
    .replace(/[\ufffe\uffff]/g, "\ufffd")
    .replace(
      /[&<>"\n]/g,
      (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character] ?? "&#10;",
    );
}
