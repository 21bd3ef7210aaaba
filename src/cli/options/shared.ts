import { InvalidArgumentError, Option, type Command, type OptionValues } from "@commander-js/extra-typings";
import { familyFilter } from "../../collect/filter.js";
import { aliasesOf, canonicalName, familiesNamed } from "../../core/catalog/index.js";
import { thresholdsOf, type Thresholds } from "../../core/insights/index.js";
import {
  LONGEST_LABEL,
  OPTION_RANGES,
  PROVENANCE_PARTS,
  WINDOW_RULES,
  type ProvenancePart,
} from "../../core/model/index.js";
import { errorText } from "../../core/text/index.js";
import { inMilliseconds, inRange } from "./numbers.js";

/** The heading of options that have none of their own. */
export const OPTIONS = "Options:";

/** What the options of a command leave in its flags. @template Of what gives the command */
export type FlagsOf<Of extends (...args: never) => { opts(): unknown }> = ReturnType<ReturnType<Of>["opts"]>;

/** For the flags of a function alone that adds options to those of a command. */
export type NoFlags = Record<never, never>;

/** Collects a repeatable pattern of families. @throws InvalidArgumentError */
export function patternArgument(text: string, before: readonly string[] = []): readonly string[] {
  if (text.trim() === "") throw new InvalidArgumentError("A pattern of families is a text such as vllm:*.");
  return [...before, text];
}

/** A run's label; "" stands for none. @throws InvalidArgumentError */
export function labelArgument(text: string): string | undefined {
  const label = text.trim();
  if (label.length > LONGEST_LABEL) throw new InvalidArgumentError(`A label has at most ${LONGEST_LABEL} characters.`);
  return label === "" ? undefined : label;
}

/**
 * Names with commas between, each once.
 * @param wrong says what is wrong with a name that is not among the known ones
 * @throws InvalidArgumentError
 */
export function namesIn<T extends string>(
  text: string,
  known: readonly T[],
  wrong: (name: string) => string,
): readonly T[] {
  const names = text.split(",").map((name) => {
    const found = known.find((one) => one === name.trim());
    if (found === undefined) throw new InvalidArgumentError(wrong(name.trim()));
    return found;
  });
  return [...new Set(names)];
}

/** What another parser throws, as commander takes it. @throws InvalidArgumentError */
export function asArgument<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(errorText(error));
  }
}

/** Collects a repeatable option. */
export function append(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/**
 * Which families patterns choose. A pattern may use any name the catalogue knows for a family, or what practitioners
 * call it: `ttft`.
 */
export function familyChoice(patterns: readonly string[]): (family: string) => boolean {
  const matches = familyFilter(patterns, []);
  const meant = new Set(patterns.flatMap((pattern) => familiesNamed(pattern.toLowerCase())));
  return (family) => matches(family) || aliasesOf(family).some(matches) || meant.has(canonicalName(family));
}

/** `--reachability-timeout`, in seconds. Its value is in milliseconds. */
export function reachabilityOption() {
  return new Option(
    "--reachability-timeout <seconds>",
    "longest the test of the endpoints may take (default: 10)",
  ).argParser(inMilliseconds(OPTION_RANGES.reachabilityTimeout));
}

/** `--window` of what measures a run; the load by default. */
export function measuredWindowOption() {
  return new Option("--window <rule>", WINDOW).choices(WINDOW_RULES).default("load" as const);
}

/** `--window` of what reads runs. */
export function windowOption() {
  return new Option("--window <rule>", `${WINDOW} (default: as the file says)`).choices(WINDOW_RULES);
}

const WINDOW = "what is measured: the load alone, or all that was captured";

/** `--provenance`; all parts by default. */
export function provenanceOption() {
  return new Option(
    "--provenance <list>",
    `what to record of where the run came from: all, none, or some of ${PROVENANCE_PARTS.join(",")}`,
  )
    .argParser(provenanceArgument)
    .default(PROVENANCE_PARTS);
}

/** "all", "none", or some parts with commas between. @throws InvalidArgumentError */
function provenanceArgument(text: string): readonly ProvenancePart[] {
  if (text === "all") return PROVENANCE_PARTS;
  if (text === "none") return [];
  const there = `there are ${PROVENANCE_PARTS.join(", ")}, and all or none.`;
  return namesIn(text, PROVENANCE_PARTS, (name) => `"${name}" is not a part; ${there}`);
}

/** `--threshold` of commands that tell findings. */
export function withThresholdOption<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command.option(
    "--threshold <name=value>",
    "threshold of a finding, such as kvUsage=0.8 (repeatable; docs/findings.md lists them)",
    thresholdArgument,
  );
}

/** `kvUsage=0.8`, added to those before. @throws InvalidArgumentError naming the thresholds there are */
export function thresholdArgument(text: string, before: Readonly<Record<string, number>> = {}): Partial<Thresholds> {
  const [name = "", value = ""] = text.split("=", 2).map((part) => part.trim());
  try {
    return thresholdsOf({ ...before, [name]: value === "" ? NaN : Number(value) });
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidArgumentError(`"${text}": ${error.message}.`);
    throw error;
  }
}

export type ClientFlags = FlagsOf<typeof withClientOptions<[], NoFlags>>;

const OFFSET = inRange({ min: -1e9, max: 1e9, unit: "seconds" });

/** Options of commands that read an artifact with what its benchmark client measured. */
export function withClientOptions<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .option(
      "--client <file>",
      "results of the benchmark client: AIPerf, GuideLLM, vllm bench serve, inference-perf or llm-d, or their folder (repeatable; default: those beside the artifact)",
      append,
    )
    .option("--client-offset <seconds>", "added to the client's times (default: 0)", OFFSET)
    .addOption(windowOption());
}

/** The same as options of opening. */
export function clientOptions({ client, clientOffset, window }: ClientFlags) {
  return {
    ...(window === undefined ? {} : { window }),
    ...(client === undefined ? {} : { client }),
    ...(clientOffset === undefined ? {} : { clientOffsetSeconds: clientOffset }),
  };
}

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
