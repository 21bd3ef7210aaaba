import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import type { ComparisonRow } from "../../../src/protocol/comparison.js";
import type { Assertion, CheckResult } from "../../../src/protocol/index.js";
import { assertionText, thresholdsOf, type Threshold } from "../../assertions/text.js";
import { liveQuery, type LiveQuery } from "../../state/live-query.js";
import type { ChartQuantity } from "../layout.js";
import type { ComparisonStore } from "../store.js";

/** What the assertions of the settings give on each of the compared runs. */
export type ComparedChecks = readonly { readonly label: string; readonly results: readonly CheckResult[] }[];

export interface ComparedAssertions {
  readonly checks: ReadonlySignal<ComparedChecks>;
  dispose(): void;
}

/** One and the same, so that charts without assertions are not drawn again. */
const NONE: ComparedChecks = [];

/** Costs as much as the tables of the families asserted. */
const REFRESH_MS = 5000;

/** Holds the compared runs against the assertions of the settings, with every new result. */
export function createComparedAssertions({ client, state, revision }: Pick<ComparisonStore, "client" | "state" | "revision">): ComparedAssertions {
  const list = signal<readonly Assertion[]>([]);
  const checks = signal<ComparedChecks>(NONE);
  let asking: { readonly query: LiveQuery<ComparedChecks>; readonly stop: () => void } | undefined;
  const end = () => {
    asking?.stop();
    asking?.query.dispose();
    asking = undefined;
  };
  const ask = async (assertions: readonly Assertion[], abort: AbortSignal): Promise<ComparedChecks> => {
    const ready = (state.peek()?.runs ?? []).flatMap(({ label, state: { kind } }, run) => (kind === "ready" ? [{ label, run }] : []));
    return Promise.all(ready.map(async ({ label, run }) => ({ label, results: await client.call("runCheck", { run, assertions }, abort) })));
  };
  const compared = computed(() => revision.value > 0);
  const stopList = effect(() => {
    const assertions = compared.value ? list.value : [];
    untracked(() => {
      end();
      checks.value = NONE;
      if (assertions.length === 0) return;
      const query = liveQuery((abort) => ask(assertions, abort), { tick: revision, visible: signal(true), minIntervalMs: REFRESH_MS });
      const stop = effect(() => {
        const answer = query.state.value;
        if (answer.kind === "ready") checks.value = answer.value;
      });
      asking = { query, stop };
    });
  });
  const unlisten = client.on("assertions", ({ assertions }) => (list.value = assertions));
  // Where the settings cannot be read, the host says so itself.
  client.call("assertions", {}).then((assertions) => (list.value = assertions), () => undefined);
  return {
    checks,
    dispose() {
      unlisten();
      stopList();
      end();
    },
  };
}

/** The limits that a chart of the row's lines can show, each once, with the runs that break it. */
export function comparedThresholds(checks: ComparedChecks, row: Pick<ComparisonRow, "family" | "names" | "type">, quantity: ChartQuantity): readonly Threshold[] {
  const names = new Set([row.family, ...(row.names ?? [])]);
  const drawn = (statistic: string) => row.type !== "histogram" || statistic === (quantity === "avg" ? "avg" : `${quantity}_estimate`);
  const limits = new Map<string, { readonly result: CheckResult; readonly value: number; readonly failedIn: string[] }>();
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
    text: `${failedIn.length === 0 ? "" : `failed in ${failedIn.join(", ")}: `}${assertionText(result)}`,
    failed: failedIn.length > 0,
  }));
}
