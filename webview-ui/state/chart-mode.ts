import type { ChartMode, ModeSettings } from "../../src/protocol/index.js";
import { CHART_MODES } from "../../src/protocol/view-requests.js";

/** What a chart card shows. */
export type CardMode = "lines" | ChartMode;

export const CARD_MODES: readonly CardMode[] = ["lines", ...CHART_MODES];

/** Reads what was saved; undefined for lines and for what is no mode. */
export function savedMode(value: unknown): ChartMode | undefined {
  const mode = CARD_MODES.find((one) => one === value);
  return mode === "lines" ? undefined : mode;
}

/** How many series a ranking may have. */
export const RANKING_COUNTS = [5, 10, 20] as const;
export const USUAL_COUNT = 10;

/** Reads what was saved; undefined when nothing of it is a setting. */
export function savedSettings(value: unknown): ModeSettings | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const count = "count" in value ? RANKING_COUNTS.find((one) => one === value.count) : undefined;
  const settings = {
    ...("statistic" in value && typeof value.statistic === "string" ? { statistic: value.statistic } : {}),
    ...(count === undefined ? {} : { count }),
    ...("by" in value && typeof value.by === "string" ? { by: value.by } : {}),
    ...("scale" in value && value.scale === "log" ? { scale: "log" as const } : {}),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}
