import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Width of an element, CSS pixels, as it changes; 0 before it is known. */
export function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return { box, width };
}

interface AxesProps {
  /** Where the plot lies, pixels. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Ticks with their places, pixels, and texts. */
  readonly x: readonly (readonly [at: number, text: string])[];
  readonly y: readonly (readonly [at: number, text: string])[];
}

/** Grid lines and tick labels of a plot drawn in SVG. */
export function Axes({ left, right, top, bottom, x, y }: AxesProps) {
  return (
    <g class="plot-axis" aria-hidden="true">
      {y.map(([at, text]) => (
        <g key={at}>
          <line x1={left} x2={right} y1={at} y2={at} />
          <text x={left - 8} y={at} dy="0.35em" text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {x.map(([at, text]) => (
        <g key={at}>
          <line x1={at} x2={at} y1={top} y2={bottom} />
          <text x={at} y={bottom + 18} text-anchor="middle">
            {text}
          </text>
        </g>
      ))}
    </g>
  );
}
