import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import {
  describeError,
  type DescribedError,
  type ProgressListener,
  type RequestProgress,
} from "../../src/protocol/index.js";
import { useEffect, useMemo } from "preact/hooks";

export type QueryState<T> =
  | { readonly kind: "loading"; readonly last?: T; readonly progress?: RequestProgress }
  | { readonly kind: "ready"; readonly value: T }
  | { readonly kind: "failed"; readonly error: DescribedError; readonly last?: T };

/** The answer, or the last one before the question that is open or has failed. */
function latestOf<T>(state: QueryState<T>): T | undefined {
  return state.kind === "ready" ? state.value : state.last;
}

/** Asks once; what answers may say how far it is. */
export type Ask<T> = (signal: AbortSignal, report: ProgressListener) => Promise<T>;

/** A question asked again as the run goes on. */
export interface LiveQuery<T> {
  readonly state: ReadonlySignal<QueryState<T>>;
  /** The latest answer, also while another is waited for or was refused. */
  readonly latest: ReadonlySignal<T | undefined>;
  readonly retry: () => void;
  readonly dispose: () => void;
}

export interface Pace {
  /** Rises with every progress of the run. Without it the question is asked once. */
  readonly tick?: ReadonlySignal<number>;
  readonly visible?: ReadonlySignal<boolean>;
  /** Rises when earlier answers are no longer true: the next question does not wait for `minIntervalMs`. */
  readonly renewal?: ReadonlySignal<number>;
  /** Least time from an answer to the next question, milliseconds; read at each answer. Default: none. */
  readonly minIntervalMs?: number;
}

/**
 * Asks at once, and again when `tick` rises: one request in flight, none while invisible, the newest tick never lost.
 * A failed question keeps what is known and is asked again with the next tick or by `retry`.
 */
export function liveQuery<T>(ask: Ask<T>, pace: Pace = {}, initial?: T): LiveQuery<T> {
  const { tick = signal(0), visible = signal(true) } = pace;
  const state = signal<QueryState<T>>(initial === undefined ? { kind: "loading" } : { kind: "loading", last: initial });
  const abort = new AbortController();
  let asked = -1;
  const renewal = () => pace.renewal?.peek() ?? 0;
  let renewed = renewal();
  let inFlight = false;
  let notBefore = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const known = (): T | undefined => latestOf(state.value);

  const run = async () => {
    inFlight = true;
    asked = tick.peek();
    renewed = renewal();
    try {
      const value = await ask(abort.signal, (progress) => {
        const now = state.peek();
        // What is known already stays in sight while it is asked again.
        if (now.kind === "loading") state.value = { ...now, progress };
      });
      if (!abort.signal.aborted) state.value = { kind: "ready", value };
    } catch (error) {
      if (!abort.signal.aborted) {
        const last = known();
        state.value = { kind: "failed", error: describeError(error), ...(last === undefined ? {} : { last }) };
      }
    } finally {
      inFlight = false;
      notBefore = performance.now() + (pace.minIntervalMs ?? 0);
      consider();
    }
  };

  const consider = () => {
    if (abort.signal.aborted || inFlight || !visible.peek() || asked === tick.peek()) return;
    const urgent = asked === -1 || renewed !== renewal();
    if (timer !== undefined && !urgent) return;
    clearTimeout(timer);
    timer = undefined;
    const wait = urgent ? 0 : notBefore - performance.now();
    if (wait <= 0) {
      void run();
      return;
    }
    timer = setTimeout(() => {
      timer = undefined;
      consider();
    }, wait);
  };

  const stop = effect(() => {
    void tick.value;
    void visible.value;
    void pace.renewal?.value;
    untracked(consider);
  });

  return {
    state,
    latest: computed(() => latestOf(state.value)),
    retry() {
      if (inFlight || abort.signal.aborted) return;
      const last = known();
      state.value = last === undefined ? { kind: "loading" } : { kind: "loading", last };
      void run();
    },
    dispose() {
      stop();
      clearTimeout(timer);
      abort.abort();
    },
  };
}

/**
 * A question for a component's life; `key` names it: another key, another question. `keep` carries the last answer over
 * to the next question, where it is still worth showing.
 */
export function useQuery<T>(key: string, ask: Ask<T>, pace: () => Pace, keep = false) {
  const memory = useMemo<{ last?: T }>(() => ({}), []);
  const query: LiveQuery<T> = useMemo(() => liveQuery(ask, pace(), keep ? memory.last : undefined), [key]);
  useEffect(() => query.dispose, [query]);
  const state = query.state.value;
  if (state.kind === "ready") memory.last = state.value;
  return query;
}
