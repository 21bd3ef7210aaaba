import type { LineProblem } from "../../core/artifacts/index.js";
import type { Problem } from "../../core/model/index.js";

/** Lines that are told by number. */
export const LISTED = 10;

/** Says how many lines were skipped, with the number and reason of the first of them. */
export function skippedNotice(count: number, problems: readonly LineProblem[]): Problem {
  const listed = problems.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
  const more = count > problems.length ? `; and ${count - problems.length} more` : "";
  return {
    severity: "warning",
    reason: `${count} ${count === 1 ? "line" : "lines"} could not be read and ${count === 1 ? "was" : "were"} skipped: ${listed}${more}.`,
  };
}
