import { effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import type { Assertion, CheckResult } from "../../src/protocol/index.js";
import { liveQuery, type LiveQuery } from "./live-query.js";
import type { RunStore } from "./run-store.js";

export interface AssertionStore {
  /** One for each of the settings' assertions, in their order; empty until the run has been held against them. */
  readonly results: ReadonlySignal<readonly CheckResult[]>;
  dispose(): void;
}

/** One and the same, so that charts without assertions are not drawn again. */
const NONE: readonly CheckResult[] = [];

/** Costs as much as the tables of the families asserted. */
const REFRESH_MS = 5000;

/** Holds the run against the assertions of the settings, as they change and as the run goes on. */
export function createAssertionStore(run: Pick<RunStore, "client" | "pace">): AssertionStore {
  const { client } = run;
  const list = signal<readonly Assertion[]>([]);
  const results = signal<readonly CheckResult[]>(NONE);
  let checking: { readonly query: LiveQuery<readonly CheckResult[]>; readonly stop: () => void } | undefined;
  const end = () => {
    checking?.stop();
    checking?.query.dispose();
    checking = undefined;
  };
  const stopList = effect(() => {
    const assertions = list.value;
    untracked(() => {
      end();
      results.value = NONE;
      if (assertions.length === 0) return;
      const query = liveQuery((abort) => client.call("check", { assertions }, abort), run.pace(REFRESH_MS));
      const stop = effect(() => {
        const state = query.state.value;
        if (state.kind === "ready") results.value = state.value;
      });
      checking = { query, stop };
    });
  });
  const unlisten = client.on("assertions", ({ assertions }) => (list.value = assertions));
  // Where the settings cannot be read, the host says so itself.
  client.call("assertions", {}).then((assertions) => (list.value = assertions), () => undefined);
  return {
    results,
    dispose() {
      unlisten();
      stopList();
      end();
    },
  };
}
