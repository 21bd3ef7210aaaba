import { dirname } from "node:path";
import { InvalidArgumentError, Option, type Command } from "commander";
import { OPTION_RANGES } from "../../core/model/index.js";
import { COMPRESSIONS, isPrefix, PREFIX_RULE, type Compression } from "../../core/artifacts/index.js";
import type { KnownOfRun } from "../../core/report/index.js";
import type { Run } from "../../core/store/index.js";
import { canCompress, withoutZstd, writeSummary } from "../../files/index.js";
import { EXPORT_FORMATS, type ArtifactFormat, type ExportedFile } from "../../protocol/index.js";
import { noteProblem, print } from "../print/terminal.js";
import { numberIn } from "./numbers.js";
import { namesIn, underHeading } from "./shared.js";

export const DEFAULT_FORMATS: readonly ArtifactFormat[] = ["json", "csv", "parquet"];

/** What the options below leave in a command's flags. */
export interface OutputFlags {
  readonly formats: readonly ArtifactFormat[];
  readonly prefix?: string;
  readonly compress?: Compression;
  readonly csvSafe?: boolean;
}

/** What the options of a command that writes a run leave in its flags. */
export interface RunOutputFlags extends OutputFlags {
  readonly summaryFile: boolean;
}

/** Adds the options by which a run is written: its artifacts, and the summary beside them. */
export function withRunOutputOptions(command: Command): Command {
  withOutputOptions(command, DEFAULT_FORMATS);
  return underHeading("Artifacts:", command, () =>
    command.option("--no-summary-file", "write no summary.md beside the artifacts"),
  );
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

/**
 * Adds the options by which artifacts are written.
 * @param formats which are written where none are given; a text says how the command finds them
 */
export function withOutputOptions(command: Command, formats: readonly ArtifactFormat[] | string): Command {
  const list = new Option("--formats <list>", EXPORT_FORMATS.join(",")).argParser(formatsArgument);
  if (typeof formats === "string") list.description += ` (default: ${formats})`;
  else list.default(formats, formats.join(","));
  return underHeading("Artifacts:", command, () =>
    command
      .addOption(list)
      .option("--prefix <prefix>", "names files <prefix>_server_metrics.<format>", prefixArgument)
      .option("--compress <how>", "compress the artifacts: gzip or zstd (Node 22.15 and later)", compressionArgument)
      .option(
        "--csv-safe",
        "put an apostrophe before cells of CSV that a spreadsheet would run as formulas: those that begin with = + - @",
      ),
  );
}

/** `--slice-duration`, in seconds. @param fallback what stands where none is given; a text says where it is from */
export function sliceOption(fallback: number | string): Option {
  const option = new Option("--slice-duration <seconds>", "length of a timeslice; 0 writes none").argParser((text) =>
    text.trim() === "0" ? 0 : numberIn(text, OPTION_RANGES.sliceDuration),
  );
  if (typeof fallback === "number") return option.default(fallback);
  option.description += ` (default: ${fallback})`;
  return option;
}

/** The flags as options of an export. */
export function outputOf({ prefix, compress, csvSafe }: Omit<OutputFlags, "formats">) {
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
