import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/**
 * Nothing is pointed at any more once something lies above the charts: a menu or a panel that opens by a key, or a
 * dialog of the workbench, which takes the focus.
 */
export function useClearPointed(pointed: Signal<number | undefined>): void {
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
}
