import { useLayoutEffect, useRef } from "preact/hooks";

interface HintProps {
  readonly id?: string;
  /** Of a cell a tooltip; of a drawing whose points are walked through, a status. */
  readonly role: "tooltip" | "status";
  /** Empty: nothing is shown. */
  readonly lines: readonly string[];
  /** The middle of what it is about, and its ends, in the window, CSS pixels. @param holder holds the hint */
  readonly at: (holder: HTMLElement) => HintPlace | undefined;
}

interface HintPlace {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

const GAP = 8;

/**
 * What is said of one point of a drawing or one cell of a table, to pointer and screen reader alike: above the point,
 * beneath the cell, where there is room, wherever that is scrolled.
 */
export function Hint({ id, role, lines, at }: HintProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (lines.length === 0) return;
    const place = () => {
      const [box, holder] = [element.current, element.current?.parentElement];
      const about = holder && at(holder);
      if (box === null || !about) return;
      const { width, height } = box.getBoundingClientRect();
      const { clientWidth, clientHeight } = document.documentElement;
      const [above, beneath] = [about.top - height - GAP, about.bottom + GAP];
      // A table's heads stay in sight.
      const isBeneath = above <= 0 || (role === "tooltip" && beneath + height <= clientHeight);
      box.style.left = `${Math.max(GAP, Math.min(about.x - width / 2, clientWidth - width - GAP))}px`;
      box.style.top = `${isBeneath ? beneath : above}px`;
    };
    place();
    // Captured, for a table's own scrolling does not bubble.
    document.addEventListener("scroll", place, true);
    return () => document.removeEventListener("scroll", place, true);
  });
  return (
    <div class="hint" id={id} role={role} hidden={lines.length === 0} ref={element}>
      {lines.map((line, i) => (
        <div key={i} class={i === 0 ? undefined : "muted"}>
          {line}
        </div>
      ))}
    </div>
  );
}

/** Room for the pointer between it and a hint beneath it. */
const POINTER = 16;

/** A point within what holds the hint, CSS pixels. */
export function pointWithin(x: number, y: number): HintProps["at"] {
  return (holder) => {
    const { left, top } = holder.getBoundingClientRect();
    return { x: left + x, top: top + y, bottom: top + y + POINTER };
  };
}
