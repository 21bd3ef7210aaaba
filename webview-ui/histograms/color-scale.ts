import type { ChartTheme, Rgba } from "../charts/theme.js";

/** Rates that colours stand for; the colour goes with the rate's logarithm. */
export interface HeatScale {
  readonly least: number;
  readonly greatest: number;
}

/** More decades than this would take the colour from what matters. */
const MAX_DECADES = 3;

/** Undefined when nothing was observed. */
export function heatScale(rates: ArrayLike<number>): HeatScale | undefined {
  let least = Infinity;
  let greatest = 0;
  for (let i = 0; i < rates.length; i++) {
    const rate = rates[i] ?? 0;
    if (!(rate > 0)) continue;
    if (rate < least) least = rate;
    if (rate > greatest) greatest = rate;
  }
  return greatest === 0 ? undefined : { least: Math.max(least, greatest / 10 ** MAX_DECADES), greatest };
}

/**
 * Place of a rate on the scale, 0 to 1; NaN where nothing was observed. Lesser rates than the least have its colour.
 */
export function heatPlace(rate: number, { least, greatest }: HeatScale): number {
  if (!(rate > 0)) return NaN;
  if (greatest <= least) return 1;
  return Math.min(1, Math.max(0, Math.log(rate / least) / Math.log(greatest / least)));
}

/**
 * From little above the card through the theme's first series colour towards the text's: more is ever further from the
 * background.
 */
export function heatColor(
  place: number,
  { background, foreground, palette }: Pick<ChartTheme, "background" | "foreground" | "palette">,
): Rgba {
  const hue = palette[0] ?? foreground;
  const low = mix(background, hue, 0.22);
  const high = mix(hue, foreground, 0.8);
  const middle = 0.6;
  return place <= middle ? mix(low, hue, place / middle) : mix(hue, high, (place - middle) / (1 - middle));
}

function mix(a: Rgba, b: Rgba, share: number): Rgba {
  const at = (i: 0 | 1 | 2) => Math.round(a[i] + (b[i] - a[i]) * share);
  return [at(0), at(1), at(2), 1];
}
