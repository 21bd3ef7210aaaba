import { useState } from "preact/hooks";
import { useView } from "./context.js";

/**
 * Whether something is open or on, as it was left, also when the view is opened again.
 * @param name what it is remembered by
 */
export function useRemembered(name: string, initially: boolean) {
  const { layout } = useView();
  const [usual] = useState(initially);
  return {
    open: layout.layout.value.folds[name] ?? usual,
    set: (open: boolean) => layout.dispatch({ kind: "fold", name, open }),
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
