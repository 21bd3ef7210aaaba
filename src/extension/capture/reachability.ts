import { t } from "@vscode/l10n";
import { hasMetrics } from "../../core/model/capture.js";
import { plural } from "../../core/text/plural.js";
import type { Reachability } from "../../protocol/index.js";
import { problemWords } from "../words.js";

/** How many have metrics. */
export function metricsText(results: readonly Reachability[]): string {
  const count = results.filter(hasMetrics).length;
  return t`${count} of ${plural(results.length, t("endpoint"), t("endpoints"))} ${count === 1 || results.length === 1 ? t("has") : t("have")} metrics.`;
}

/** How many have metrics, then each that is not reachable with its reason and remedy, what others answer, and where. */
export function reachabilityText(results: readonly Reachability[]): string {
  const missing = results.filter((one) => !one.reachable);
  const reasons = missing.map(
    (one) => `${one.displayName}: ${problemWords(one.problem ?? { reason: t("no answer") })}`,
  );
  const others = results.flatMap(({ displayName, answersInstead }) =>
    answersInstead === undefined ? [] : [`${displayName}: ${answersInstead}.`],
  );
  const notes = results.flatMap(({ reachable, problem }) =>
    reachable && problem?.severity === "info" ? [problemWords(problem)] : [],
  );
  return [metricsText(results), ...reasons, ...others, ...notes].join(" ");
}
