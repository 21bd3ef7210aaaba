import type { SeriesId } from "../../src/core/model/index.js";
import type { ChartMode, ModeSettings, RunHeader } from "../../src/protocol/index.js";
import { CHART_MODES } from "../../src/protocol/view-requests.js";
import type { ColorBook } from "./color-book.js";

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

/** A chart card as what is drawn in it needs it. */
export interface ModeCard {
  readonly settings: ModeSettings;
  readonly header: RunHeader;
  readonly title: string;
  readonly colors: ColorBook;
  readonly logarithmic: boolean;
  readonly onSettings: (settings: ModeSettings) => void;
  /** Draws these series as lines. */
  readonly onLines: (series: readonly SeriesId[]) => void;
}

/** And what was answered. */
export type ModeProps<T> = ModeCard & { readonly data: T };
