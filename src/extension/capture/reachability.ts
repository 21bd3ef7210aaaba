import { reachableCount } from "../../core/model/index.js";
import type { Reachability } from "../../protocol/index.js";
import { problemWords } from "../words.js";

/** How many are reachable, then each that is not with its reason and remedy, what others answer, and where. */
export function reachabilityText(results: readonly Reachability[]): string {
  const missing = results.filter((one) => !one.reachable);
  const reasons = missing.map((one) => `${one.displayName}: ${problemWords(one.problem ?? { reason: "no answer" })}`);
  const others = results.flatMap(({ displayName, answersInstead }) =>
    answersInstead === undefined ? [] : [`${displayName}: ${answersInstead}.`],
  );
  const notes = results.flatMap(({ reachable, problem }) =>
    reachable && problem?.severity === "info" ? [problemWords(problem)] : [],
  );
  return [`${reachableCount(results)}.`, ...reasons, ...others, ...notes].join(" ");
}
