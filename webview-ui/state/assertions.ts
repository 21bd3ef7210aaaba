import { effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import type { Assertion, CheckResult } from "../../src/protocol/index.js";
import { liveQuery, type LiveQuery } from "./live-query.js";
import type { RunStore } from "./run-store.js";

export interface AssertionStore {
  /** One for each of the settings' assertions, in their order; empty until the run has been checked against them. */
  readonly results: ReadonlySignal<readonly CheckResult[]>;
  dispose(): void;
}

/** One and the same, so that charts without assertions are not drawn again. */
const NONE: readonly CheckResult[] = [];

/** Costs as much as the tables of the families asserted. */
export const REFRESH_MS = 5000;

/** Holds the run against the assertions of the settings, as they change and as the run goes on. */
export function createAssertionStore(run: Pick<RunStore, "client" | "pace">): AssertionStore {
  const { client } = run;
  const { answer, dispose } = answerForAssertions(client, NONE, (assertions) =>
    liveQuery((abort) => client.call("check", { assertions }, abort), run.pace(REFRESH_MS)),
  );
  return { results: answer, dispose };
}

/** What tells the assertions of the settings, and when they change. */
interface AssertionClient {
  call(name: "assertions", params: Record<string, never>): Promise<readonly Assertion[]>;
  on(name: "assertions", listener: (payload: { readonly assertions: readonly Assertion[] }) => void): () => void;
}

/** As `answerForList`, of the assertions. */
export function answerForAssertions<T>(
  client: AssertionClient,
  none: T,
  question: (assertions: readonly Assertion[]) => LiveQuery<T>,
  ready?: ReadonlySignal<boolean>,
) {
  return answerForList(
    {
      ask: () => client.call("assertions", {}),
      listen: (onList) => client.on("assertions", ({ assertions }) => onList(assertions)),
    },
    none,
    question,
    ready,
  );
}

/** What tells a list of the settings, and when it changes. */
interface SettingsList<S> {
  readonly ask: () => Promise<readonly S[]>;
  readonly listen: (onList: (list: readonly S[]) => void) => () => void;
}

/**
 * The latest answer to a question about a list of the settings, begun anew as it changes.
 * @param none the answer until there is one, and while the list is empty or nothing is `ready` to be asked
 */
export function answerForList<S, T>(
  source: SettingsList<S>,
  none: T,
  question: (list: readonly S[]) => LiveQuery<T>,
  ready: ReadonlySignal<boolean> = signal(true),
): { readonly answer: ReadonlySignal<T>; readonly dispose: () => void } {
  const list = signal<readonly S[]>([]);
  const answer = signal(none);
  let asking: { readonly query: LiveQuery<T>; readonly stop: () => void } | undefined;
  const end = () => {
    asking?.stop();
    asking?.query.dispose();
    asking = undefined;
  };
  const stopList = effect(() => {
    const wanted = ready.value ? list.value : [];
    untracked(() => {
      end();
      answer.value = none;
      if (wanted.length === 0) return;
      const query = question(wanted);
      const stop = effect(() => {
        const state = query.state.value;
        if (state.kind === "ready") answer.value = state.value;
      });
      asking = { query, stop };
    });
  });
  const unlisten = source.listen((changed) => (list.value = changed));
  // Where the settings cannot be read, the host says so itself.
  source.ask().then(
    (known) => (list.value = known),
    () => undefined,
  );
  return {
    answer,
    dispose() {
      unlisten();
      stopList();
      end();
    },
  };
}
