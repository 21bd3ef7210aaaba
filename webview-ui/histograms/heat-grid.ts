import { t } from "@vscode/l10n";
import type { HeatmapData, VectorData } from "../../src/protocol/index.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { symbolOnly } from "../format/text.js";
import { boundLabels, bucketText, type BoundLabel } from "./buckets.js";
import type { ChartTheme, Rgba } from "../charts/theme.js";

/** What a heatmap shows: rows over time, be they buckets or positions. */
export interface HeatGrid {
  readonly rows: number;
  /** What the rows are, for those who do not see them: "buckets". */
  readonly rowsAre: string;
  /** What is counted: "observations". */
  readonly counted: string;
  /** Bounds of the columns, OffsetNs: one more than there are columns. */
  readonly edges: Float64Array;
  /** A number for each row, column by column; NaN where nothing is known. */
  readonly rates: Float64Array;
  rowText(row: number): string;
  /** On an axis on which all rows are equally high; no more than `most`. */
  rowLabels(most: number): readonly BoundLabel[];
  rateText(rate: number): string;
  /** Where another number beside it says the unit. */
  shortRateText(rate: number): string;
}

/** Cells that a chart draws behind its marks: rows on the value axis, all equally high, the first at its foot. */
export interface HeatCells {
  readonly grid: HeatGrid;
  readonly scale: HeatScale;
}

/** How many buckets from the lowest on have to be shown: up to the highest with observations, and one above it. */
export function seenBuckets({ uppers, rates }: HeatmapData): number {
  const highest = rates.reduce((max, rate, i) => (rate > 0 ? Math.max(max, i % uppers.length) : max), -1);
  return highest < 0 ? uppers.length : Math.min(uppers.length, highest + 2);
}

/** @param rows how many buckets are shown, the lowest first: many a histogram has bounds far above all that it sees */
export function bucketGrid(data: HeatmapData, rows = seenBuckets(data)): HeatGrid {
  const { unit, edges } = data;
  const uppers = data.uppers.subarray(0, rows);
  const rates = data.rates.filter((_, i) => i % data.uppers.length < rows);
  return {
    rows: uppers.length,
    rowsAre: "buckets",
    counted: "observations",
    edges,
    rates,
    rowText: (row) => bucketText(uppers, row, unit),
    rowLabels: (most) => boundLabels(uppers, unit, most),
    rateText: (rate) => formatValue(rate, "observations/s"),
    shortRateText: (rate) => formatValue(rate, undefined),
  };
}

/** @param rateUnit of the cells */
export function positionGrid(
  { label, positions, edges, cells, measure }: VectorData,
  rateUnit: string | undefined,
): HeatGrid {
  return {
    rows: positions.length,
    rowsAre: t`values of ${label}`,
    counted: measure === "mean" ? "means" : "rates",
    edges,
    rates: cells,
    rowText: (row) => `${label} ${positions[row] ?? ""}`,
    rowLabels: (most) => {
      const every = Math.max(1, Math.ceil(positions.length / Math.max(1, most)));
      return positions.map((text, row) => ({ at: row + 0.5, text })).filter((_, row) => row % every === 0);
    },
    rateText: (rate) => formatValue(rate, rateUnit),
    shortRateText: (rate) => formatValue(rate, symbolOnly(rateUnit)),
  };
}

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
