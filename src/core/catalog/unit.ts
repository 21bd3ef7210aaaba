import type { Family } from "../model/index.js";

/**
 * Units as the artifacts spell them. The rules are those of SEMANTICS "Units and names", which are AIPerf's: the first
 * that matches decides, description before name.
 */

const RATIO_RANGE =
  /\b0(?:\.0)?\s*(?:[-–—]+|to)\s*1(?:\.0)?(?![.\w])|\b1(?:\.0)?\s*(?:means|is|equals?|==?)\s*100\s*(?:%|percent)/i;
const PERCENT_RANGE =
  /\(0(?:\.0)?\s*(?:[-–—]+|to)\s*100(?:\.0)?\)|\brange\s+0\s*(?:[-–—]+|to)\s*100\b|\b0\s*(?:[-–—]+|to)\s*100\s*%/i;

/** "(in MiB)", as DCGM writes it: case-sensitive, for mJ is not MJ. */
const TAGGED = /\(in\s+([^\s)]+)\)/;
const UNIT_BY_TAG: ReadonlyMap<string, string> = new Map([
  ["B", "bytes"],
  ["KB", "kilobytes"],
  ["KiB", "kilobytes"],
  ["MB", "megabytes"],
  ["MiB", "megabytes"],
  ["GB", "gigabytes"],
  ["GiB", "gigabytes"],
  ["TB", "terabytes"],
  ["C", "celsius"],
  ["°C", "celsius"],
  ["F", "fahrenheit"],
  ["°F", "fahrenheit"],
  ["K", "kelvin"],
  ["Hz", "hertz"],
  ["MHz", "megahertz"],
  ["GHz", "gigahertz"],
  ["W", "watt"],
  ["mW", "milliwatt"],
  ["J", "joule"],
  ["mJ", "millijoule"],
  ["MJ", "megajoule"],
  ["s", "seconds"],
  ["sec", "seconds"],
  ["ms", "milliseconds"],
  ["us", "microseconds"],
  ["µs", "microseconds"],
  ["ns", "nanoseconds"],
  ["GB/s", "gb/s"],
  ["MB/s", "mb/s"],
  ["%", "percent"],
  ["percent", "percent"],
]);

const inOrParenthesis = (unit: string) => new RegExp(`(?:\\bin\\s+|\\()(?:${unit})\\b`, "i");
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [inOrParenthesis("seconds?"), "seconds"],
  [inOrParenthesis("milliseconds?|ms"), "milliseconds"],
  [inOrParenthesis("nanoseconds?|ns"), "nanoseconds"],
  [inOrParenthesis("bytes?"), "bytes"],
  [inOrParenthesis("GB/s"), "gb/s"],
  [inOrParenthesis("MB/s"), "mb/s"],
  [inOrParenthesis("tokens?/s(?:ec(?:ond)?)?"), "tokens/s"],
  [inOrParenthesis("requests?/s(?:ec(?:ond)?)?"), "requests/s"],
  [/\bin\s+tokens?\b/i, "tokens"],
];

const SUFFIXES: readonly (readonly [string, string])[] = (
  [
    ["_seconds", "seconds"],
    ["_milliseconds", "milliseconds"],
    ["_ms", "milliseconds"],
    ["_nanoseconds", "nanoseconds"],
    ["_ns", "nanoseconds"],
    ["_bytes", "bytes"],
    ["_kilobytes", "kilobytes"],
    ["_megabytes", "megabytes"],
    ["_gigabytes", "gigabytes"],
    ["_tokens", "tokens"],
    ["_requests", "requests"],
    ["_reqs", "requests"],
    ["request_success", "requests"],
    ["_errors", "errors"],
    ["_error_count", "errors"],
    ["_blocks", "blocks"],
    ["_block_count", "blocks"],
    ["_ratio", "ratio"],
    ["_percent", "percent"],
    ["_perc", "percent"],
    ["_celsius", "celsius"],
    ["_joules", "joule"],
    ["_watts", "watt"],
    ["_gb_s", "gb/s"],
    ["_count", "count"],
    ["_total", "count"],
    // Only a family that kept its suffix gets this far: a histogram or gauge called `…_tokens_total`.
    ["_seconds_total", "seconds"],
    ["_ms_total", "milliseconds"],
    ["_ns_total", "nanoseconds"],
    ["_bytes_total", "bytes"],
    ["_tokens_total", "tokens"],
    ["_requests_total", "requests"],
    ["_errors_total", "errors"],
    ["_error_count_total", "errors"],
    ["_blocks_total", "blocks"],
  ] as const
).toSorted(([a], [b]) => b.length - a.length);

/**
 * Unit of a family, as the artifacts spell it; undefined when nothing tells.
 * @param family by its name as exported: a counter's has lost its `_total`. OpenMetrics `# UNIT` decides only when
 *   description and name are silent, so that the numbers of a file keep the unit that AIPerf gives them
 */
export function familyUnit({ name, description, declaredUnit = "" }: NamedUnit): string | undefined {
  return unitOfDescription(description) ?? unitOfName(name) ?? (declaredUnit === "" ? undefined : declaredUnit);
}

type NamedUnit = Pick<Family, "name" | "description" | "declaredUnit">;

function unitOfDescription(description: string): string | undefined {
  if (description === "") return undefined;
  if (RATIO_RANGE.test(description)) return "ratio";
  if (PERCENT_RANGE.test(description)) return "percent";
  const tagged = UNIT_BY_TAG.get(TAGGED.exec(description)?.[1] ?? "");
  return tagged ?? PHRASES.find(([phrase]) => phrase.test(description))?.[1];
}

function unitOfName(name: string): string | undefined {
  const lower = name.toLowerCase();
  const unit = SUFFIXES.find(([suffix]) => lower.endsWith(suffix))?.[1];
  return unit ?? (lower.includes("num_requests_") ? "requests" : undefined);
}

/**
 * Is the family a percentage by its name, or by a unit that was made of it, and by nothing else? Then only its values
 * tell whether 0.53 is 53 % or half of a percent.
 */
export function isPercentByName({ name, description, declaredUnit = "" }: NamedUnit): boolean {
  return (
    (/_perc(?:ent)?$/i.test(name) ? ["", "percent", "%"] : ["percent", "%"]).includes(declaredUnit) &&
    unitOfDescription(description) === undefined
  );
}

/** The unit of such values: shares where none lies outside 0 to 1; undefined without a value. */
export function unitOfRange(values: Iterable<number>): Family["rangeUnit"] {
  let unit: Family["rangeUnit"];
  for (const value of values) {
    if (value < 0 || value > 1) return "percent";
    if (!Number.isNaN(value)) unit = "ratio";
  }
  return unit;
}

/** Of a machine, as its tools name them: up to 100. */
const MACHINE_SHARE =
  /(?:^|[_:])(?:cpu|mem|memory|disk|fs|swap|gpu|battery)(?:_(?:usage|used|util|utilization|load))?_perc$/i;

/**
 * Is the family a share from 0 to 1 by its name alone, which the artifacts' rules take for a percentage? vLLM calls
 * them so, and with it what descends from it.
 */
export function isShareName({ name, description }: Pick<Family, "name" | "description">): boolean {
  return /_perc$/i.test(name) && !MACHINE_SHARE.test(name) && unitOfDescription(description) === undefined;
}

/** Sizes that the artifacts' rules round to powers of 1000 in name: "(in MiB)" is "megabytes" there. */
const BINARY_SIZE = /\(in\s+(KiB|MiB|GiB)\)/;
const BINARY_UNITS: ReadonlyMap<string, string> = new Map([
  ["KiB", "kibibytes"],
  ["MiB", "mebibytes"],
  ["GiB", "gibibytes"],
]);

/** The binary unit that a description tells, for views. */
export function sizeUnitOf(description: string): string | undefined {
  return BINARY_UNITS.get(BINARY_SIZE.exec(description)?.[1] ?? "");
}

/** Is the family's value a time of day, in seconds since the epoch, by its name? */
export function isTimestampName(name: string): boolean {
  return /(_start_time|_boot_time|_timestamp|_created)(_seconds)?$/.test(name);
}
