import { Command } from "commander";
import { UserError } from "../../core/text/user-error.js";
import { formatValue, statisticUnit } from "../../core/catalog/index.js";
import { checkAssertion, type Assertion, type CheckResult } from "../../core/compare/index.js";
import { displayName, formatLabels, type RunStatistics } from "../../core/model/index.js";
import { shownStatistics } from "../../core/query/index.js";
import { complete } from "../../core/stats/index.js";
import { openFile } from "../input/artifact.js";
import { readAssertion, readAssertionFile } from "../options/assertions.js";
import { checkJunit, failureText, writeJunit } from "../print/junit.js";
import { append, withClientOptions, type ClientFlags } from "../options/shared.js";
import { textTable } from "../print/table.js";
import { print } from "../print/terminal.js";

interface Flags extends ClientFlags {
  readonly assert?: readonly string[];
  readonly file?: readonly string[];
  readonly junit?: string;
}

/** `check`. @param setExit gets 0 where all assertions hold, 1 where one fails, 3 where one cannot be decided */
export function checkCommand(setExit: (code: number) => void): Command {
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
    .argument("<artifact>", "any artifact of a run")
    .option("--assert <assertion>", "what must hold (repeatable)", append)
    .option("--file <file>", "YAML or JSON with a list of assertions (repeatable)", append)
    .option("--junit <file>", "write the results for a CI system")
    .action(async (path: string, flags: Flags) => setExit(await check(path, flags)));
}

async function check(path: string, flags: Flags): Promise<number> {
  const assertions: Assertion[] = (flags.assert ?? []).map((text) => readAssertion(text, "--assert"));
  for (const file of flags.file ?? []) assertions.push(...(await readAssertionFile(file)));
  if (assertions.length === 0) throw new UserError("nothing to check.", "Give --assert or --file.");
  const statistics = await statisticsOf(path, flags);
  const results = assertions.map((assertion) => checkAssertion(assertion, statistics));
  if (flags.junit !== undefined) await writeJunit(flags.junit, checkJunit(path, results));
  const failed = results.filter(({ passed }) => !passed);
  if (failed.length > 0) print(failureTable(failed));
  for (const line of [...restartLines(results), ...shareLines(results)]) print(line);
  print(`${results.length - failed.length} of ${results.length} assertions hold.`);
  return failed.length === 0 ? 0 : failed.every(({ undecided }) => undecided) ? 3 : 1;
}

async function statisticsOf(path: string, flags: ClientFlags): Promise<RunStatistics> {
  const opened = await openFile(path, flags);
  if (opened.kind === "statistics") return opened.statistics;
  return complete(shownStatistics(opened.run));
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
  const columns = [
    { title: "FAILED" },
    { title: "SERIES" },
    { title: "VALUE", align: "right" as const },
    { title: "" },
  ];
  return textTable(columns, lines).text;
}

/** Unrounded where rounding could hide why it failed, with the unit beside it for reading. */
function valueText(value: number, statistic: string, unit: string | undefined): string {
  if (Number.isNaN(value)) return "-";
  const shown = formatValue(value, statisticUnit(statistic, unit));
  return shown === exact(value) ? shown : `${exact(value)} (${shown})`;
}
