import type { Viewport } from "../state/run-store.js";
import type { ChartQuery, RunHeader } from "../../src/protocol/index.js";
import { useEffect, useState, useContext } from "preact/hooks";
import type { Signal } from "@preact/signals";
import { createContext, type ComponentChildren } from "preact";
import { t } from "@vscode/l10n";
import { Button, IconButton } from "../components/button.js";

/** A closer look shows nothing more: scrapes are not taken this often. Seconds. */
const MIN_SPAN = 0.5;

/** A stretch moved, and if need be cut, to lie within the run; undefined when it is all of it. */
export function bounded({ from, to }: Viewport, whole: Viewport): Viewport | undefined {
  const length = whole.to - whole.from;
  const span = Math.max(Math.min(MIN_SPAN, length), to - from);
  // What is left out is less than can be seen.
  if (span >= length * (1 - 1e-6)) return undefined;
  const start = Math.min(whole.to - span, Math.max(whole.from, from));
  return { from: start, to: start + span };
}

/** Multiplies the span shown around its middle; < 1 looks closer. */
export function zoomed({ from, to }: Viewport, factor: number, whole: Viewport): Viewport | undefined {
  const least = Math.min(1, MIN_SPAN / (to - from));
  const scale = Math.max(least, factor);
  const [middle, half] = [(from + to) / 2, ((to - from) * scale) / 2];
  return bounded({ from: middle - half, to: middle + half }, whole);
}

/** Moves the span by a share of itself. */
export function panned({ from, to }: Viewport, share: number, whole: Viewport): Viewport | undefined {
  const shift = (to - from) * share;
  return bounded({ from: from + shift, to: to + shift }, whole);
}

/** What a key does to the stretch shown (`next` undefined: the whole run). Undefined: not a key of ours. */
export function keyedViewport(
  key: string,
  axis: Viewport,
  whole: Viewport,
): { readonly next: Viewport | undefined } | undefined {
  const keys: { readonly [key: string]: { readonly next: Viewport | undefined } } = {
    "+": { next: zoomed(axis, 0.5, whole) },
    "=": { next: zoomed(axis, 0.5, whole) },
    "-": { next: zoomed(axis, 2, whole) },
    ArrowLeft: { next: panned(axis, -0.2, whole) },
    ArrowRight: { next: panned(axis, 0.2, whole) },
    "0": { next: undefined },
  };
  return keys[key];
}

/** A stretch of the charts' axis as questions give it. */
export function offsets({ from, to }: Viewport, header: RunHeader): Pick<ChartQuery, "from" | "to"> {
  return { from: offsetOf(from, header), to: offsetOf(to, header) };
}

/** @param seconds from the start of profiling */
export function offsetOf(seconds: number, { profilingStart }: RunHeader): RunHeader["now"] {
  return Math.round(seconds * 1e9 + profilingStart) as RunHeader["now"];
}

const MIN_MS = 900;
/** However long the run: the end of a line is not older than this. */
const MAX_MS = 3000;
/** About as wide as a chart gets: to measure one would lay the page out at each answer. */
const PIXELS = 600;

/**
 * Least time between two answers for a chart: what moves by less than a pixel need not be drawn again. A run of half an
 * hour moves by one every three seconds.
 * @param axis seconds
 */
export function refreshMs({ from, to }: Viewport): number {
  return Math.min(MAX_MS, Math.max(MIN_MS, (1000 * (to - from)) / PIXELS));
}

/** A zoom asks for finer data once it has come to rest. */
const SETTLE_MS = 150;

/** The viewport as it last stood still. */
export function useSettled(viewport: Viewport | undefined): Viewport | undefined {
  const [settled, setSettled] = useState(viewport);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(viewport), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [viewport]);
  return settled;
}

/** What all charts of a page share, in seconds from the start of profiling. */
interface PageTime {
  /** The part of the time axis that they show; undefined: all of it. */
  readonly viewport: Signal<Viewport | undefined>;
  /** The time that is pointed at in any of them. */
  readonly pointed: Signal<number | undefined>;
}

const Context = createContext<PageTime | undefined>(undefined);

/**
 * Gives a page's charts their time. Nothing is pointed at any more once something lies above the charts: a menu or a
 * panel that opens by a key, or a dialog of the workbench, which takes the focus.
 */
export function PageTimeProvider({ of, children }: { readonly of: PageTime; readonly children: ComponentChildren }) {
  const { pointed } = of;
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
  return <Context.Provider value={of}>{children}</Context.Provider>;
}

export function usePageTime(): PageTime {
  const time = useContext(Context);
  if (time === undefined) throw new Error("usePageTime outside of a page with charts");
  return time;
}

/** Zoom for those without a wheel, and the way back. */
export function ZoomButtons({ whole }: { readonly whole: Viewport }) {
  const { viewport } = usePageTime();
  const all = viewport.value === undefined;
  const zoom = (factor: number) => () => {
    viewport.value = zoomed(viewport.value ?? whole, factor, whole);
  };
  return (
    <>
      <IconButton
        icon="zoom-in"
        label={t("Zoom in")}
        title={t("Zoom in (drag over a chart, or Ctrl+wheel; Shift+drag moves; on a focused chart + and -, arrows, 0)")}
        onClick={zoom(0.5)}
      />
      <IconButton icon="zoom-out" label={t("Zoom out")} disabled={all} onClick={zoom(2)} />
      <Button text={t("Reset Zoom")} disabled={all} onClick={() => (viewport.value = undefined)} />
    </>
  );
}
