import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { UserError } from "../../core/text/errors.js";
import { formatValue, statisticUnit } from "../../core/catalog/index.js";
import {
  checkAssertion,
  checkObjective,
  objectiveName,
  AssertionError,
  parseWithPatterns,
  type CheckResult,
  type Assertion,
} from "../../core/compare/index.js";
import { displayName, formatLabels, OPTION_RANGES } from "../../core/model/index.js";
import { runEntries, shownStatistics, sloReport, StoredRun } from "../../core/query/index.js";
import { complete } from "../../core/stats/index.js";
import type { CheckJson, ListedCheck } from "../../protocol/check.js";
import { openFile } from "../input/artifact.js";
import { checkJunit, failureText, writeJunit } from "../print/junit.js";
import { inRange } from "../options/numbers.js";
import { append, withClientOptions, type FlagsOf } from "../options/shared.js";
import { objectivesArgument } from "./slo.js";
import { right, textTable } from "../print/table.js";
import { print } from "../print/terminal.js";
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { readNamedText } from "../../files/opener.js";

/** A result, and where in a file what was checked stands. */
type Checked = Omit<PlacedAssertion, "assertion"> & CheckResult;

/** `check`. @param setExit gets 0 where all assertions hold, 1 where one fails, 3 where one cannot be decided */
export function checkCommand(setExit: (code: number) => void): CommandUnknownOpts {
  return options().action(async (path, flags) => setExit(await check(path, flags)));
}

function options() {
  return withClientOptions(new Command("check"))
    .summary("check an artifact against assertions")
    .description(
      "Checks statistics of an artifact, and exits 1 with a table of what failed. An assertion:\n" +
        '  [all:|any:] family[{label="value"}] statistic < number\n' +
        "with < <= > >= == !=, selectors = != =~ !~, over all of the family's series unless any: is given. For example\n" +
        "  vllm:e2e_request_latency_seconds p99_estimate < 5\n" +
        "  vllm:time_to_first_token_seconds share_below(0.5) > 0.98   (share of observations of at most 0.5)\n" +
        "Exits 3 where none fails and one cannot be decided: beyond the last bucket only its bound is known.",
    )
    .argument("[artifact]", "any artifact of a run")
    .option("--assert <assertion>", "what must hold (repeatable)", append)
    .option("--file <file>", "YAML or JSON with a list of assertions (repeatable)", append)
    .option(
      "--slo <list>",
      "objectives in the metric's unit that most of all observations must meet, such as ttft=0.5,e2e=10",
      objectivesArgument,
    )
    .option(
      "--slo-target <percent>",
      "how many must",
      inRange(OPTION_RANGES.sloTarget),
      OPTION_RANGES.sloTarget.byDefault,
    )
    .option("--junit <file>", "write the results for a CI system")
    .option("--json", "print JSON")
    .option("--list", "print what would be checked as JSON, and check nothing");
}

async function check(path: string | undefined, flags: FlagsOf<typeof options>): Promise<number> {
  const { slo = [], sloTarget } = flags;
  const assertions: PlacedAssertion[] = (flags.assert ?? []).map((text) => ({
    assertion: readAssertion(text, "--assert"),
  }));
  for (const file of flags.file ?? []) assertions.push(...(await readAssertionFile(file)));
  if (flags.list === true) {
    const listed: ListedCheck[] = [
      ...assertions.map(({ assertion, ...place }) => ({ ...place, text: assertion.text })),
      ...slo.map((objective) => ({ text: objectiveName(objective, sloTarget / 100) })),
    ];
    print(JSON.stringify(listed));
    return 0;
  }
  if (assertions.length + slo.length === 0) throw new UserError("nothing to check.", "Give --assert, --file or --slo.");
  if (path === undefined) throw new UserError("there is no artifact to check.", "Give the path of one.");
  const opened = await openFile(path, flags);
  const statistics = opened.kind === "statistics" ? opened.statistics : complete(shownStatistics(opened.run));
  const results: Checked[] = assertions.map(({ assertion, ...place }) => ({
    ...place,
    ...checkAssertion(assertion, statistics),
  }));
  const { attained } = sloReport(runEntries(new StoredRun(statistics)), slo);
  for (const objective of slo)
    results.push(
      checkObjective(
        objective,
        attained.find(({ name }) => name === objective.name),
        sloTarget / 100,
      ),
    );
  if (flags.junit !== undefined) await writeJunit(flags.junit, checkJunit(path, results));
  const failed = results.filter(({ passed }) => !passed);
  if (flags.json === true) print(JSON.stringify(results.map(jsonOf)));
  else {
    if (failed.length > 0) print(failureTable(failed));
    for (const line of [...restartLines(results), ...shareLines(results), ...failed.flatMap(placeLine)]) print(line);
    const what = slo.length === 0 ? "assertions" : "assertions and objectives";
    print(`${results.length - failed.length} of ${results.length} ${what} hold.`);
  }
  return failed.length === 0 ? 0 : failed.every(({ undecided }) => undecided) ? 3 : 1;
}

function jsonOf(result: Checked): CheckJson {
  const { assertion, passed, undecided = false, file, line } = result;
  const place = file === undefined ? {} : { file, line };
  return { text: assertion.text, ...place, passed, undecided, message: passed ? "" : figureText(result) };
}

/** As editors' problem matchers read it. */
function placeLine(result: Checked): string[] {
  const { assertion, file, line } = result;
  return file === undefined ? [] : [`${file}, line ${line}: ${assertion.text} does not hold: ${figureText(result)}`];
}

/** Why it failed with the value, its unit and whose it is, in one line. */
function figureText(result: CheckResult): string {
  const { assertion, reason, series, unit } = result;
  const [first, ...others] = series.filter(({ passed }) => !passed);
  if (first === undefined) return failureText(result);
  const { endpointUrl, labels, value, atLeast } = first;
  const figure = `${assertion.statistic} is ${atLeast === true ? "≥ " : ""}${valueText(value, assertion.statistic, unit)}`;
  const more = others.length === 0 ? "" : `, and ${others.length} more series fail`;
  const why = reason === undefined ? "" : ` (${reason})`;
  return `${figure} at ${displayName(endpointUrl)}${formatLabels(labels)}${more}${why}`;
}

/** Which of the two values of a series that restarted is checked against an assertion. */
function restartLines(results: readonly CheckResult[]): string[] {
  const lines = results.flatMap(({ assertion: { statistic }, family = "", series }) =>
    series.flatMap(({ endpointUrl, labels, value, aiperfValue }) =>
      aiperfValue === undefined
        ? []
        : [
            `${family}${formatLabels(labels)} at ${displayName(endpointUrl)} restarted or appeared during the run: its ${statistic} is computed from the increase, ${exact(value)}; AIPerf's rule (last minus first) gives ${exact(aiperfValue)}.`,
          ],
    ),
  );
  return [...new Set(lines)];
}

/** How well the shares are known whose threshold lies inside a bucket. */
function shareLines(results: readonly CheckResult[]): string[] {
  const lines = results.flatMap(({ assertion: { statistic, threshold }, family = "", series }) =>
    series.flatMap(({ endpointUrl, labels, value, share }) =>
      share === undefined
        ? []
        : [
            `${family}${formatLabels(labels)} at ${displayName(endpointUrl)}: ${statistic}(${threshold ?? NaN}) ${share.beyond === true ? "lies beyond the last bucket" : `is estimated as ${exact(value)}, 90 % interval ${exact(share.interval[0])} to ${exact(share.interval[1])}`}, certain ${exact(share.lower)} to ${exact(share.upper)}.`,
          ],
    ),
  );
  return [...new Set(lines)];
}

function exact(value: number): string {
  return Number.isNaN(value) ? "not known" : String(Number(value.toPrecision(6)));
}

/** One line per series that fails; the assertion stands at its first. */
function failureTable(failed: readonly CheckResult[]): string {
  const lines: string[][] = [];
  for (const result of failed) {
    const { assertion, series, unit, reason } = result;
    const rows = series.filter(({ passed }) => !passed);
    if (rows.length === 0) lines.push([assertion.text, "-", "-", failureText(result)]);
    rows.forEach(({ endpointUrl, labels, value, atLeast }, i) => {
      const name = `${displayName(endpointUrl)}${labels.length === 0 ? "" : ` ${formatLabels(labels)}`}`;
      lines.push([
        i === 0 ? assertion.text : "",
        name,
        `${atLeast === true ? "≥ " : ""}${valueText(value, assertion.statistic, unit)}`,
        i === 0 ? (reason ?? "") : "",
      ]);
    });
  }
  const columns = ["FAILED", "SERIES", right("VALUE"), ""];
  return textTable(columns, lines).text;
}

/** Unrounded where rounding could hide why it failed, with the unit beside it for reading. */
function valueText(value: number, statistic: string, unit: string | undefined): string {
  if (Number.isNaN(value)) return "-";
  const shown = formatValue(value, statisticUnit(statistic, unit));
  return shown === exact(value) ? shown : `${exact(value)} (${shown})`;
}

/** @throws UserError showing the place */
export function readAssertion(text: string, where: string): Assertion {
  try {
    return parseWithPatterns(text);
  } catch (error) {
    if (error instanceof AssertionError) throw new UserError(`${where}, ${error.message}`);
    throw error;
  }
}

/** An assertion, and the place of a file that it stands at. */
export interface PlacedAssertion {
  readonly assertion: Assertion;
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
}

/**
 * Assertions of a YAML or JSON file: a list of them, or an object with the list under `assert`.
 * @throws UserError naming file, line and column
 */
export async function readAssertionFile(file: string): Promise<PlacedAssertion[]> {
  const text = await readNamedText(file);
  const lines = new LineCounter();
  const { contents, errors } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [problem] = errors;
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new UserError(`${file}, line ${line}, column ${col}: ${problem.message}.`);
  }
  const list = isMap(contents) ? contents.get("assert", true) : contents;
  if (!isSeq(list) || list.items.length === 0)
    throw new UserError(
      `${file} holds no list of assertions.`,
      "Write a list of strings, or one under the key assert.",
    );
  return list.items.map((item, i) => {
    if (!isScalar(item) || typeof item.value !== "string")
      throw new UserError(`${file}: assertion ${i + 1} is not a string${isScalar(item) ? "" : "; put it in quotes"}.`);
    const { line } = lines.linePos(item.range?.[0] ?? 0);
    return { assertion: readAssertion(item.value, `${file}, line ${line}, assertion ${i + 1}`), file, line };
  });
}
