import type { Command, OptionValues } from "@commander-js/extra-typings";
import { OPTION_RANGES } from "../../core/model/index.js";
import { inRange } from "./numbers.js";
import { OPTIONS } from "./shared.js";

const { bodyLimit, seriesLimit, labelLimit, labelValueLimit, helpLimit, lineLimit } = OPTION_RANGES;

/** Adds the limit of what is read of a file. */
export function withSeriesLimit<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command.option(
    "--series-limit <n>",
    "most series per endpoint that are read from a JSONL or journal; the surplus is dropped and counted",
    inRange(seriesLimit),
    seriesLimit.byDefault,
  );
}

/** Adds the limits of what an endpoint may answer. */
export function withLimitOptions<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .optionsGroup("Limits:")
    .option(
      "--body-limit <MiB>",
      "largest answer, uncompressed; a larger one is a gap",
      inRange(bodyLimit),
      bodyLimit.byDefault,
    )
    .option(
      "--series-limit <n>",
      "most series per endpoint; the surplus is dropped and counted",
      inRange(seriesLimit),
      seriesLimit.byDefault,
    )
    .option(
      "--label-limit <n>",
      "most labels per sample; samples with more are dropped and counted",
      inRange(labelLimit),
      labelLimit.byDefault,
    )
    .option("--label-value-limit <KiB>", "longest label value", inRange(labelValueLimit), labelValueLimit.byDefault)
    .option("--help-limit <KiB>", "longest HELP text", inRange(helpLimit), helpLimit.byDefault)
    .option("--line-limit <KiB>", "longest line of an answer", inRange(lineLimit), lineLimit.byDefault)
    .optionsGroup(OPTIONS);
}
