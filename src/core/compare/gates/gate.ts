import { quantityText, rowName, shareText } from "../report/report.js";
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
   * - worse: it did
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
  readonly reason?: string;
}

/** What `--fail-on worse` makes of a comparison. */
export interface Gate {
  readonly failOn: "worse";
  readonly undecided: "pass" | "fail";
  readonly threshold: number;
  /** 0 passed; 1 something got worse; 3 something could not be checked. */
  readonly exitCode: 0 | 1 | 3;
  readonly metrics: readonly Guarded[];
}

/** @param rows the guarded ones */
export function gateOf(comparison: Comparison, rows: readonly ComparisonRow[], undecided: "pass" | "fail"): Gate {
  const { threshold } = comparison.method;
  const metrics = rows.flatMap((row) =>
    row.cells.flatMap((cell, c): Guarded[] => {
      if (cell.elsewhere === true) return [];
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
                ? "worse"
                : cell.verdict !== "same" && worsening > threshold
                  ? "undecided"
                  : "passed",
          share: cell.share,
          largestWorsening: cell.verdict === "cannot-tell" ? NaN : worsening,
          ...(cell.reason === undefined ? {} : { reason: cell.reason }),
        },
      ];
    }),
  );
  metrics.push(...uncheckedObjectives(comparison));
  const any = (outcome: Guarded["outcome"]) => metrics.some((one) => one.outcome === outcome);
  const exitCode = any("worse") ? 1 : any("unjudged") || (undecided === "fail" && any("undecided")) ? 3 : 0;
  return { failOn: "worse", undecided, threshold, exitCode, metrics };
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
export function guardedText({ outcome, share, largestWorsening, reason }: Guarded): string {
  const limited = Number.isFinite(largestWorsening);
  switch (outcome) {
    case "passed":
      return "";
    case "worse":
      return `worse by ${percent(Math.abs(share))}${limited ? `, at most by ${percent(largestWorsening)}` : ""}`;
    case "undecided":
      return `a worsening ${limited ? `by up to ${percent(largestWorsening)}` : "of any size"} cannot be ruled out`;
    case "unjudged":
      return `cannot be judged${reason === undefined ? "" : `: ${reason}`}`;
  }
}

/** In one sentence, for a terminal and a report. */
export function gateSummary({ metrics, exitCode, undecided, threshold }: Gate): string {
  const count = (outcome: Guarded["outcome"]) => metrics.filter((one) => one.outcome === outcome).length;
  const [worse, open, unjudged] = [count("worse"), count("undecided"), count("unjudged")];
  const parts = [
    worse === 0 ? `None of ${metrics.length} guarded metrics got worse` : `${worse} of ${metrics.length} got worse`,
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
  return `Gate ${verdict}: ${parts.join("; ")}.`;
}

function percent(share: number): string {
  return shareText(share).replace("+", "");
}

/** For a pull request: the outcome, and what did not plainly pass. */
export function gateMarkdown(gate: Gate): string {
  const listed = gate.metrics.filter(({ outcome }) => outcome !== "passed");
  const several = new Set(gate.metrics.map(({ candidate }) => candidate)).size > 1;
  const escape = (text: string) => text.replace(/\r?\n/g, " ").replace(/[\\|<>*_[\]]/g, (one) => `\\${one}`);
  const rows = listed.map(
    (one) =>
      `| ${escape(one.name)} |${several ? ` ${escape(one.candidate)} |` : ""} ${one.outcome} | ${escape(guardedText(one))} |`,
  );
  return [
    "### Gate",
    "",
    gateSummary(gate),
    "",
    ...(rows.length === 0
      ? []
      : [
          `| Guarded metric |${several ? " Candidate |" : ""} Outcome | |`,
          `|---|${several ? "---|" : ""}---|---|`,
          ...rows,
          "",
        ]),
  ].join("\n");
}
