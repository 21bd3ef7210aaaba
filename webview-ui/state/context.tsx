import { createContext, type RefObject } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { ViewRequests } from "../../src/protocol/index.js";
import type { AssertionResults, AttainedObjectives } from "./assertions.js";
import type { BackStore } from "./back.js";
import type { LayoutStore } from "./layout-store.js";
import type { LinkStore } from "./link.js";
import type { OpenMenu } from "./menu.js";
import { type Ask, useQuery } from "./live-query.js";
import type { RunStore } from "./run-store.js";

export interface View {
  readonly run: RunStore;
  readonly layout: LayoutStore;
  readonly back: BackStore;
  readonly link: LinkStore;
  readonly assertions: AssertionResults;
  readonly objectives: AttainedObjectives;
  /** The menu of a family or series that is open. */
  readonly menu: Signal<OpenMenu | undefined>;
  /** The family of which the view tells what moves with it. */
  readonly moves: Signal<string | undefined>;
}

const ViewContext = createContext<View | undefined>(undefined);
export const ViewProvider = ViewContext.Provider;

export function useView(): View {
  const view = useContext(ViewContext);
  if (view === undefined) throw new Error("useView outside of the run view");
  return view;
}

interface LiveOptions {
  readonly keep?: boolean;
  readonly inSight?: ReadonlySignal<boolean>;
}

/**
 * A live question for a component's life; `key` names it: another key, another question. `keep` carries the
 * last answer over to the next question, where it is still worth showing.
 */
export function useLiveQuery<T>(
  key: string,
  minIntervalMs: number | (() => number),
  ask: Ask<T>,
  options: LiveOptions = {},
) {
  const { run } = useView();
  return useQuery(key, ask, () => run.pace(minIntervalMs, options.inSight), options.keep);
}

/** One question of the protocol, live: other parameters are another question. */
export function useAnswer<K extends keyof ViewRequests>(
  name: K,
  params: ViewRequests[K]["params"],
  minIntervalMs: number,
  options?: LiveOptions,
) {
  const { client } = useView().run;
  const ask: Ask<ViewRequests[K]["result"]> = (abort, report) => client.call(name, params, abort, report);
  return useLiveQuery(JSON.stringify([name, params]), minIntervalMs, ask, options);
}

/**
 * Whether an element is near what the user sees; true until it is known, so that the first question is not delayed.
 * @param options what counts as near; those of the first call stay. The document is named as the root, because the page
 *   in an editor's frame has no margin without it.
 */
export function useInSight(
  element: RefObject<Element | null>,
  options: IntersectionObserverInit = { root: document, rootMargin: "200px" },
): ReadonlySignal<boolean> {
  const inSight = useSignal(true);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      inSight.value = entries.some((entry) => entry.isIntersecting);
    }, options);
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return inSight;
}

/**
 * Whether something is open or on, as it was left, also when the view is opened again.
 * @param name what it is remembered by
 */
export function useRemembered(name: string, initially: boolean) {
  const { layout } = useView();
  const [usual] = useState(initially);
  return {
    open: layout.layout.value.folds[name] ?? usual,
    set: (open: boolean) => layout.fold(name, open),
  };
}

/** Attributes of a `details` element that is remembered. */
export function useFold(name: string, initially: boolean) {
  const { open, set } = useRemembered(name, initially);
  return {
    open,
    onToggle: (event: { readonly currentTarget: HTMLDetailsElement }) => {
      const now = event.currentTarget.open;
      // A change of `open` by the page toggles it, too.
      if (now !== open) set(now);
    },
  };
}
