import { useLayoutEffect, useRef } from "preact/hooks";

interface PointHintProps {
  /** Empty: nothing is shown. */
  readonly lines: readonly string[];
  /**
   * Within the element that holds the hint, CSS pixels; the hint stands above it, or beneath where there is no room.
   */
  readonly at?: { readonly x: number; readonly y: number };
}

const GAP = 8;

/** What is said of one point of a drawing, to pointer and screen reader alike. */
export function PointHint({ lines, at }: PointHintProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = element.current;
    const holder = box?.parentElement?.getBoundingClientRect();
    if (box === null || holder === undefined || at === undefined) return;
    const { width, height } = box.getBoundingClientRect();
    const [x, y] = [holder.left + at.x, holder.top + at.y];
    box.style.left = `${Math.max(GAP, Math.min(x - width / 2, document.documentElement.clientWidth - width - GAP))}px`;
    box.style.top = `${y - height - GAP > 0 ? y - height - GAP : y + 3 * GAP}px`;
  });
  return (
    <div class="hint" role="status" hidden={lines.length === 0} ref={element}>
      {lines.map((line, i) => (
        <div key={i} class={i === 0 ? undefined : "muted"}>
          {line}
        </div>
      ))}
    </div>
  );
}
