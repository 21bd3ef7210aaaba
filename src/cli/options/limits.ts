import type { Command } from "commander";
import { OPTION_RANGES, type LimitOption } from "../../core/model/index.js";
import { inRange } from "./numbers.js";
import { underHeading } from "./shared.js";

/** What the options below leave in a command's flags. */
export type LimitFlags = Readonly<Record<LimitOption, number>>;

/** What `withSeriesLimit` leaves in a command's flags. */
export type SeriesLimitFlag = Pick<LimitFlags, "seriesLimit">;

function limit(command: Command, flags: string, description: string, name: LimitOption): Command {
  return command.option(flags, description, inRange(OPTION_RANGES[name]), OPTION_RANGES[name].byDefault);
}

/** Adds the limit of what is read of a file. */
export function withSeriesLimit(command: Command): Command {
  return limit(
    command,
    "--series-limit <n>",
    "most series per endpoint that are read from a JSONL or journal; the surplus is dropped and counted",
    "seriesLimit",
  );
}

/** Adds the limits of what an endpoint may answer. */
export function withLimitOptions(command: Command): Command {
  return underHeading("Limits:", command, () => {
    limit(command, "--body-limit <MiB>", "largest answer, uncompressed; a larger one is a gap", "bodyLimit");
    limit(command, "--series-limit <n>", "most series per endpoint; the surplus is dropped and counted", "seriesLimit");
    limit(
      command,
      "--label-limit <n>",
      "most labels per sample; samples with more are dropped and counted",
      "labelLimit",
    );
    limit(command, "--label-value-limit <KiB>", "longest label value", "labelValueLimit");
    limit(command, "--help-limit <KiB>", "longest HELP text", "helpLimit");
    return limit(command, "--line-limit <KiB>", "longest line of an answer", "lineLimit");
  });
}
