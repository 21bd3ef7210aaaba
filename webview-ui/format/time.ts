import { NS_PER_SECOND } from "../../src/core/model/index.js";

/** Steps of a time axis that a person reads at a glance, in seconds. */
const STEPS = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400,
];

/** Ticks within [from, to] (seconds), about `count` of them, on round times. */
export function timeTicks(from: number, to: number, count: number): number[] {
  const span = to - from;
  if (!(span > 0)) return [];
  const ideal = span / Math.max(1, count);
  const last = STEPS[STEPS.length - 1] ?? 86400;
  const step = STEPS.find((candidate) => candidate >= ideal) ?? Math.ceil(ideal / last) * last;
  const ticks: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++)
    ticks.push(Number((i * step).toFixed(6)));
  return ticks;
}

/** Seconds from the start of profiling: "-10 s", "0", "0.5 s", "1:30", "1:02:30". */
export function formatRelative(seconds: number, digits = 0): string {
  const rounded = Number(Math.abs(seconds).toFixed(digits));
  if (rounded === 0) return "0";
  const sign = seconds < 0 ? "-" : "";
  if (rounded < 60) return `${sign}${rounded} s`;
  const whole = Math.floor(rounded);
  const rest = digits > 0 && rounded > whole ? (rounded - whole).toFixed(digits).slice(1) : "";
  const two = (value: number) => String(value).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return `${sign}${h > 0 ? `${h}:${two(m)}` : m}:${two(s)}${rest}`;
}

/** Time since a run began that still goes on, as a clock has it, in whole seconds gone: "42 s", "3:07", "1:02:30". */
export function formatElapsed(seconds: number): string {
  return formatLength(Math.floor(seconds));
}

/** A length of time that is over, to the second: "1:00" of 59.94. */
export function formatLength(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return whole === 0 ? "0 s" : formatRelative(whole);
}

/** Wall clock of an offset: "14:03:22.5", in the viewer's time zone. */
export function formatClock(originMs: number, offset: number): string {
  const date = new Date(originMs + offset / 1e6);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${Math.floor(date.getMilliseconds() / 100)}`;
}

/** OffsetNs relative to the start of profiling, in seconds: what charts and tables show. */
export function relativeSeconds(offset: number, profilingStart: number): number {
  return (offset - profilingStart) / NS_PER_SECOND;
}
