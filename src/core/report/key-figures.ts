import { formatValue } from "../catalog/index.js";
import type { Tile } from "../query/index.js";

/** A key metric as a line of a table: its value with its 90 % interval, and what is to be said of it. */
export function keyFigure(tile: Tile) {
  const { title, family, statistic, value, unit, atLeast, interval, note = "", watch, watchReason = "" } = tile;
  const range =
    interval === undefined || !(interval[1] > interval[0])
      ? ""
      : ` [${formatValue(interval[0], unit)}, ${formatValue(interval[1], unit)}]`;
  return {
    title,
    family,
    statistic: tile.combined === undefined ? statistic : `${statistic}, ${tile.combined}`,
    value: Number.isNaN(value) ? "-" : `${atLeast === true ? "≥ " : ""}${formatValue(value, unit)}${range}`,
    remark: watch === "none" ? note : `${watch}: ${watchReason}`,
  };
}
