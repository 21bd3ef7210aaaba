import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";
import { isPrinted } from "../report/browser.js";

/** Height of every row, pixels; the style sheet uses the same. */
export const ROW_HEIGHT = 26;

export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  readonly totalSize: number;
  /** Brings a row into sight. */
  readonly scrollTo: (index: number) => void;
}

/** What a row has beneath it, pixels. `key` changes whenever any of them does. */
export interface ExtraHeights {
  readonly key: string;
  readonly of: (index: number) => number;
}

const NO_EXTRA: ExtraHeights = { key: "", of: () => 0 };

/** The rows in sight of a scrolling element, and the height of all. */
export function useVirtualRows(scroller: RefObject<HTMLElement | null>, count: number, extra = NO_EXTRA): VirtualRows {
  const [, redraw] = useReducer<number, undefined>((n) => n + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (index: number) => ROW_HEIGHT + extra.of(index),
    overscan: 8,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
    ...(isPrinted.value && { rangeExtractor: () => Array.from({ length: count }, (_, i) => i) }),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [extra.key]);
  return {
    items: virtualizer.getVirtualItems(),
    totalSize: virtualizer.getTotalSize(),
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  };
}
