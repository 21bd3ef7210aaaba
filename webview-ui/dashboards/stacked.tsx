import { Picture, type CanvasSize } from "../charts/canvas.js";
import { paletteIndex, seriesColor } from "../charts/colors.js";
import { css, type ChartTheme } from "../charts/theme.js";
import { stackedHeights } from "./stacked-heights.js";

/** Courses on top of one another, the first at the top, as areas set off by lines; what each is, the rows below say. */
export function StackedAreas({ courses }: { readonly courses: readonly Float64Array[] }) {
  return <Picture class="stacked" of={courses} paint={paint} />;
}

function paint(
  context: CanvasRenderingContext2D,
  courses: readonly Float64Array[],
  { width, height }: CanvasSize,
  theme: ChartTheme,
): void {
  const { tops, highest } = stackedHeights(courses);
  if (!(highest > 0)) return;
  const points = tops[0]?.length ?? 0;
  const x = (i: number) => (points < 2 ? 0 : (i / (points - 1)) * width);
  const y = (value: number) => height - (value / highest) * (height - 2);
  // From the top of the pile down: each covers what is not its own.
  tops.forEach((top, c) => {
    const area = new Path2D();
    area.moveTo(0, height);
    top.forEach((value, i) => area.lineTo(x(i), y(value)));
    area.lineTo(x(points - 1), height);
    area.closePath();
    context.fillStyle = css(theme.palette[paletteIndex(c)] ?? theme.foreground);
    context.fill(area);
    context.strokeStyle = css(theme.background);
    context.lineWidth = theme.highContrast ? 2 : 1;
    context.stroke(area);
  });
}

/** A part's colour beside its name. */
export function StackSwatch({ place }: { readonly place: number }) {
  return <span class="stack-swatch" aria-hidden="true" style={{ background: seriesColor(place) }} />;
}
