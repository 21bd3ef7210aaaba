import { useEffect, useRef } from "preact/hooks";
import { chartTheme, css } from "../charts/theme.js";

/**
 * The recent past at a glance; NaN breaks the line. The tile says the value: this is decoration for a screen reader.
 */
export function Sparkline({ values }: { readonly values: Float64Array }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = chartTheme.value;
  useEffect(() => {
    const element = canvas.current;
    if (element === null || theme === undefined) return;
    const color = theme.palette[0] ?? theme.foreground;
    // Reports the size at once too, when the page is laid out anyway.
    const observer = new ResizeObserver(() => paint(element, values, css(color), css(color, 0.16)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [values, theme]);
  return (
    <span class="sparkline" aria-hidden="true">
      <canvas ref={canvas} />
    </span>
  );
}

function paint(canvas: HTMLCanvasElement, values: Float64Array, stroke: string, fill: string): void {
  const ratio = window.devicePixelRatio;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (context === null || width === 0) return;
  context.scale(ratio, ratio);
  // From zero, so that a small unrest does not look like a storm.
  let low = 0;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (high === -Infinity) return;
  if (high <= low) high = low + 1;
  const x = (i: number) => (values.length === 1 ? width : (i / (values.length - 1)) * (width - 2) + 1);
  const y = (value: number) => height - 2 - ((value - low) / (high - low)) * (height - 5);
  context.lineWidth = 1.4;
  context.lineJoin = "round";
  context.strokeStyle = stroke;
  context.fillStyle = fill;
  for (let start = 0; start < values.length;) {
    if (Number.isNaN(values[start])) {
      start++;
      continue;
    }
    let end = start;
    while (end < values.length && !Number.isNaN(values[end])) end++;
    const line = new Path2D();
    // A lone value has no line to its neighbours: it is as wide as the stretch it stands for.
    const left = end - start > 1 ? x(start) : Math.max(0, x(start) - Math.max(2, width / values.length));
    line.lineTo(left, y(values[start] ?? NaN));
    for (let i = start; i < end; i++) line.lineTo(x(i), y(values[i] ?? NaN));
    context.stroke(line);
    const area = new Path2D(line);
    area.lineTo(x(end - 1), height);
    area.lineTo(left, height);
    context.fill(area);
    start = end;
  }
}
