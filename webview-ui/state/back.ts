import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import type { LayoutStore } from "./layout-store.js";
import type { Tab } from "./layout.js";
import type { RunStore, Viewport } from "./run-store.js";

/** What was on the screen before a jump to a chart. */
interface ViewPosition {
  readonly tab: Tab;
  readonly viewport: Viewport | undefined;
  readonly scroll: number;
}

/** The way back from charts that were jumped to. */
export interface BackStore {
  readonly possible: ReadonlySignal<boolean>;
  /** Shows what was shown before the last jump: tab, zoom and place. */
  readonly go: () => void;
}

const MAX_PLACES = 50;
/** How long what is returned to may take to be as long as it was. */
const PATIENCE_MS = 2000;

/** Hears every jump; Alt+Left leads back. */
export function createBackStore(
  run: Pick<RunStore, "viewport">,
  layout: Pick<LayoutStore, "layout" | "set">,
): BackStore {
  const places = signal<readonly ViewPosition[]>([]);
  let { tab, target } = layout.layout.peek();
  effect(() => {
    const now = layout.layout.value;
    if (now.target !== undefined && now.target !== target) {
      const place = { tab, viewport: run.viewport.peek(), scroll: window.scrollY };
      places.value = [...places.peek(), place].slice(-MAX_PLACES);
    }
    ({ tab, target } = now);
  });
  const go = () => {
    const place = places.peek().at(-1);
    if (place === undefined) return;
    places.value = places.peek().slice(0, -1);
    layout.set({ tab: place.tab });
    run.viewport.value = place.viewport;
    scrollBack(place.scroll);
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" || !event.altKey || event.ctrlKey || event.shiftKey || event.metaKey) return;
    if (places.peek().length === 0) return;
    event.preventDefault();
    // The workbench would go back to another editor.
    event.stopPropagation();
    go();
  });
  return {
    possible: computed(() => places.value.length > 0),
    go,
  };
}

/** Once what is scrolled over has its answers and with them its height. */
function scrollBack(top: number): void {
  const until = performance.now() + PATIENCE_MS;
  const step = () => {
    window.scrollTo({ top });
    if (Math.abs(window.scrollY - top) > 1 && performance.now() < until) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
