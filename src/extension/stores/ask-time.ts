import { t } from "@vscode/l10n";
import type { RunHeader } from "../../protocol/index.js";
import { askRow } from "../ask.js";
import { askText, type DialogAnswer, type PickRow, type Step } from "../workbench-text.js";
import {
  dayOf,
  endProblem,
  listedDays,
  parseTime,
  recentDays,
  startProblem,
  zoneText,
  type Day,
} from "../../stores/wording/days.js";
import { LAST_MINUTES, dateTimeText, parseDateTime, rangesOfRun } from "../../stores/wording/time-range.js";
import type { MsRange } from "../../stores/prometheus/time.js";

export interface TimeQuestion extends Step {
  /** Runs whose stretches are offered. */
  readonly runs: readonly RunHeader[];
  /** Of each stretch of time whether the store may have anything of it. */
  storedDays(days: readonly MsRange[], signal: AbortSignal): Promise<readonly boolean[]>;
}

const TITLE = t("Open Run from Prometheus: Time");
const MINUTE_MS = 60_000;

/**
 * The time to read: a stretch that ends now, a part of an open run, or a day of the calendar with start and end. Each
 * question has a way back to the one before.
 */
export async function askTime(question: TimeQuestion): Promise<DialogAnswer<MsRange>> {
  const closing = new AbortController();
  let days: Promise<readonly boolean[] | undefined> | undefined;
  let day: Day | undefined;
  let start: number | undefined;
  let asked: "range" | "day" | "start" | "end" = "range";
  try {
    for (;;) {
      switch (asked) {
        case "range": {
          const answer = await askRange(question);
          if (answer.kind !== "value") return answer;
          if (answer.value.range !== undefined) return { kind: "value", value: answer.value.range };
          asked = "day";
          break;
        }
        case "day": {
          // Where the store does not tell, all days are listed alike.
          days ??= question.storedDays(recentDays(Date.now()), closing.signal).catch(() => undefined);
          const answer = await askDay(question, days);
          if (answer.kind === "cancel") return answer;
          if (answer.kind === "value") ({ day, start } = answer.value);
          asked = answer.kind === "back" || day === undefined ? "range" : "start";
          break;
        }
        case "start": {
          if (day === undefined) throw new Error("a start without a day");
          const answer = await askStart(question, day, start);
          if (answer.kind === "cancel") return answer;
          if (answer.kind === "value") start = answer.value;
          asked = answer.kind === "back" ? "day" : "end";
          break;
        }
        case "end": {
          if (day === undefined || start === undefined) throw new Error("an end without a start");
          const answer = await askEnd(question, day, start);
          if (answer.kind === "cancel") return answer;
          if (answer.kind === "value") return { kind: "value", value: { startMs: start, endMs: answer.value } };
          asked = "start";
          break;
        }
      }
    }
  } finally {
    closing.abort();
  }
}

function askRange({ step, totalSteps, runs }: TimeQuestion): Promise<DialogAnswer<{ readonly range?: MsRange }>> {
  const now = Date.now();
  const rows: readonly (PickRow & { readonly range?: MsRange })[] = [
    ...LAST_MINUTES.map(({ label, minutes }) => ({
      icon: "history",
      label,
      range: { startMs: now - minutes * MINUTE_MS, endMs: now },
    })),
    ...runs.flatMap(rangesOfRun).map(({ label, startMs, endMs }) => ({
      icon: "graph-line",
      label,
      description: `${dateTimeText(startMs)} – ${dateTimeText(endMs)}`,
      range: { startMs: Math.floor(startMs), endMs: Math.ceil(endMs) },
    })),
    { icon: "calendar", label: t("Choose a day…"), description: t("then its start and end") },
  ];
  return askRow({ title: TITLE, placeholder: t("Choose the time to read"), step, totalSteps, rows: () => rows });
}

interface ChosenDay {
  readonly day: Day;
  /** Where more than a date was typed. */
  readonly start: number | undefined;
}

async function askDay(
  { step, totalSteps }: TimeQuestion,
  stored: Promise<readonly boolean[] | undefined>,
): Promise<DialogAnswer<ChosenDay>> {
  const now = Date.now();
  const recent = recentDays(now);
  let days = listedDays(recent, undefined);
  const more = stored.then((known) => {
    days = listedDays(recent, known);
  });
  const rows = (text: string): readonly (PickRow & { readonly chosen: ChosenDay })[] => {
    const typed = parseDateTime(text);
    const listed = days.map((day) => ({
      icon: "calendar",
      label: day.label,
      description: day.isEmpty ? t`${day.date}, no data` : day.date,
      chosen: { day, start: undefined },
    }));
    if (typed === undefined || typed > now) return listed;
    const day = dayOf(typed, now);
    const start = typed === day.startMs ? undefined : typed;
    return [
      {
        icon: "check",
        label: day.label,
        description: start === undefined ? day.date : t`from ${dateTimeText(start)}`,
        alwaysShow: true,
        chosen: { day, start },
      },
      ...listed.filter(({ chosen }) => chosen.day.startMs !== day.startMs),
    ];
  };
  const placeholder = t("Choose a day, or type a date such as 2026-11-20");
  const answer = await askRow({ title: t`${TITLE}: day`, placeholder, step, totalSteps, rows, more });
  return answer.kind === "value" ? { kind: "value", value: answer.value.chosen } : answer;
}

async function askStart(
  { step, totalSteps }: TimeQuestion,
  day: Day,
  before: number | undefined,
): Promise<DialogAnswer<number>> {
  const now = Date.now();
  const isToday = now >= day.startMs && now < day.endMs;
  const proposed = before ?? (isToday ? Math.max(day.startMs, now - 15 * MINUTE_MS) : day.startMs);
  const answer = await askText({
    title: t`${TITLE}: start, ${day.label}`,
    prompt: t`Start, such as 10:00 or 10:00:30. Times are ${zoneText(day.startMs)}.`,
    value: written(proposed, day),
    step,
    totalSteps,
    validate: (text) => startProblem(text, day, Date.now()),
  });
  return timeOf(answer, (text) => parseTime(text, day));
}

async function askEnd({ step, totalSteps }: TimeQuestion, day: Day, start: number): Promise<DialogAnswer<number>> {
  const proposed = Math.min(Date.now(), start + 60 * MINUTE_MS);
  const answer = await askText({
    title: t`${TITLE}: end, ${day.label}`,
    prompt: t`End of the time range that starts at ${written(start, day)}, such as 10:30, or +30m for 30 minutes. Times are ${zoneText(start)}.`,
    value: written(proposed, day),
    step,
    totalSteps,
    validate: (text) => endProblem(text, day, start),
  });
  return timeOf(answer, (text) => parseTime(text, day, start));
}

function timeOf(answer: DialogAnswer<string>, parse: (text: string) => number | undefined): DialogAnswer<number> {
  if (answer.kind !== "value") return answer;
  const value = parse(answer.value);
  return value === undefined ? { kind: "cancel" } : { kind: "value", value };
}

/** A moment without its date where that is the day asked for. */
function written(ms: number, day: Day): string {
  const text = dateTimeText(ms);
  return ms >= day.startMs && ms < day.endMs ? text.slice(day.date.length + 1) : text;
}
