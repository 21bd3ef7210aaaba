import { t } from "@vscode/l10n";
import { computed, type ReadonlySignal } from "@preact/signals";
import type { ComparisonRow } from "../../../src/protocol/comparison.js";
import type { Assertion, CheckResult } from "../../../src/protocol/index.js";
import { assertionText, thresholdsOf, type Threshold } from "../../assertions/assertions.js";
import { answerForList, assertionsOf, REFRESH_MS } from "../../state/assertions.js";
import { liveQuery } from "../../state/live-query.js";
import type { ChartQuantity } from "../layout.js";
import type { ComparisonStore } from "../store.js";

/** What the assertions of the settings give on each of the compared runs. */
export type ComparedChecks = readonly { readonly label: string; readonly results: readonly CheckResult[] }[];

/** One and the same, so that charts without assertions are not drawn again. */
const NONE: ComparedChecks = [];

/** Holds the compared runs against the assertions of the settings, with every new result. */
export function createComparedChecks({
  client,
  state,
  revision,
}: Pick<ComparisonStore, "client" | "state" | "revision">): ReadonlySignal<ComparedChecks> {
  const ask = async (assertions: readonly Assertion[], abort: AbortSignal): Promise<ComparedChecks> => {
    const ready = (state.peek()?.runs ?? []).flatMap(({ id, label, state: { kind } }) =>
      kind === "ready" ? [{ label, run: id }] : [],
    );
    return Promise.all(
      ready.map(async ({ label, run }) => ({
        label,
        results: await client.call("runCheck", { run, assertions }, abort),
      })),
    );
  };
  const assertions = assertionsOf(client);
  const none: readonly Assertion[] = [];
  return answerForList(
    computed(() => (revision.value > 0 ? assertions.value : none)),
    NONE,
    (wanted) => liveQuery((abort) => ask(wanted, abort), { tick: revision, minIntervalMs: REFRESH_MS }),
  );
}

/** The limits that a chart of the row's lines can show, each once, with the runs that break it. */
export function comparedThresholds(
  checks: ComparedChecks,
  row: Pick<ComparisonRow, "family" | "names" | "type" | "quantity">,
  quantity: ChartQuantity,
): readonly Threshold[] {
  // Assertions are about families, none about the ratio of two.
  if (row.quantity === "ratio") return [];
  const names = new Set([row.family, ...(row.names ?? [])]);
  const drawn = (statistic: string) =>
    row.type !== "histogram" || statistic === (quantity === "avg" ? "avg" : `${quantity}_estimate`);
  const limits = new Map<
    string,
    { readonly result: CheckResult; readonly value: number; readonly failedIn: string[] }
  >();
  for (const { label, results } of checks) {
    for (const result of results) {
      if (result.family === undefined || !names.has(result.family) || !drawn(result.assertion.statistic)) continue;
      const [threshold] = thresholdsOf([result], result.family, row.type);
      if (threshold === undefined) continue;
      const known = limits.get(result.assertion.text) ?? { result, value: threshold.value, failedIn: [] };
      if (threshold.failed) known.failedIn.push(label);
      limits.set(result.assertion.text, known);
    }
  }
  return [...limits.values()].map(({ result, value, failedIn }) => ({
    value,
    text: `${failedIn.length === 0 ? "" : t`failed in ${failedIn.join(", ")}: `}${assertionText(result)}`,
    failed: failedIn.length > 0,
  }));
}
