import { fieldsOf, type JsonObject } from "../text/json.js";
import type { TimeRange } from "./run-metadata.js";
import type { RunStatistics } from "./statistics.js";
import { epochNs, NS_PER_SECOND } from "./time.js";

/** The part of a run in which load was on the servers: what is measured of it. */
export interface LoadWindow extends TimeRange {
  /** Who told it: the load generator's own file, or the servers' activity. */
  readonly by: "client" | "activity";
  /** The load generator, where its file told it. */
  readonly tool?: string;
  /** What rates divide by: how long the load generator says that its load took. Absent: the time between samples. */
  readonly seconds?: number;
  /** How many requests may be counted too many or too few, where no idle scrape lies at a boundary; 0: none. */
  readonly mayBeOff: number;
  /** Added to the load generator's clock to fit the servers' counters; absent: nothing. */
  readonly clockOffsetSeconds?: number;
  /** All that was captured, idle parts included. */
  readonly whole: TimeRange;
  /** The warm-up by either rule: one of a stated length counts from the load's start. Absent: there is none. */
  readonly warmup?: Readonly<Record<WindowRule, TimeRange>>;
}

/** Which part of a run statistics are over. */
export const WINDOW_RULES = ["load", "all"] as const;
export type WindowRule = (typeof WINDOW_RULES)[number];

/** The window of the load as a run's `input_config` has it, which may be anything; undefined without one. */
export function loadWindowOf(inputConfig: JsonObject): LoadWindow | undefined {
  const config = fieldsOf(inputConfig["load_window"]);
  const time = (key: string) => {
    const value = config[key];
    return typeof value === "bigint" || Number.isInteger(value)
      ? epochNs(BigInt(Number(value) === value ? value : String(value)))
      : undefined;
  };
  const number = (key: string) => {
    const value = config[key];
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  };
  const { by, tool } = config;
  const [start, end, from, to] = [time("start_ns"), time("end_ns"), time("capture_start_ns"), time("capture_end_ns")];
  if ((by !== "client" && by !== "activity") || start === undefined || end === undefined || start >= end)
    return undefined;
  const [seconds, clockOffsetSeconds] = [number("seconds"), number("clock_offset_seconds")];
  const range = (prefix: string) => {
    const [own, ends] = [time(`${prefix}warmup_start_ns`), time(`${prefix}warmup_end_ns`)];
    return own === undefined || ends === undefined ? undefined : { start: own, end: ends };
  };
  const [inLoad, inAll] = [range(""), range("capture_")];
  return {
    start,
    end,
    by,
    ...(typeof tool === "string" ? { tool } : {}),
    ...(seconds !== undefined && seconds > 0 ? { seconds } : {}),
    mayBeOff: number("requests_may_be_off") ?? 0,
    ...(clockOffsetSeconds === undefined ? {} : { clockOffsetSeconds }),
    whole: { start: from ?? start, end: to ?? end },
    ...(inLoad === undefined || inAll === undefined ? {} : { warmup: { load: inLoad, all: inAll } }),
  };
}

/** The window of the load that statistics are over; undefined where they are of another one. */
export function measuredLoad({ startNs, endNs, inputConfig }: RunStatistics): LoadWindow | undefined {
  const load = loadWindowOf(inputConfig);
  return load?.start === startNs && load.end === endNs ? load : undefined;
}

/** A configuration that tells the window of the load, so that every format of the run does. */
export function withLoadWindow(inputConfig: JsonObject, load: LoadWindow | undefined): JsonObject {
  const { load_window: _, ...rest } = inputConfig;
  if (load === undefined) return rest;
  const { start, end, by, tool, seconds, mayBeOff, clockOffsetSeconds, whole, warmup } = load;
  return {
    ...rest,
    load_window: {
      by,
      ...(tool === undefined ? {} : { tool }),
      start_ns: start,
      end_ns: end,
      capture_start_ns: whole.start,
      capture_end_ns: whole.end,
      ...(seconds === undefined ? {} : { seconds }),
      ...(mayBeOff === 0 ? {} : { requests_may_be_off: mayBeOff }),
      ...(clockOffsetSeconds === undefined ? {} : { clock_offset_seconds: clockOffsetSeconds }),
      ...(warmup === undefined
        ? {}
        : {
            warmup_start_ns: warmup.load.start,
            warmup_end_ns: warmup.load.end,
            capture_warmup_start_ns: warmup.all.start,
            capture_warmup_end_ns: warmup.all.end,
          }),
    },
  };
}

/**
 * "measured: 11.5 s of load out of 20.5 s captured (window from vLLM bench)"; by the other rule "measured: all 20.5 s,
 * of which 11.5 s are load".
 */
export function loadWindowText(
  { start, end, by, tool, seconds, mayBeOff, clockOffsetSeconds, whole }: LoadWindow,
  rule: WindowRule = "load",
): string {
  const length = (range: TimeRange) => Number(range.end - range.start) / NS_PER_SECOND;
  const notes = [
    ...(by === "client" ? [`window from ${tool ?? "the load generator"}`] : []),
    ...(clockOffsetSeconds === undefined
      ? []
      : [`its clock shifted by ${shown(clockOffsetSeconds)} s to match the servers' counters`]),
    ...(mayBeOff === 0
      ? []
      : [`may be off by ${mayBeOff} ${mayBeOff === 1 ? "request" : "requests"}: no idle scrape at a boundary`]),
  ];
  // A load that fills the run has the scrapes at its edges, which may lie a moment outside.
  const loaded = Math.min(seconds ?? length({ start, end }), length(whole));
  const [load, all] = [`${shown(loaded)} s`, `${shown(length(whole))} s`];
  if (rule === "all") return `measured: all ${all}, of which ${load} are load`;
  return `measured: ${load} of load out of ${all} captured${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}

function shown(seconds: number): string {
  return Math.abs(seconds) >= 100 ? seconds.toFixed(0) : seconds.toFixed(1);
}
