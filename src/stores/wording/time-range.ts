import type { MsRange } from "../prometheus/time.js";

/** Stretches that end now, the usual one first. */
export const LAST_MINUTES: readonly { readonly label: string; readonly minutes: number }[] = [
  { label: "Last 15 minutes", minutes: 15 },
  { label: "Last 5 minutes", minutes: 5 },
  { label: "Last hour", minutes: 60 },
  { label: "Last 6 hours", minutes: 360 },
  { label: "Last 24 hours", minutes: 1440 },
];

/**
 * A moment as a person writes it: 2026-11-20 10:00, with seconds, or ISO 8601 with a zone. Without one, local time.
 * @returns undefined for what is none
 */
export function parseDateTime(text: string): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T\s]+(\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(
    text.trim(),
  );
  if (match === null) return undefined;
  const [, day = "", time = "00:00", zone = ""] = match;
  const ms = Date.parse(`${day}T${time.padStart(time.indexOf(":") === 1 ? time.length + 1 : 0, "0")}${zone}`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** As `parseDateTime` reads it, in local time. */
export function dateTimeText(ms: number): string {
  // Sweden writes it so.
  return new Date(ms).toLocaleString("sv-SE");
}

export interface NamedRange extends MsRange {
  readonly label: string;
}

interface OpenRun {
  readonly label?: string | undefined;
  readonly originMs: number;
  /** Nanoseconds after the origin, as everything below. */
  readonly now: number;
  readonly profilingStart: number;
  readonly profilingEnd?: number;
  readonly window?: { readonly start: number; readonly end: number };
  readonly phases?: readonly { readonly name: string; readonly start: number; readonly end: number }[];
  readonly marks: readonly { readonly time: number; readonly label: string }[];
}

/** The stretches that an open run names: its window, profiling, its phases, and from each of its marks to the next. */
export function rangesOfRun({ label, originMs, now, profilingEnd, ...run }: OpenRun): readonly NamedRange[] {
  const name = label ?? "the open run";
  const end = profilingEnd ?? now;
  const range = (what: string, from: number, to: number): NamedRange[] =>
    to > from ? [{ label: `${what} of ${name}`, startMs: originMs + from / 1e6, endMs: originMs + to / 1e6 }] : [];
  const marks = [...run.marks].sort((a, b) => a.time - b.time);
  return [
    ...(run.window === undefined ? [] : range("Window", run.window.start, run.window.end)),
    ...range("Profiling", run.profilingStart, end),
    ...(run.phases ?? []).flatMap(({ name: phase, start, end }) => range(`Phase “${phase}”`, start, end)),
    ...marks.flatMap((mark, i) => range(`Mark “${mark.label}”`, mark.time, marks[i + 1]?.time ?? end)),
  ];
}
