import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { PADDING, type GridGroup } from "./columns.js";

/** Of a group's columns this much has to be in sight for it to count as seen. Pixels. */
const SEEN = 60;

/**
 * Names of the groups of columns that lie beyond the right edge, and the way to the first of them. `overflows`: there
 * are such groups, or there would be after scrolling back.
 */
export function useUnseenGroups(
  scroller: RefObject<HTMLElement | null>,
  groups: readonly GridGroup[],
  template: string,
): {
  readonly names: readonly string[];
  readonly overflows: boolean;
  readonly look: () => void;
  readonly scroll: () => void;
} {
  const [names, setNames] = useState<readonly string[]>([]);
  const [overflows, setOverflows] = useState(false);
  const heads = () => [...(scroller.current?.querySelectorAll<HTMLElement>("[data-group]") ?? [])];
  /** @param scrolled how far back they are looked at */
  const beyond = (scrolled = 0): readonly HTMLElement[] => {
    const right = scroller.current?.getBoundingClientRect().right ?? 0;
    return heads().filter((head) => head.getBoundingClientRect().left + scrolled > right - SEEN);
  };
  const look = () => {
    if (groups.length === 0) return;
    fitHeads(scroller.current);
    const { scrollLeft = 0 } = scroller.current ?? {};
    setOverflows(beyond(scrollLeft).length > 0);
    const found = beyond().map((head) => head.title);
    setNames((before) => (before.join("\n") === found.join("\n") ? before : found));
  };
  const scroll = () => {
    const [first] = beyond();
    const element = scroller.current;
    if (first === undefined || element === null) return;
    element.scrollLeft += Math.max(SEEN, first.getBoundingClientRect().right - element.getBoundingClientRect().right);
  };
  useLayoutEffect(() => {
    look();
    const element = scroller.current;
    if (element === null || groups.length === 0) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [groups, template]);
  return { names, overflows: overflows && groups.length > 0, look, scroll };
}

/** Tells each head how much of it is in sight, so that its name is shortened to that instead of cut by the edge. */
function fitHeads(scroller: HTMLElement | null): void {
  if (scroller === null) return;
  const edgesOf = (selector: string) =>
    [...scroller.querySelectorAll<HTMLElement>(selector)].map((head) => ({ head, box: head.getBoundingClientRect() }));
  const begin = Math.max(...edgesOf(".grid-groups .fixed").map(({ box }) => box.right));
  const end = scroller.getBoundingClientRect().left + scroller.clientWidth;
  for (const { head, box } of edgesOf("[data-group]"))
    head.style.setProperty("--in-sight", `${Math.max(SEEN, Math.floor(end - Math.max(begin, box.left))) - PADDING}px`);
}
