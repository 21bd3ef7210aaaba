import { reachableCount } from "../../core/model/index.js";
import type { Reachability } from "../../protocol/index.js";
import { problemWords } from "../words.js";

/** How many are reachable, then each that is not with its reason and remedy, and what others answer. */
export function reachabilityText(results: readonly Reachability[]): string {
  const missing = results.filter((one) => !one.reachable);
  const reasons = missing.map((one) => `${one.displayName}: ${problemWords(one.problem ?? { reason: "no answer" })}`);
  const others = results.flatMap(({ displayName, answersInstead }) =>
    answersInstead === undefined ? [] : [`${displayName}: ${answersInstead}.`],
  );
  return [`${reachableCount(results)}.`, ...reasons, ...others].join(" ");
}
