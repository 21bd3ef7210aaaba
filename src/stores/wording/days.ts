import type { MsRange } from "../prometheus/time.js";
import { dateTimeText, parseDateTime } from "./time-range.js";

/** A day of this machine's calendar, from its midnight to the next. */
export interface Day extends MsRange {
  /** "Today", or such as "Friday 20 November 2026". */
  readonly label: string;
  /** Such as 2026-11-20. */
  readonly date: string;
}

const LISTED_DAYS = 31;
/** Listed whatever the store has, so that the list is one of days and not of what happened to be scraped. */
const ALWAYS_LISTED = 7;
const DAY_MS = 86_400_000;

/** The day of a moment, which may have 23 or 25 hours. */
export function dayOf(ms: number, now: number): Day {
  const startMs = midnight(ms, 0);
  const written = new Date(startMs).toLocaleDateString("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });
  const near = startMs === midnight(now, 0) ? "Today" : startMs === midnight(now, -1) ? "Yesterday" : undefined;
  return {
    startMs,
    endMs: midnight(ms, 1),
    label: near === undefined ? written.replace(",", "") : `${near}, ${written.replace(",", "")}`,
    date: dateTimeText(startMs).slice(0, 10),
  };
}

/** Today and the days before it, newest first. */
export function recentDays(now: number): readonly Day[] {
  return Array.from({ length: LISTED_DAYS }, (_, i) => dayOf(midnight(now, -i), now));
}

export interface ListedDay extends Day {
  /** The store has nothing of it. */
  readonly isEmpty: boolean;
}

/**
 * The days worth listing: back to the first that the store has anything of.
 * @param stored of each day whether there may be something; undefined where the store does not tell
 */
export function listedDays(days: readonly Day[], stored: readonly boolean[] | undefined): readonly ListedDay[] {
  if (stored?.includes(true) !== true) return days.map((day) => ({ ...day, isEmpty: false }));
  const listed = Math.max(ALWAYS_LISTED, stored.lastIndexOf(true) + 1);
  return days.slice(0, listed).map((day, i) => ({ ...day, isEmpty: stored[i] === false }));
}

/**
 * A time on a day as a person writes it: 9:30, 09:30:15, 24:00, or a whole moment with a date, which may have a zone.
 * With `startMs` also the time after it: +15m, +2h.
 * @returns undefined for what is none
 */
export function parseTime(text: string, day: Day, startMs?: number): number | undefined {
  const typed = text.trim();
  const later = startMs === undefined ? null : /^\+\s*(\d+(?:\.\d+)?)\s*(s|m|min|h)$/i.exec(typed);
  if (later !== null && startMs !== undefined) {
    const [, amount = "", unit = ""] = later;
    const unitMs = /^h$/i.test(unit) ? 3_600_000 : /^s$/i.test(unit) ? 1000 : 60_000;
    return Math.round(startMs + Number(amount) * unitMs);
  }
  if (/^24:00(:00)?$/.test(typed)) return day.endMs;
  return parseDateTime(/^\d{1,2}:\d{2}/.test(typed) ? `${day.date} ${typed}` : typed);
}

/** What is wrong with a start; undefined when it can be taken. */
export function startProblem(text: string, day: Day, now: number): string | undefined {
  const ms = parseTime(text, day);
  if (ms === undefined) return "Type a time such as 10:00 or 10:00:30.";
  return ms < now ? undefined : `That is in the future. It is ${dateTimeText(now)} now.`;
}

/** What is wrong with an end; undefined when it can be taken. */
export function endProblem(text: string, day: Day, startMs: number): string | undefined {
  const ms = parseTime(text, day, startMs);
  if (ms === undefined) return "Type a time such as 10:30, or +30m for 30 minutes after the start.";
  if (ms > startMs) return undefined;
  return `The end must be later than the start, ${dateTimeText(startMs)}. For another day type the date too: ${dayAfter(day)} 01:00.`;
}

/** The zone of this machine at that moment, such as "UTC+01:00 (Europe/Berlin)". */
export function zoneText(ms: number, zone = Intl.DateTimeFormat().resolvedOptions().timeZone): string {
  const minutes = -new Date(ms).getTimezoneOffset();
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const offset =
    minutes === 0
      ? "UTC"
      : `UTC${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
  return zone === "" || /UTC$/.test(zone) ? offset : `${offset} (${zone})`;
}

function dayAfter({ endMs }: Day): string {
  return dateTimeText(endMs).slice(0, 10);
}

/** Midnight of a day so many days after that of a moment. Noon is the way there: no zone's clocks change at noon. */
function midnight(ms: number, days: number): number {
  const date = new Date(ms);
  const noon = new Date(date.getFullYear(), date.getMonth(), date.getDate(), 12).getTime() + days * DAY_MS;
  const there = new Date(noon);
  return new Date(there.getFullYear(), there.getMonth(), there.getDate()).getTime();
}
