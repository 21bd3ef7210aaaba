import type { LineProblem } from "../../core/artifacts/index.js";
import { type Problem, warningOf } from "../../core/model/index.js";
import { noun, grouped } from "../../core/text/plural.js";

/** Lines that are named by number. */
export const LISTED = 10;

/** Says how many lines were skipped, with the number and reason of the first of them. */
export function skippedNotice(count: number, problems: readonly LineProblem[]): Problem {
  const listed = problems.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
  const more = count > problems.length ? `; and ${count - problems.length} more` : "";
  return warningOf(
    `${count} ${noun(count, "line")} could not be read and ${noun(count, "was", "were")} skipped: ${listed}${more}.`,
  );
}

/**
 * Says how many samples were left out, and of which endpoints.
 * @param dropped samples by endpoint; one at least
 */
export function droppedNotice(dropped: ReadonlyMap<string, number>, limit: number): Problem {
  const all = Array.from(dropped, ([url, count]) => `${grouped(count)} of ${url}`);
  const more = all.length > LISTED ? `; and those of ${all.length - LISTED} more endpoints` : "";
  return warningOf(
    `Samples were left out: ${all.slice(0, LISTED).join("; ")}${more}. An endpoint may have ${grouped(limit)} series in a file. The rest is shown.`,
    "To read them too, give show or export a higher --series-limit.",
  );
}
