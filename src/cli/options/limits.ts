import type { Command } from "commander";
import { DEFAULT_LIMITS, type ScrapeLimits } from "../../core/model/index.js";
import { numberIn } from "./numbers.js";
import { underHeading } from "./shared.js";

const KIB = 1024;

/** What the options below leave in a command's flags. */
export interface LimitFlags {
  readonly bodyLimit: number;
  readonly seriesLimit: number;
  readonly labelLimit: number;
  readonly labelValueLimit: number;
  readonly helpLimit: number;
  readonly lineLimit: number;
}

/** What `withSeriesLimit` leaves in a command's flags. */
export interface SeriesLimitFlag {
  readonly seriesLimit: number;
}

const count = (max: number) => (text: string) => Math.floor(numberIn(text, { min: 1, max, unit: "" }));

/** Adds the limit of what is read of a file. */
export function withSeriesLimit(command: Command): Command {
  return command.option(
    "--series-limit <n>",
    "most series per endpoint that are read from a JSONL or journal; the surplus is dropped and counted",
    count(1e8),
    DEFAULT_LIMITS.series,
  );
}

/** Adds the limits of what an endpoint may answer. */
export function withLimitOptions(command: Command): Command {
  const size = (unit: "MiB" | "KiB", max: number) => (text: string) => numberIn(text, { min: 0.01, max, unit });
  const { bodyBytes, series, labels, labelValueBytes, helpBytes, lineBytes } = DEFAULT_LIMITS;
  return underHeading("Limits:", command, () =>
    command
      .option(
        "--body-limit <MiB>",
        "largest answer, uncompressed; a larger one is a gap",
        size("MiB", 1024),
        bodyBytes / KIB ** 2,
      )
      .option("--series-limit <n>", "most series per endpoint; the surplus is dropped and counted", count(1e8), series)
      .option(
        "--label-limit <n>",
        "most labels per sample; samples with more are dropped and counted",
        count(1e6),
        labels,
      )
      .option("--label-value-limit <KiB>", "longest label value", size("KiB", KIB ** 2), labelValueBytes / KIB)
      .option("--help-limit <KiB>", "longest HELP text", size("KiB", KIB ** 2), helpBytes / KIB)
      .option("--line-limit <KiB>", "longest line of an answer", size("KiB", KIB ** 2), lineBytes / KIB),
  );
}

/** The limits of a scrape in bytes and counts, from options in MiB and KiB. */
export function limitsOf(flags: LimitFlags): ScrapeLimits {
  return {
    bodyBytes: Math.round(flags.bodyLimit * KIB ** 2),
    series: flags.seriesLimit,
    labels: flags.labelLimit,
    labelValueBytes: Math.round(flags.labelValueLimit * KIB),
    helpBytes: Math.round(flags.helpLimit * KIB),
    lineBytes: Math.round(flags.lineLimit * KIB),
  };
}
