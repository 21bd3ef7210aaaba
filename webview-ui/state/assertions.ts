import { effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import type { Assertion, CheckResult, Objective, SloReport } from "../../src/protocol/index.js";
import { liveQuery, type LiveQuery } from "./live-query.js";
import type { RunStore } from "./run-store.js";

/** One for each of the settings' assertions, in their order; empty until the run has been checked against them. */
export type AssertionResults = ReadonlySignal<readonly CheckResult[]>;

/** One and the same, so that charts without assertions are not drawn again. */
const NONE: readonly CheckResult[] = [];

/** Costs as much as the tables of the families asserted. */
export const REFRESH_MS = 5000;

/** Holds the run against the assertions of the settings, as they change and as the run goes on. */
export function createAssertionResults({ client, pace }: Pick<RunStore, "client" | "pace">): AssertionResults {
  return answerForList(assertionsOf(client), NONE, (assertions) =>
    liveQuery((abort) => client.call("check", { assertions }, abort), pace(REFRESH_MS)),
  );
}

/** What tells the assertions of the settings, and when they change. */
interface AssertionClient {
  call(name: "assertions", params: Record<string, never>): Promise<readonly Assertion[]>;
  on(name: "assertions", listener: (payload: { readonly assertions: readonly Assertion[] }) => void): () => void;
}

/** The assertions of the settings, as they change. */
export function assertionsOf(client: AssertionClient): ReadonlySignal<readonly Assertion[]> {
  return settingsList(client.call("assertions", {}), (hear) =>
    client.on("assertions", ({ assertions }) => hear(assertions)),
  );
}

/** A list of the settings, as it is asked for and as it changes. */
function settingsList<T>(
  asked: Promise<readonly T[]>,
  onChange: (hear: (list: readonly T[]) => void) => void,
): ReadonlySignal<readonly T[]> {
  const list = signal<readonly T[]>([]);
  onChange((changed) => (list.value = changed));
  // Where the settings cannot be read, the host says so itself.
  asked.then(
    (known) => (list.value = known),
    () => undefined,
  );
  return list;
}

/**
 * The latest answer to a question about a list of the settings, begun anew as it changes.
 * @param none the answer until there is one, and while the list is empty
 */
export function answerForList<S, T>(
  list: ReadonlySignal<readonly S[]>,
  none: T,
  question: (list: readonly S[]) => LiveQuery<T>,
): ReadonlySignal<T> {
  const answer = signal(none);
  effect(() => {
    const wanted = list.value;
    answer.value = none;
    if (wanted.length === 0) return undefined;
    const query = untracked(() => question(wanted));
    const stop = query.state.subscribe((state) => {
      if (state.kind === "ready") answer.value = state.value;
    });
    return () => {
      stop();
      query.dispose();
    };
  });
  return answer;
}

/** How far the settings' objectives are met; none are until the run has been checked against them. */
export type AttainedObjectives = ReadonlySignal<SloReport>;

const NOTHING_ATTAINED: SloReport = { attained: [], missing: [] };

/** Holds the run against the objectives of the settings, as they change and as the run goes on. */
export function createAttainedObjectives({ client, pace }: Pick<RunStore, "client" | "pace">): AttainedObjectives {
  const list = settingsList<Objective>(client.call("objectives", {}), (hear) =>
    client.on("objectives", ({ objectives }) => hear(objectives)),
  );
  return answerForList(list, NOTHING_ATTAINED, (objectives) =>
    liveQuery((abort) => client.call("slo", { objectives }, abort), pace(REFRESH_MS)),
  );
}
