import { useState } from "preact/hooks";
import { useView } from "./context.js";

/**
 * Attributes of a `details` element that stays as it was left, also when the view is opened again.
 * @param name what it is remembered by
 */
export function useFold(name: string, initially: boolean) {
  const { layout } = useView();
  const [usual] = useState(initially);
  const open = layout.layout.value.folds[name] ?? usual;
  return {
    open,
    onToggle: (event: { readonly currentTarget: HTMLDetailsElement }) => {
      const now = event.currentTarget.open;
      // A change of `open` by the page toggles it, too.
      if (now !== open) layout.dispatch({ kind: "fold", name, open: now });
    },
  };
}
