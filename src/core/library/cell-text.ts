import { formatValue } from "../catalog/display.js";
import type { CellValue } from "./types.js";

/** The unit of times: milliseconds since the epoch. */
export const TIME = "time";

/** A cell as it is shown: times in UTC, numbers with their unit. */
export function textOfCell(cell: CellValue | null, unit: string | undefined): string {
  if (typeof cell !== "number") return cell ?? "";
  if (unit === TIME) return new Date(cell).toISOString().slice(0, 16).replace("T", " ");
  return formatValue(cell, unit);
}

/** A run's id as it is read: without the usual names of files, and of an experiment's folder without the way to it. */
export function runName(id: string): string {
  return id.replace(/^\.\.\/|\/?(?:server_metrics|profile)_export$/g, "") || id;
}
