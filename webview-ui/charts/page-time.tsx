import type { Signal } from "@preact/signals";
import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect } from "preact/hooks";
import type { Viewport } from "../state/run-store.js";

/** What all charts of a page share, in seconds from the start of profiling. */
export interface PageTime {
  /** The part of the time axis that they show; undefined: all of it. */
  readonly viewport: Signal<Viewport | undefined>;
  /** The time that is pointed at in any of them. */
  readonly pointed: Signal<number | undefined>;
}

const Context = createContext<PageTime | undefined>(undefined);

/**
 * Gives a page's charts their time. Nothing is pointed at any more once something lies above the charts: a menu or a
 * panel that opens by a key, or a dialog of the workbench, which takes the focus.
 */
export function PageTimeProvider({ of, children }: { readonly of: PageTime; readonly children: ComponentChildren }) {
  const { pointed } = of;
  useEffect(() => {
    const clear = () => (pointed.value = undefined);
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.closest("[role=menu], [role=dialog]") !== null) clear();
    };
    document.addEventListener("focusin", onFocus);
    window.addEventListener("blur", clear);
    return () => {
      document.removeEventListener("focusin", onFocus);
      window.removeEventListener("blur", clear);
    };
  }, [pointed]);
  return <Context.Provider value={of}>{children}</Context.Provider>;
}

export function usePageTime(): PageTime {
  const time = useContext(Context);
  if (time === undefined) throw new Error("usePageTime outside of a page with charts");
  return time;
}
