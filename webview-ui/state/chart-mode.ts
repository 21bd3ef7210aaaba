import type { ChartMode } from "../../src/protocol/index.js";
import { CHART_MODES } from "../../src/protocol/view-requests.js";

/** What a chart card shows. */
export type CardMode = "lines" | ChartMode;

export const CARD_MODES: readonly CardMode[] = ["lines", ...CHART_MODES];

/** Reads what was chosen; undefined for lines and for what is no mode. */
export function savedMode(value: unknown): ChartMode | undefined {
  const mode = CARD_MODES.find((one) => one === value);
  return mode === "lines" ? undefined : mode;
}

/** How many series a ranking may have. */
export const RANKING_COUNTS = [5, 10, 20] as const;
export const USUAL_COUNT = 10;
