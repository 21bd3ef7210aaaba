import { heading, paragraph, table, type Block } from "../../text/document.js";
import { noun, plural } from "../../text/plural.js";
import { quantityText, rowName, shareText } from "../report/report.js";
import { FALSE_FAILURES, worseBeyondVariation, type EarlierRuns } from "../single-runs.js";
import type { Comparison, ComparisonRow } from "../types.js";

/** One guarded metric of one candidate. */
export interface Guarded {
  /** Of its row. */
  readonly id: string;
  /** Family, labels and quantity, for a person. */
  readonly name: string;
  readonly candidate: string;
  /**
   * - passed: it did not get worse, and its interval holds no worsening above the threshold
   * - worse: it did; of single runs, by more than two runs of one configuration differ
   * - undecided: its interval holds a worsening above the threshold
   * - unjudged: there was no verdict at all, so that nothing was checked
   */
  readonly outcome: "passed" | "worse" | "undecided" | "unjudged";
  /** Difference as a share of the baseline. */
  readonly share: number;
  /**
   * The largest worsening, as a share of the baseline, that cannot be ruled out; Infinity where there is no limit, NaN
   * where no direction is good or nothing is known.
   */
  readonly largestWorsening: number;
  /** Of single runs: this run was worse, and it is undecided as two runs of one configuration may differ by as much. */
  readonly worseThisTime?: true;
  readonly reason?: string;
}

/** Of a gate over two single runs, which holds the chance that it fails at all when nothing has changed. */
export interface SingleRunGate {
  readonly falseFailures: number;
  /** Labels of the earlier runs of the baseline's configuration whose spread was used. */
  readonly earlier: readonly string[];
}

/** What `--fail-on worse` makes of a comparison. */
export interface Gate {
  readonly failOn: "worse";
  readonly undecided: "pass" | "fail";
  readonly threshold: number;
  /** 0 passed; 1 something got worse; 3 something could not be checked. */
  readonly exitCode: 0 | 1 | 3;
  /** Absent where there are repeats: their spread decides. */
  readonly singleRuns?: SingleRunGate;
  readonly metrics: readonly Guarded[];
}

/**
 * @param rows the guarded ones
 * @param earlier of two single runs: what earlier runs of the baseline's configuration show
 */
export function gateOf(
  comparison: Comparison,
  rows: readonly ComparisonRow[],
  undecided: "pass" | "fail",
  earlier: EarlierRuns = { labels: [], values: new Map() },
): Gate {
  const { threshold } = comparison.method;
  const failing = comparison.candidates.map(({ runs }, c) => {
    const [first, second] = [...comparison.baseline.runs, ...runs];
    return first === undefined || second === undefined || comparison.baseline.runs.length + runs.length > 2
      ? undefined
      : worseBeyondVariation(
          rows,
          rows.map(({ cells }) => cells[c]),
          Math.min(first.seconds, second.seconds),
          earlier.values,
        );
  });
  const metrics = rows.flatMap((row, r) =>
    row.cells.flatMap((cell, c): Guarded[] => {
      if (cell.elsewhere === true) return [];
      const worseThisTime = cell.verdict === "worse" && failing[c]?.[r] === false;
      const worsening = row.direction === "neutral" ? NaN : row.direction === "down" ? cell.shareHigh : -cell.shareLow;
      return [
        {
          id: row.id,
          name: `${rowName(row, comparison)} ${quantityText(row)}`,
          candidate: comparison.candidates[c]?.label ?? "",
          outcome:
            cell.verdict === "cannot-tell"
              ? "unjudged"
              : cell.verdict === "worse"
                ? worseThisTime
                  ? "undecided"
                  : "worse"
                : cell.verdict !== "same" && worsening > threshold
                  ? "undecided"
                  : "passed",
          share: cell.share,
          largestWorsening: cell.verdict === "cannot-tell" ? NaN : worsening,
          ...(worseThisTime ? { worseThisTime } : {}),
          ...(cell.reason === undefined ? {} : { reason: cell.reason }),
        },
      ];
    }),
  );
  metrics.push(...uncheckedObjectives(comparison));
  const any = (outcome: Guarded["outcome"]) => metrics.some((one) => one.outcome === outcome);
  const exitCode = any("worse") ? 1 : any("unjudged") || (undecided === "fail" && any("undecided")) ? 3 : 0;
  const singleRuns = failing.some((one) => one !== undefined)
    ? { singleRuns: { falseFailures: FALSE_FAILURES, earlier: earlier.labels } }
    : {};
  return { failOn: "worse", undecided, threshold, exitCode, ...singleRuns, metrics };
}

/** Objectives that nothing was checked of. */
function uncheckedObjectives({ warnings, candidates }: Comparison): Guarded[] {
  return warnings.flatMap(({ kind, message, candidate }): Guarded[] => {
    if (kind !== "objectives") return [];
    const concerned = candidate === undefined ? candidates : candidates.slice(candidate, candidate + 1);
    return concerned.map(({ label }) => ({
      id: message,
      name: "service level objective",
      candidate: label,
      outcome: "unjudged",
      share: NaN,
      largestWorsening: NaN,
      reason: message,
    }));
  });
}

/** "a worsening by up to 12 % cannot be ruled out" and the like; "" for what passed. */
export function guardedText({ outcome, share, largestWorsening, worseThisTime, reason }: Guarded): string {
  const limited = Number.isFinite(largestWorsening);
  if (worseThisTime === true)
    return `this run was ${worseText(share)}, which two runs of one configuration can differ by`;
  switch (outcome) {
    case "passed":
      return "";
    case "worse":
      return `${worseText(share)}${limited ? `, at most by ${percent(largestWorsening)}` : ""}`;
    case "undecided":
      return `a worsening ${limited ? `by up to ${percent(largestWorsening)}` : "of any size"} cannot be ruled out`;
    case "unjudged":
      return `cannot be judged${reason === undefined ? "" : `: ${reason}`}`;
  }
}

/** In one sentence, for a terminal and a report. */
export function gateSummary({ metrics, exitCode, undecided, threshold, singleRuns }: Gate): string {
  const count = (outcome: Guarded["outcome"]) => metrics.filter((one) => one.outcome === outcome).length;
  const thisTime = metrics.filter(({ worseThisTime }) => worseThisTime === true).length;
  const [worse, open, unjudged] = [count("worse"), count("undecided") - thisTime, count("unjudged")];
  const parts = [
    worse === 0 ? `None of ${metrics.length} guarded metrics got worse` : `${worse} of ${metrics.length} got worse`,
    ...(thisTime > 0 ? [`${thisTime} ${noun(thisTime, "was", "were")} worse in this run, which may be chance`] : []),
    ...(unjudged > 0 ? [`${unjudged} cannot be judged`] : []),
    ...(open > 0 ? [`for ${open} a worsening above ${percent(threshold)} cannot be ruled out`] : []),
  ];
  const verdict =
    exitCode === 0
      ? "passed"
      : exitCode === 1
        ? "failed"
        : unjudged > 0
          ? "not checked"
          : `not checked (--undecided ${undecided})`;
  return `Gate ${verdict}: ${parts.join("; ")}.${singleRuns === undefined ? "" : ` ${singleRunsText(singleRuns)}`}`;
}

function singleRunsText({ falseFailures, earlier }: SingleRunGate): string {
  const chance = `Of single runs without a change at most ${percent(falseFailures)} fail`;
  const repeats = "three or more repeats of each would";
  return earlier.length === 0
    ? `${chance}, by a cautious bound on how much runs of one configuration differ: ${repeats} measure that, and find smaller differences.`
    : `${chance}, by the spread of ${plural(earlier.length, "earlier run")} of the baseline's configuration (${earlier.slice(0, MAX_NAMED).join(", ")}${earlier.length > MAX_NAMED ? ", …" : ""}): ${repeats} find smaller differences.`;
}

/** Names that a line has room for. */
const MAX_NAMED = 3;

/** "worse by 12 %", "worse: ×95", "worse: from 0". */
function worseText(share: number): string {
  const text = shareText(Math.abs(share));
  return text.startsWith("+") ? `worse by ${text.slice(1)}` : `worse: ${text}`;
}

function percent(share: number): string {
  return shareText(share).replace("+", "");
}

/** For a pull request: the outcome, and what did not plainly pass. */
export function gateDocument(gate: Gate): readonly Block[] {
  const listed = gate.metrics.filter(({ outcome }) => outcome !== "passed");
  const several = new Set(gate.metrics.map(({ candidate }) => candidate)).size > 1;
  const rows = listed.map((one) => [one.name, ...(several ? [one.candidate] : []), one.outcome, guardedText(one)]);
  return [
    heading("Gate", 3),
    paragraph(gateSummary(gate)),
    ...(rows.length === 0 ? [] : [table(["Guarded metric", ...(several ? ["Candidate"] : []), "Outcome", ""], rows)]),
  ];
}
