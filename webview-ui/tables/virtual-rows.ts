import { elementScroll, observeElementOffset, observeElementRect, Virtualizer, type VirtualItem } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

/** Height of every row, pixels; the style sheet uses the same. */
export const ROW_HEIGHT = 26;

/** The rows in sight of a scrolling element, and the height of all. */
export function useVirtualRows(scroller: RefObject<HTMLElement | null>, count: number): { readonly items: readonly VirtualItem[]; readonly totalSize: number } {
  const [, redraw] = useReducer<number, undefined>((n) => n + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return { items: virtualizer.getVirtualItems(), totalSize: virtualizer.getTotalSize() };
}
