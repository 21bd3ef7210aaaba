import { dirname } from "node:path";
import { InvalidArgumentError, Option, type Command, type OptionValues } from "@commander-js/extra-typings";
import { OPTION_RANGES } from "../../core/model/index.js";
import { COMPRESSIONS, isPrefix, PREFIX_RULE, type Compression } from "../../core/artifacts/index.js";
import type { KnownOfRun } from "../../core/report/index.js";
import type { Run } from "../../core/store/index.js";
import { canCompress, withoutZstd, writeSummary } from "../../files/index.js";
import { EXPORT_FORMATS, type ArtifactFormat, type ExportedFile } from "../../protocol/index.js";
import { noteProblem, print } from "../print/terminal.js";
import { numberIn } from "./numbers.js";
import { namesIn, OPTIONS, type FlagsOf, type NoFlags } from "./shared.js";

export const DEFAULT_FORMATS: readonly ArtifactFormat[] = ["json", "csv", "parquet"];

/** What the options of a command that writes a run leave in its flags. */
export type RunOutputFlags = FlagsOf<typeof withRunOutputOptions<[], NoFlags>>;

/** Adds the options by which a run is written: its artifacts, and the summary beside them. */
export function withRunOutputOptions<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  const formats = formatsOption().default(DEFAULT_FORMATS, DEFAULT_FORMATS.join(","));
  return withOutputOptions(command.addOption(formats))
    .optionsGroup(ARTIFACTS)
    .option("--no-summary-file", "write no summary.md beside the artifacts")
    .optionsGroup(OPTIONS);
}

/** Writes the summary unless it is not wanted, and prints its path. */
export async function writeSummaryFile(
  run: Run,
  files: readonly ExportedFile[],
  { prefix, summaryFile }: Pick<RunOutputFlags, "prefix" | "summaryFile">,
  known: KnownOfRun = {},
): Promise<void> {
  const [first] = files;
  if (!summaryFile || first === undefined) return;
  const written = await writeSummary(run, {
    directory: dirname(first.path),
    ...(prefix === undefined ? {} : { prefix }),
    files,
    ...known,
  });
  if ("problem" in written) noteProblem(written.problem);
  else print(written.path);
}

const ARTIFACTS = "Artifacts:";

/** `--formats`. @param byDefault which are written where none are given; absent: the option has a default */
export function formatsOption(byDefault?: string) {
  const names = EXPORT_FORMATS.join(",");
  const description = byDefault === undefined ? names : `${names} (default: ${byDefault})`;
  return new Option("--formats <list>", description).argParser(formatsArgument).helpGroup(ARTIFACTS);
}

/** Adds the options by which artifacts are written, beside their formats. */
export function withOutputOptions<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .optionsGroup(ARTIFACTS)
    .option("--prefix <prefix>", "names files <prefix>_server_metrics.<format>", prefixArgument)
    .option("--compress <how>", "compress the artifacts: gzip or zstd (Node 22.15 and later)", compressionArgument)
    .option(
      "--csv-safe",
      "put an apostrophe before cells of CSV that a spreadsheet would run as formulas: those that begin with = + - @",
    )
    .optionsGroup(OPTIONS);
}

/** `--slice-duration`, in seconds. @param from what is taken where none is given; absent: the option has a default */
export function sliceOption(from?: string) {
  const description = "length of a timeslice; 0 writes none";
  return new Option(
    "--slice-duration <seconds>",
    from === undefined ? description : `${description} (default: ${from})`,
  ).argParser((text) => (text.trim() === "0" ? 0 : numberIn(text, OPTION_RANGES.sliceDuration)));
}

/** The flags as options of an export. */
export function outputOf({ prefix, compress, csvSafe }: FlagsOf<typeof withOutputOptions<[], NoFlags>>) {
  return {
    ...(prefix === undefined ? {} : { prefix }),
    ...(compress === undefined ? {} : { compression: compress }),
    csvSafe: csvSafe === true,
  };
}

/** `json,csv`. @throws InvalidArgumentError naming the formats there are */
function formatsArgument(text: string): readonly ArtifactFormat[] {
  const names = text.split(",").filter((name) => name.trim() !== "");
  const there = EXPORT_FORMATS.join(", ");
  return namesIn(names.join(","), EXPORT_FORMATS, () => `"${text}" is not a list of formats: ${there}.`);
}

/** `gzip` or `zstd`. @throws InvalidArgumentError for others, and for one that this Node cannot write */
function compressionArgument(text: string): Compression {
  const compression = COMPRESSIONS.find((one) => one === text);
  if (compression === undefined)
    throw new InvalidArgumentError(`"${text}" is not a compression: ${COMPRESSIONS.join(", ")}.`);
  if (canCompress(compression)) return compression;
  const { message, remedy } = withoutZstd();
  throw new InvalidArgumentError(`${message} ${remedy ?? ""}`.trim());
}

/** A prefix names files within the folder, never another folder. @throws InvalidArgumentError */
function prefixArgument(text: string): string {
  if (!isPrefix(text)) throw new InvalidArgumentError(`A file name may have ${PREFIX_RULE}; --out gives the folder.`);
  return text;
}
