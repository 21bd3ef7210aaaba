import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { formatRelative } from "../format/time.js";
import { usePageTime } from "./viewport.js";

/** The plot within its holder, CSS pixels, and where a time lies in it. */
export interface PlotPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  x(seconds: number): number;
  y(value: number): number;
}

/** What its axes say at a place within a plot. */
export interface PlotPoint {
  readonly seconds: number;
  readonly value: number;
}

interface CrosshairProps {
  /** Read whenever the line moves: what was drawn since may have moved the plot. */
  readonly place: () => PlotPlace | undefined;
}

/** A vertical line over a chart at the time that is pointed at in any of them. Moved without drawing anything anew. */
export function Crosshair({ place }: CrosshairProps) {
  const { pointed } = usePageTime();
  const line = useRef<HTMLDivElement>(null);
  const current = useRef(place);
  current.current = place;
  const show = (at: number | undefined) => {
    const element = line.current;
    if (element === null) return;
    const plot = at === undefined ? undefined : current.current();
    const x = plot === undefined || at === undefined ? NaN : plot.x(at);
    const inside = plot !== undefined && x >= plot.left - 0.5 && x <= plot.left + plot.width + 0.5;
    element.hidden = !inside;
    if (plot === undefined || at === undefined || !inside) return;
    element.style.transform = `translateX(${Math.round(x)}px)`;
    element.style.top = `${plot.top}px`;
    element.style.height = `${plot.height}px`;
    element.dataset["time"] = formatRelative(at, 1);
    element.classList.toggle("crosshair-end", x > plot.left + plot.width / 2);
  };
  useEffect(() => effect(() => show(pointed.value)), [pointed]);
  // The chart under it may have been drawn anew.
  useEffect(() => show(pointed.peek()));
  return <div class="crosshair" aria-hidden="true" hidden ref={line} />;
}
