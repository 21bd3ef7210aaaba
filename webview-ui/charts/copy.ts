import { css, type ChartTheme } from "./theme.js";
import { csvLine } from "../../src/core/text/csv-line.js";
import { formatLabels } from "../../src/core/model/index.js";
import type { ChartData } from "../../src/protocol/index.js";
import { relativeSeconds } from "../format/time.js";

const PADDING = 12;
const LINE = 18;
const SWATCH = 18;
/** Of a column of the legend's numbers. */
const COLUMN = 80;

/**
 * Puts a card's drawing on the clipboard, with its title above and its legend beneath it, as it is seen.
 * @throws Error where nothing is drawn, or the clipboard takes no pictures
 */
export async function copyPicture(card: Element | null, theme: ChartTheme | undefined): Promise<void> {
  const drawing = card?.querySelector("canvas");
  if (card === null || drawing === null || drawing === undefined || theme === undefined)
    throw new Error("This chart has no picture yet.");
  const text = (element: Element | null) => element?.textContent.trim() ?? "";
  const rows = [...card.querySelectorAll(".legend tr")].map((row) => ({
    color: [...row.querySelectorAll(".legend-swatch")].map((swatch) => getComputedStyle(swatch).color)[0],
    cells: [...row.children].map(text),
  }));
  const ratio = window.devicePixelRatio;
  const [width, height] = [drawing.clientWidth, drawing.clientHeight];
  const canvas = document.createElement("canvas");
  canvas.width = Math.round((width + 2 * PADDING) * ratio);
  canvas.height = Math.round((height + (2 + rows.length) * LINE + 3 * PADDING) * ratio);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This chart has no picture yet.");
  context.scale(ratio, ratio);
  context.fillStyle = css(theme.background);
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textBaseline = "middle";
  const write = (what: string, x: number, y: number, align: CanvasTextAlign = "left", weight = "") => {
    context.textAlign = align;
    context.font = `${weight} 12px ${theme.fontFamily}`;
    context.fillText(what, x, y);
  };
  context.fillStyle = css(theme.foreground);
  write(text(card.querySelector(".card-title")), PADDING, PADDING + LINE / 2, "left", "bold");
  context.fillStyle = css(theme.muted);
  const subtitle = [...card.querySelectorAll(".card-subtitle > span")].map(text).join("   ");
  write(subtitle, PADDING, PADDING + 1.5 * LINE);
  context.drawImage(drawing, PADDING, 2 * PADDING + 2 * LINE, width, height);
  rows.forEach(({ color, cells: [name = "", ...numbers] }, i) => {
    const y = 2 * PADDING + height + (2.5 + i) * LINE;
    if (color !== undefined) {
      context.fillStyle = color;
      context.fillRect(PADDING, y - 1.5, SWATCH, 3);
    }
    context.fillStyle = css(theme.foreground);
    write(name, PADDING + (color === undefined ? 0 : SWATCH + 6), y);
    numbers.forEach((number, n) => write(number, width + PADDING - (numbers.length - 1 - n) * COLUMN, y, "right"));
  });
  // Given as a promise, so that the clipboard is asked while the click that it needs is still new.
  const picture = new Promise<Blob>((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error("The picture could not be made.")) : resolve(blob))),
  );
  await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
}

/** What a chart draws as CSV, a point a line: seconds from the start of profiling, whose it is, what, and the value. */
export function chartCsv({ family, unit, lines }: ChartData, profilingStart: number): string {
  const rows = lines.flatMap(({ family: own = family, endpointUrl, labels, quantity, times, values }) =>
    Array.from(times, (time, i): string[] => {
      const value = values[i] ?? NaN;
      return [
        String(relativeSeconds(time, profilingStart)),
        endpointUrl,
        own,
        formatLabels(labels),
        quantity,
        Number.isNaN(value) ? "" : String(value),
        unit ?? "",
      ];
    }),
  );
  return [["seconds", "endpoint", "metric", "labels", "quantity", "value", "unit"], ...rows]
    .map((cells) => `${csvLine(cells)}\r\n`)
    .join("");
}
