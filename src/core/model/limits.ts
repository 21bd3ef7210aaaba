import { warningOf, type Problem } from "./problem.js";
import { plural, noun, grouped } from "../text/plural.js";

/** The values that an option takes, the same on the command line, in the environment and in the settings. */
export interface OptionRange {
  readonly min: number;
  readonly max: number;
  readonly byDefault: number;
  /** What it is counted in. Every time is in seconds, unless it is written with a unit of its own, such as `333ms`. */
  readonly unit: string;
  readonly isWhole?: true;
}

const KIB_RANGE = { min: 0.01, max: 1_048_576, unit: "KiB" };

/** Interval, timeout and flush period have the ranges of AIPerf's variables. */
export const OPTION_RANGES = {
  interval: { min: 0.001, max: 300, byDefault: 0.333, unit: "seconds" },
  scrapeTimeout: { min: 0.1, max: 600, byDefault: 10, unit: "seconds" },
  reachabilityTimeout: { min: 0.1, max: 300, byDefault: 10, unit: "seconds" },
  flushPeriod: { min: 0, max: 30, byDefault: 2, unit: "seconds" },
  warmup: { min: 0, max: 86_400, byDefault: 0, unit: "seconds" },
  /** The command line also takes 0: no slices. */
  sliceDuration: { min: 0.1, max: 86_400, byDefault: 5, unit: "seconds" },
  bodyLimit: { min: 0.01, max: 1024, byDefault: 64, unit: "MiB" },
  seriesLimit: { min: 1, max: 100_000_000, byDefault: 500_000, unit: "series", isWhole: true },
  labelLimit: { min: 1, max: 1_000_000, byDefault: 256, unit: "labels", isWhole: true },
  labelValueLimit: { ...KIB_RANGE, byDefault: 64 },
  helpLimit: { ...KIB_RANGE, byDefault: 64 },
  lineLimit: { ...KIB_RANGE, byDefault: 1024 },
  journalLimit: { min: 0.01, max: 1_048_576, byDefault: 2048, unit: "MiB" },
  memoryLimit: { min: 100, max: 1_000_000, byDefault: 900, unit: "MiB", isWhole: true },
  sloTarget: { min: 1, max: 100, byDefault: 99, unit: "per cent" },
  demoPort: { min: 0, max: 65_535, byDefault: 0, unit: "", isWhole: true },
  demoSeed: { min: 0, max: 2 ** 32 - 1, byDefault: 1, unit: "", isWhole: true },
} as const satisfies Readonly<Record<string, OptionRange>>;

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
