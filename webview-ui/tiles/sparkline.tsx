import { Picture, type CanvasSize } from "../charts/canvas.js";
import { css, type ChartTheme } from "../charts/theme.js";

/** The recent past at a glance; NaN breaks the line. */
export function Sparkline({ values }: { readonly values: Float64Array }) {
  return <Picture class="sparkline" of={values} paint={paint} />;
}

function paint(
  context: CanvasRenderingContext2D,
  values: Float64Array,
  { width, height }: CanvasSize,
  { palette, foreground }: ChartTheme,
): void {
  const color = palette[0] ?? foreground;
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
  context.strokeStyle = css(color);
  context.fillStyle = css(color, 0.16);
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
