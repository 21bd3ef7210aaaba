import { effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type {
  ComparisonState,
  ComparisonViewEvents,
  ComparisonViewRequests,
  IdentifiedComparison,
} from "../../src/protocol/comparison.js";
import type { ChannelClient } from "../../src/protocol/index.js";
import type { RunColors } from "./run-colors.js";
import { liveQuery, type LiveQuery } from "../state/live-query.js";
import type { Viewport } from "../state/run-store.js";

export type ComparisonPageClient = ChannelClient<ComparisonViewRequests, ComparisonViewEvents>;

/** What the view knows of its comparison. Runs and their samples stay with the engine. */
export interface ComparisonStore {
  readonly client: ComparisonPageClient;
  /** The first answer; later states are pushed. */
  readonly first: LiveQuery<ComparisonState>;
  readonly state: ReadonlySignal<ComparisonState | undefined>;
  /** The newest result; asked for anew with every revision. */
  readonly result: LiveQuery<IdentifiedComparison | undefined>;
  /** Undefined without one: before the first, and while the runs cannot be compared. */
  readonly comparison: ReadonlySignal<IdentifiedComparison | undefined>;
  /** Of the newest result that there is; charts are asked for anew with it. */
  readonly revision: ReadonlySignal<number>;
  readonly colors: RunColors;
  /** Whether the page is in sight. */
  readonly visible: ReadonlySignal<boolean>;
  /** Part of the common time axis that all charts show; undefined: all of it. */
  readonly viewport: Signal<Viewport | undefined>;
  /** The time that is pointed at in any chart. */
  readonly pointed: Signal<number | undefined>;
}

/** Hears of states, and takes a result whenever there is a newer one. */
export function createComparisonStore(client: ComparisonPageClient, colors: RunColors): ComparisonStore {
  const visible = signal(document.visibilityState !== "hidden");
  const state = signal<ComparisonState | undefined>(undefined);
  const comparison = signal<IdentifiedComparison | undefined>(undefined);
  const revision = signal(0);
  const take = (next: ComparisonState) => {
    const known = state.peek();
    // The first answer may come after a newer state was pushed. An engine that takes the place of one that ended begins
    // anew.
    if (known !== undefined && known.problem?.code !== "engine-ended" && next.revision < known.revision) return;
    colors.settle([...new Set(next.runs.map(({ id, set = id }) => set))]);
    state.value = next;
    if (next.problem !== undefined) comparison.value = undefined;
    revision.value = next.revision;
  };

  const first = liveQuery((abort) => client.call("comparisonState", {}, abort));
  const result = liveQuery(
    async (abort) => (revision.peek() === 0 ? undefined : (await client.call("comparison", {}, abort)).comparison),
    { tick: revision, visible },
  );
  effect(() => {
    const answer = first.state.value;
    if (answer.kind === "ready") take(answer.value);
  });
  effect(() => {
    const answer = result.state.value;
    if (answer.kind === "ready" && answer.value !== undefined) comparison.value = answer.value;
  });
  client.on("state", take);
  document.addEventListener("visibilitychange", () => {
    visible.value = document.visibilityState !== "hidden";
  });
  return {
    client,
    first,
    state,
    result,
    comparison,
    revision,
    colors,
    visible,
    viewport: signal<Viewport | undefined>(undefined),
    pointed: signal<number | undefined>(undefined),
  };
}
