import { textOfCell } from "../../src/core/library/runs.js";
import { naturalOrder } from "../../src/core/text/names.js";
import { PALETTE_SIZE, seriesColor } from "../charts/line-styles.js";
import { numberOf, plotAxis, type ShownCell } from "../charts/plot-axes.js";

export interface ColorScale {
  readonly of: (cell: ShownCell) => string;
  readonly key: readonly { readonly text: string; readonly color: string }[];
}

const NONE = "var(--sm-muted)";

/** Few values get a colour each; many numbers go from one colour to another. */
export function colorScale(cells: readonly ShownCell[], unit: string | undefined): ColorScale {
  const known = cells.filter((cell) => cell !== null);
  const values = [...new Set(known.map(String))].sort(naturalOrder);
  const textOf = (value: string) => textOfCell(numberOf(value) ?? value, unit);
  if (values.length <= PALETTE_SIZE) {
    const colorOf = (value: string) => seriesColor(values.indexOf(value));
    return {
      of: (cell) => (cell === null ? NONE : colorOf(String(cell))),
      key: values.map((value) => ({ text: textOf(value), color: colorOf(value) })),
    };
  }
  const axis = plotAxis(known, unit, 2);
  const places = known.flatMap((cell) => axis.place(cell) ?? []);
  const [least, most] = [Math.min(...places), Math.max(...places)];
  const mixed = (share: number) =>
    `color-mix(in oklch, var(--sm-series-2) ${Math.round(100 * share)}%, var(--sm-series-1))`;
  const [first = "", last = ""] = [values[0], values.at(-1)];
  return {
    of: (cell) => {
      const place = axis.place(cell);
      return place === undefined ? NONE : mixed((place - least) / (most - least || 1));
    },
    key: [
      { text: textOf(first), color: mixed(0) },
      { text: textOf(last), color: mixed(1) },
    ],
  };
}
