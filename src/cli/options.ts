import { InvalidArgumentError, type Command } from "commander";
import { familyFilter } from "../collect/index.js";
import { COMPRESSIONS, isPrefix, PREFIX_RULE, type Compression } from "../core/artifacts/index.js";
import { aliasesOf } from "../core/catalog/index.js";
import { canCompress, withoutZstd } from "../files/index.js";
import { numberIn } from "./numbers.js";
import type { ArtifactFormat } from "../protocol/index.js";
import { EXPORT_FORMATS } from "../protocol/index.js";

/** `json,csv`. @throws InvalidArgumentError naming the formats there are */
export function formatsArgument(text: string): readonly ArtifactFormat[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const formats = names.flatMap((name) => EXPORT_FORMATS.filter((format) => format === name));
  if (names.length === 0 || formats.length !== names.length) {
    throw new InvalidArgumentError(`"${text}" is not a list of formats: ${EXPORT_FORMATS.join(", ")}.`);
  }
  return [...new Set(formats)];
}

export const DEFAULT_FORMATS: readonly ArtifactFormat[] = ["json", "csv", "parquet"];

export const CSV_SAFE =
  "put an apostrophe before cells of CSV that a spreadsheet would run: those that begin with = + - @";

/** `gzip` or `zstd`. @throws InvalidArgumentError for others, and for one that this Node cannot write */
export function compressionArgument(text: string): Compression {
  const compression = COMPRESSIONS.find((one) => one === text);
  if (compression === undefined)
    throw new InvalidArgumentError(`"${text}" is not a compression: ${COMPRESSIONS.join(", ")}.`);
  if (canCompress(compression)) return compression;
  const { message, remedy } = withoutZstd();
  throw new InvalidArgumentError(`${message} ${remedy ?? ""}`.trim());
}

/** A prefix names files within the folder, never another folder. @throws InvalidArgumentError */
export function prefixArgument(text: string): string {
  if (!isPrefix(text)) throw new InvalidArgumentError(`A file name has ${PREFIX_RULE}; --out gives the folder.`);
  return text;
}

/** Collects a repeatable pattern of families. @throws InvalidArgumentError */
export function patternArgument(text: string, before: readonly string[] = []): readonly string[] {
  if (text.trim() === "") throw new InvalidArgumentError("A pattern of families is a text such as vllm:*.");
  return [...before, text];
}

/** Collects a repeatable option. */
export function append(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Which families patterns choose. A pattern may use any name the catalogue knows for a family. */
export function familyChoice(patterns: readonly string[]): (family: string) => boolean {
  const matches = familyFilter(patterns, []);
  return (family) => matches(family) || aliasesOf(family).some(matches);
}

export interface ClientFlags {
  readonly client?: readonly string[];
  readonly clientOffset?: number;
}

/** Options of commands that read an artifact with what its benchmark client measured. */
export function withClientOptions(command: Command): Command {
  return command
    .option(
      "--client <file>",
      "results of the benchmark client: AIPerf, GuideLLM or vllm bench serve, or their folder (repeatable; default: those beside the artifact)",
      append,
    )
    .option("--client-offset <seconds>", "added to the client's times (default: 0)", (text) =>
      numberIn(text, { min: -1e9, max: 1e9, unit: "seconds" }),
    );
}

/** The same as options of opening. */
export function clientOptions({ client, clientOffset }: ClientFlags) {
  return {
    ...(client === undefined ? {} : { client }),
    ...(clientOffset === undefined ? {} : { clientOffsetSeconds: clientOffset }),
  };
}
