import { OPTION_RANGES } from "./option-ranges.js";
import { warningOf, type Problem } from "./problem.js";
import { plural, noun, grouped } from "../text/plural.js";

/** What an endpoint's answers may hold. What goes beyond a limit is dropped, counted and named; the rest is kept. */
export interface ScrapeLimits {
  /** Of a body, uncompressed. A larger one is a failed scrape. */
  readonly bodyBytes: number;
  /** Series of one endpoint over a whole capture, as an exposition counts them: each bucket is one. */
  readonly series: number;
  /** Labels of one sample. */
  readonly labels: number;
  readonly labelValueBytes: number;
  readonly helpBytes: number;
  readonly lineBytes: number;
}

const KIB = 1024;

/** The options of the limits, which give sizes in MiB or KiB. */
export type LimitOption = "bodyLimit" | "seriesLimit" | "labelLimit" | "labelValueLimit" | "helpLimit" | "lineLimit";

/** The limits that options give. */
export function scrapeLimits(valueOf: (option: LimitOption) => number): ScrapeLimits {
  return {
    bodyBytes: Math.round(valueOf("bodyLimit") * KIB * KIB),
    series: valueOf("seriesLimit"),
    labels: valueOf("labelLimit"),
    labelValueBytes: Math.round(valueOf("labelValueLimit") * KIB),
    helpBytes: Math.round(valueOf("helpLimit") * KIB),
    lineBytes: Math.round(valueOf("lineLimit") * KIB),
  };
}

export const DEFAULT_LIMITS: ScrapeLimits = scrapeLimits((option) => OPTION_RANGES[option].byDefault);

/** Endpoints of one file whose samples are read: a capture has some hundreds. */
export const MAX_ENDPOINTS = 10_000;

/** The limits of lines, which drop lines of a scrape. */
export const LINE_LIMITS = ["series", "labels", "labelValueBytes", "helpBytes", "lineBytes"] as const;
export type LineLimit = (typeof LINE_LIMITS)[number];

/** Lines of one scrape that limits dropped. */
export type DroppedLines = Readonly<Partial<Record<LineLimit, number>>>;

/** What is said of an endpoint when a limit drops lines of its scrapes. */
export function droppedProblem(where: string, limit: LineLimit, count: number, limits: ScrapeLimits): Problem {
  const [why, setting, option] = reasonOf(limit, limits);
  return warningOf(
    `${limit === "series" ? plural(count, "series", "series") : plural(count, "line")} of a scrape of ${where} ${noun(count, "was", "were")} dropped: ${why}. The rest is kept.`,
    `Leave families out, or raise serverMetrics.${setting} (${option}).`,
  );
}

/** Why a limit drops lines, and the setting and the option that raise it. */
function reasonOf(limit: LineLimit, limits: ScrapeLimits): readonly [why: string, setting: string, option: string] {
  const reasons: Readonly<Record<LineLimit, ReturnType<typeof reasonOf>>> = {
    series: [`the endpoint has more than ${grouped(limits.series)}`, "seriesLimit", "--series-limit"],
    labels: [`more than ${grouped(limits.labels)} labels`, "labelLimit", "--label-limit"],
    labelValueBytes: [
      `a label value longer than ${bytes(limits.labelValueBytes)}`,
      "labelValueLimit",
      "--label-value-limit",
    ],
    helpBytes: [`a HELP text longer than ${bytes(limits.helpBytes)}`, "helpLimit", "--help-limit"],
    lineBytes: [`longer than ${bytes(limits.lineBytes)}`, "lineLimit", "--line-limit"],
  };
  return reasons[limit];
}

function bytes(count: number): string {
  return count >= KIB * KIB
    ? `${round(count / KIB / KIB)} MiB`
    : count >= KIB
      ? `${round(count / KIB)} KiB`
      : `${count} bytes`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
