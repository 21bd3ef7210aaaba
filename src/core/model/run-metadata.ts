import { epochNs, type EpochNs } from "./time.js";
import { fieldsOf, isList, type JsonObject } from "../text/json.js";
import { PROVENANCE } from "./provenance.js";

/** A stretch of time, both ends included. */
export interface TimeRange {
  readonly start: EpochNs;
  readonly end: EpochNs;
}

/** A part of a run that has a name: a warm-up, or one step of a load. */
export interface NamedPhase {
  /** As `isPhaseName` has it; unique within its run, whatever the case of its letters. */
  readonly name: string;
  readonly kind: Phase;
  readonly start: EpochNs;
  /** Absent while the phase goes on. */
  readonly end?: EpochNs;
  /** The scrapes that are its own: `from` ≤ time < `to`. Absent: those from its start to its end. */
  readonly tags?: { readonly from: EpochNs; readonly to: EpochNs };
}

/** What the reference allows for a phase's name: a letter or "_", then letters, digits, "_" and "-". */
export const PHASE_NAME_RULE = 'a letter or "_", then letters, digits, "_" and "-"';

/** Whether a text may name a phase, which also names a folder. */
export function isPhaseName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,99}$/.test(text);
}

export type Phase = "warmup" | "profiling";

/** A moment the user noted, such as a step in concurrency. */
export interface Mark {
  readonly time: EpochNs;
  readonly label: string;
}

/** What is known of a run besides its samples. */
export interface RunMetadata {
  /** UUID, the same in all files of a run. */
  readonly benchmarkId: string;
  readonly label?: string;
  /** In the order the user configured them; URLs without credentials. */
  readonly endpointsConfigured: readonly string[];
  readonly sliceDurationSeconds: number;
  readonly inputConfig: JsonObject;
}

/** The key of `input_config` under which a capture keeps for each endpoint how many ticks it missed by itself. */
const MISSED_HERE = "scrapes_missed_by_capture";

/** What a run keeps of ticks for which the capture came too late, by endpoint. */
export function withMissedHere(missed: readonly (readonly [url: string, ticks: number])[]): JsonObject {
  return missed.length === 0 ? {} : { [MISSED_HERE]: Object.fromEntries(missed) };
}

/** How many scrapes of an endpoint are missing because the capture came too late; undefined where it is not said. */
export function missedHere(config: JsonObject, endpointUrl: string): number | undefined {
  const ticks = fieldsOf(config[MISSED_HERE])[endpointUrl];
  return typeof ticks === "number" ? ticks : undefined;
}

/** The key of `input_config` under which a run keeps its marks, so that every format with a configuration has them. */
const MARKS = "marks";

/** Marks as a run's `input_config` has them, which may be anything. */
export function marksOf(inputConfig: JsonObject): readonly Mark[] {
  const marks = inputConfig[MARKS];
  return (isList(marks) ? marks : []).map(fieldsOf).flatMap(({ time_ns: time, label }) => {
    const isTime = typeof time === "bigint" || (typeof time === "number" && Number.isSafeInteger(time));
    return isTime && typeof label === "string" ? [{ time: epochNs(BigInt(time)), label }] : [];
  });
}

/** Marks as an entry of a configuration. */
export function withMarks(marks: readonly Mark[]): JsonObject {
  return { [MARKS]: marks.map(({ time, label }) => ({ time_ns: time, label })) };
}

/** What a run was configured with: its `input_config` without what was recorded in it while it went on. */
export function configuredOf(inputConfig: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(inputConfig).filter(([key]) => !RECORDED.has(key)));
}

const RECORDED: ReadonlySet<string> = new Set([MARKS, MISSED_HERE, "load_window", PROVENANCE]);

/** What a run calls itself, in a file that says it only in its configuration. */
export function configuredLabel({ label }: JsonObject): string | undefined {
  return typeof label === "string" && label !== "" ? label : undefined;
}

/** Settings that differ between runs of one configuration: seeds, places, names, times, and where servers listen. */
const OF_ONE_RUN = /seed|dir|path|file|folder|label|uuid|_id\b|\bid\b|time|date|^server_metrics\[/i;

/** Whether a setting, by its path, makes runs ones of different configurations where it differs. */
export function isOfConfiguration(path: string): boolean {
  return !OF_ONE_RUN.test(path);
}
