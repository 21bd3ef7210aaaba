import { useEffect, useRef } from "preact/hooks";
import { chartTheme } from "../charts/theme.js";
import { heatColor } from "../histograms/color-scale.js";

interface HeatImageProps {
  readonly columns: number;
  readonly rows: number;
  /** 0 to 1, the last row at the bottom; NaN for none. */
  readonly placeOf: (column: number, row: number) => number;
  readonly class: string;
}

/** One pixel a cell; the style sheet makes it as large as there is room. */
export function HeatImage({ columns, rows, placeOf, class: name }: HeatImageProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = chartTheme.value;
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (canvas.current === null || context === null || context === undefined || theme === undefined) return;
    canvas.current.width = Math.max(1, columns);
    canvas.current.height = Math.max(1, rows);
    for (let column = 0; column < columns; column++)
      for (let row = 0; row < rows; row++) {
        const place = placeOf(column, row);
        if (Number.isNaN(place)) continue;
        const [r, g, b] = heatColor(place, theme);
        context.fillStyle = `rgb(${r}, ${g}, ${b})`;
        context.fillRect(column, row, 1, 1);
      }
  }, [columns, rows, placeOf, theme]);
  return <canvas class={name} ref={canvas} aria-hidden="true" />;
}
