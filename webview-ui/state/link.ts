import { batch, computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import type { FollowState, LinkState } from "../../src/protocol/index.js";
import { choice } from "./layout.js";
import type { LayoutStore } from "./layout-store.js";
import type { RunStore } from "./run-store.js";

export interface LinkStore {
  readonly state: ReadonlySignal<LinkState>;
  /** Links with the other views, or lets go. Rejects when there is no other. */
  toggle(): Promise<unknown>;
}

/** Moves of one gesture are passed on together. */
const GATHER_MS = 50;

/**
 * Keeps a view with those it is linked with: tells what the user changes here, and shows what was changed there. What
 * came from another view is never sent on, even where this one could not follow (a slice length of a run that cannot
 * be cut anew).
 */
export function createLinkStore(
  run: Pick<RunStore, "client" | "header" | "viewport">,
  layout: Pick<LayoutStore, "layout" | "ready" | "follow">,
): LinkStore {
  const { client } = run;
  const state = signal<LinkState>({ linked: false, others: 0 });
  /** The slice length of the others, while this run has not taken it. */
  const followedSlices = signal<number | undefined>(undefined);
  let cutting = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** What all of them show, as far as this view knows. */
  let shared = "";

  const slices = computed(() => run.header.value?.sliceDurationSeconds);
  const own = computed((): FollowState | undefined => {
    const seconds = slices.value;
    if (seconds === undefined || !layout.ready.value) return undefined;
    const charts = layout.layout.value.charts.map((chart) => choice({ ...chart, series: undefined }));
    return { zoom: run.viewport.value ?? null, charts, sliceSeconds: followedSlices.value ?? seconds };
  });

  // A length that the user chooses here counts from then on.
  effect(() => {
    void slices.value;
    if (cutting === 0) followedSlices.value = undefined;
  });

  effect(() => {
    const current = own.value;
    if (!state.value.linked || current === undefined || JSON.stringify(current) === shared) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const latest = own.peek();
      if (latest === undefined || !state.peek().linked || JSON.stringify(latest) === shared) return;
      shared = JSON.stringify(latest);
      // A host that is gone has no other views either.
      client.call("followLinked", latest).catch(() => undefined);
    }, GATHER_MS);
  });

  const cut = (sliceSeconds: number) => {
    cutting++;
    const settle = (taken: boolean) => {
      cutting--;
      if (taken && cutting === 0 && slices.peek() === followedSlices.peek()) followedSlices.value = undefined;
    };
    client.call("adjust", { sliceSeconds }).then(
      () => settle(true),
      () => settle(false),
    );
  };

  const follow = (next: FollowState) => {
    clearTimeout(timer);
    batch(() => {
      run.viewport.value = next.zoom ?? undefined;
      if (JSON.stringify(own.peek()?.charts) !== JSON.stringify(next.charts)) layout.follow(next.charts);
      const header = run.header.peek();
      if (next.sliceSeconds !== header?.sliceDurationSeconds || cutting > 0) {
        followedSlices.value = next.sliceSeconds;
        if (header?.adjustable === true) cut(next.sliceSeconds);
      }
    });
    shared = JSON.stringify(own.peek());
  };

  const take = (next: LinkState) => {
    // Before the view counts as linked: what it showed until now is not to be sent.
    if (next.linked && !state.peek().linked && next.latest !== undefined)
      whenReady(() => next.latest !== undefined && follow(next.latest));
    state.value = next;
  };
  const whenReady = (act: () => void) => {
    if (own.peek() !== undefined) {
      act();
      return;
    }
    const stop = effect(() => {
      if (own.value === undefined) return;
      // An effect must have returned before it is ended.
      queueMicrotask(() => {
        stop();
        act();
      });
    });
  };

  const toggle = async () => {
    const current = own.peek();
    if (current === undefined) return;
    shared = JSON.stringify(current);
    await client.call("link", { linked: !state.peek().linked, state: current });
  };
  client.on("link", take);
  client.on("followLinked", (next) => state.peek().linked && whenReady(() => follow(next)));
  client.on("toggleLink", () => {
    // The host has looked whether there is anything to link with.
    toggle().catch(() => undefined);
  });
  // Without an answer the view is simply not linked.
  client.call("linkState", {}).then(take, () => undefined);

  return {
    state,
    toggle,
  };
}
