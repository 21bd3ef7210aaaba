import type { Reachability } from "../../protocol/index.js";
import { problemWords } from "../words.js";

/** "2/3 endpoints reachable", then each that is not with its reason and remedy. */
export function reachabilityText(results: readonly Reachability[]): string {
  const missing = results.filter((one) => !one.reachable);
  const head = `${results.length - missing.length}/${results.length} endpoints reachable`;
  const reasons = missing.map((one) => `${one.displayName}: ${problemWords(one.problem ?? { reason: "no answer" })}`);
  const others = results.flatMap(({ displayName, answersInstead }) =>
    answersInstead === undefined ? [] : [`${displayName}: ${answersInstead}.`],
  );
  return [`${head}.`, ...reasons, ...others].join(" ");
}
