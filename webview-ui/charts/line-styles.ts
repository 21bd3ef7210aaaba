import type { ChartLine } from "../../src/protocol/index.js";
import type { LinePoint } from "./lines.js";

/** Colours of the theme's palette, `--sm-series-1` … in the style sheet. */
export const PALETTE_SIZE = 12;

type LineQuantity = ChartLine["quantity"];

/** What distinguishes a line from its neighbours beside its colour. */
export interface LineStyle {
  readonly dash: readonly number[];
  readonly width: number;
}

const QUANTITY_STYLES: { readonly [K in LineQuantity]: LineStyle } = {
  value: { dash: [], width: 1.6 },
  rate: { dash: [], width: 1.6 },
  p99: { dash: [], width: 1.9 },
  p90: { dash: [7, 3], width: 1.5 },
  p50: { dash: [2, 2], width: 1.5 },
  p10: { dash: [7, 3], width: 1 },
  median: { dash: [], width: 2.2 },
  avg: { dash: [9, 3, 2, 3], width: 1.2 },
};

/** Of a chart with one histogram: a colour a percentile, by its place in the palette. */
const QUANTITY_COLORS: { readonly [K in LineQuantity]?: number } = { p50: 2, p90: 0, p99: 1, avg: 3 };

/**
 * How a line of the only histogram of its chart is drawn: told from the others by its colour, the average, which is no
 * percentile, by dashes too. Undefined for what is drawn in its series' colour.
 */
export function percentileLook(
  quantity: LineQuantity,
): { readonly index: number; readonly style: LineStyle } | undefined {
  const index = QUANTITY_COLORS[quantity];
  return index === undefined
    ? undefined
    : { index, style: { dash: quantity === "avg" ? [6, 3] : [], width: quantity === "p99" ? 1.9 : 1.5 } };
}

/** Dashes of the second and third time round the palette. */
const ROUND_DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2]];

export function lineStyle(quantity: LineQuantity, slot: number): LineStyle {
  const style = QUANTITY_STYLES[quantity];
  if (quantity !== "value" && quantity !== "rate") return style;
  return { ...style, dash: ROUND_DASHES[paletteRound(slot)] ?? [] };
}

export function paletteIndex(slot: number): number {
  return slot % PALETTE_SIZE;
}

/** Which time round the palette a place is: colours repeat there with other dashes. */
export function paletteRound(slot: number): number {
  return Math.floor(slot / PALETTE_SIZE) % ROUND_DASHES.length;
}

/** The style sheet's colour for a place in the palette, for what is drawn as elements. */
export function seriesColor(slot: number): string {
  return `var(--sm-series-${paletteIndex(slot) + 1})`;
}

/**
 * A line that crosses its own range as often goes up and down by some ten pixels for each pixel of the axis: its dashes
 * run into one another. To cut it into tens of thousands of them took 40 ms of a frame.
 */
const CROSSINGS = 60;
/** More lines than this are told apart better where they are thin. */
const FEW_LINES = 8;
/**
 * Of all lines together: so many hide each other where they are wide, and without a graphics processor to rasterise
 * them took more of a frame than drawing them: the 95th percentile of its work was 8.2 ms, and is 7.3 ms.
 */
const MANY_POINTS = 2500;
/** A pixel where a pixel is a point of the screen: Chromium then rasterises a line at a tenth of the time. */
const THIN = 1;

/**
 * How a line is drawn beside so many in its chart, with about as many points each: thin where there are many lines or
 * points, or where it goes up and down all the time, and without its dashes in the latter case. The legend shows its
 * own style.
 */
export function denseStyle(style: LineStyle, points: readonly LinePoint[], lines: number): LineStyle {
  const thicket = isDense(points);
  if (!thicket && lines <= FEW_LINES && lines * points.length < MANY_POINTS) return style;
  return { ...style, width: Math.min(style.width, THIN), dash: thicket ? [] : style.dash };
}

function isDense(points: readonly LinePoint[]): boolean {
  let way = 0;
  let low = Infinity;
  let high = -Infinity;
  let before = NaN;
  for (const { y } of points) {
    if (Number.isNaN(y)) continue;
    if (y < low) low = y;
    if (y > high) high = y;
    if (!Number.isNaN(before)) way += Math.abs(y - before);
    before = y;
  }
  return high > low && way > CROSSINGS * (high - low);
}
