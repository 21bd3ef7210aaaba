import type { ReadonlySignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** What is said of a cell beyond its number, and the cell. */
export interface CellHint {
  readonly cell: HTMLElement;
  readonly lines: readonly string[];
}

interface CellHintProps {
  readonly id: string;
  readonly hint: ReadonlySignal<CellHint | undefined>;
  /** Its cell is no longer there. */
  readonly onGone: () => void;
}

const GAP = 4;

/**
 * Stands beneath its cell, or above it where there is no room, wherever that is scrolled; empty and unseen while there
 * is nothing to say.
 */
export function CellHintView({ id, hint, onGone }: CellHintProps) {
  const element = useRef<HTMLDivElement>(null);
  const shown = hint.value;
  useLayoutEffect(() => {
    const box = element.current;
    if (shown === undefined || box === null) return;
    const place = () => {
      if (shown.cell.isConnected) placeBy(box, shown.cell);
      else onGone();
    };
    place();
    // Captured, for the table's own scrolling does not bubble.
    document.addEventListener("scroll", place, true);
    return () => document.removeEventListener("scroll", place, true);
  }, [shown]);
  return (
    <div class="hint" id={id} role="tooltip" ref={element} hidden={shown === undefined}>
      {shown?.lines.map((line, i) => (
        <div key={line} class={i === 0 ? undefined : "muted"}>
          {line}
        </div>
      ))}
    </div>
  );
}

function placeBy(box: HTMLElement, cell: HTMLElement): void {
  const { right, top, bottom } = cell.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  box.style.left = `${Math.max(GAP, Math.min(right, clientWidth - GAP) - width)}px`;
  box.style.top = `${bottom + GAP + height <= clientHeight ? bottom + GAP : top - GAP - height}px`;
}
