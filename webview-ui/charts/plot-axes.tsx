import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Room beside a plot, pixels: for the ticks, and for what lies at its upper and right edge. */
const MARGIN = { left: 58, right: 24, top: 14, bottom: 26 } as const;
const HEIGHT = { least: 260, most: 440, share: 0.42 } as const;
/** Pixels from tick to tick at the least. */
const APART = { x: 90, y: 55 } as const;

/** Where a plot's points lie, pixels of its SVG. */
export interface PlotBox {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** So many ticks have room, one at 0 besides. */
  readonly ticks: { readonly x: number; readonly y: number };
}

/** The place of a plot that is so wide, and so high, or as its width is. */
export function plotBox(width: number, given?: number): PlotBox {
  const height = given ?? Math.min(HEIGHT.most, Math.max(HEIGHT.least, Math.round(width * HEIGHT.share)));
  const [right, bottom] = [width - MARGIN.right, height - MARGIN.bottom];
  const ticks = {
    x: Math.max(2, Math.floor((right - MARGIN.left) / APART.x)),
    y: Math.max(2, Math.floor((bottom - MARGIN.top) / APART.y)),
  };
  return { width, height, left: MARGIN.left, right, top: MARGIN.top, bottom, ticks };
}

/** An element, and how wide it is; 0 before it is drawn. */
export function useWidth<T extends Element>(): readonly [RefObject<T | null>, number] {
  const box = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}

/** A tick of an axis: where it stands, pixels, and what it says. */
export interface PlotTick {
  readonly at: number;
  readonly text: string;
}

interface PlotAxesProps {
  readonly box: Pick<PlotBox, "left" | "right" | "top" | "bottom" | "height">;
  readonly x: readonly PlotTick[];
  readonly y: readonly PlotTick[];
}

/** The lines and words of both axes. */
export function PlotAxes({ box: { left, right, top, bottom, height }, x, y }: PlotAxesProps) {
  return (
    <g class="plot-axes" aria-hidden="true">
      {y.map(({ at, text }) => (
        <g key={at}>
          <line x1={left} x2={right} y1={at} y2={at} />
          <text x={left - 8} y={at} dy="0.35em" text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {x.map(({ at, text }) => (
        <g key={at}>
          <line x1={at} x2={at} y1={top} y2={bottom} />
          <text x={at} y={height - 8} text-anchor="middle">
            {text}
          </text>
        </g>
      ))}
    </g>
  );
}
