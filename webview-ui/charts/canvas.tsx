import { useEffect, useRef } from "preact/hooks";
import { chartTheme, type ChartTheme } from "./theme.js";

/** CSS pixels. */
export interface CanvasSize {
  readonly width: number;
  readonly height: number;
}

/**
 * An empty canvas of a size, as sharp as the screen is; it is drawn on in CSS pixels.
 * @returns undefined where there is nothing to draw on
 */
export function sizedContext(
  canvas: HTMLCanvasElement,
  { width, height }: CanvasSize,
): CanvasRenderingContext2D | undefined {
  const ratio = window.devicePixelRatio;
  const own = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
  if (canvas.width !== own.width || canvas.height !== own.height) Object.assign(canvas, own);
  const context = canvas.getContext("2d");
  if (context === null || width === 0) return undefined;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

interface PictureProps<T> {
  readonly class: string;
  /** What is shown. */
  readonly of: T;
  /** Called for each `of`, size and theme; the same function at each rendering. */
  readonly paint: (context: CanvasRenderingContext2D, of: T, size: CanvasSize, theme: ChartTheme) => void;
}

/** A small picture whose numbers stand beside it: decoration for a screen reader. */
export function Picture<T>({ class: name, of, paint }: PictureProps<T>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = chartTheme.value;
  /** As last reported: to measure it at each `of` would lay the page out. */
  const size = useRef<CanvasSize | undefined>(undefined);
  const draw = useRef(() => {});
  draw.current = () => {
    if (canvas.current === null || theme === undefined || size.current === undefined) return;
    const context = sizedContext(canvas.current, size.current);
    if (context !== undefined) paint(context, of, size.current, theme);
  };
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    // Reports the size at once too, when the page is laid out anyway.
    const observer = new ResizeObserver(() => {
      size.current = { width: element.clientWidth, height: element.clientHeight };
      draw.current();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => draw.current(), [of, paint, theme]);
  return (
    <span class={name} aria-hidden="true">
      <canvas ref={canvas} />
    </span>
  );
}
