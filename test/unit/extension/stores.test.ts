import { foundRows } from "../../../src/extension/stores/found-rows.js";
import { describe, expect, it } from "vitest";
import {
  dayOf,
  endProblem,
  listedDays,
  parseTime,
  recentDays,
  startProblem,
  zoneText,
} from "../../../src/stores/wording/days.js";
import { completed, completionOf, wholeSelector } from "../../../src/stores/wording/selector.js";
import { dateTimeText, parseDateTime, rangesOfRun } from "../../../src/stores/wording/time-range.js";

describe("a selector that is being typed", () => {
  it.each([
    ["", { kind: "family", typed: "" }],
    ["vllm:num", { kind: "family", typed: "vllm:num" }],
    ["{", { kind: "label", typed: "", match: undefined }],
    ["{jo", { kind: "label", typed: "jo", match: undefined }],
    ["up{jo", { kind: "label", typed: "jo", match: "up{}" }],
    ['{job="v', { kind: "value", label: "job", typed: "v", match: undefined }],
    ['{job="a,b{", inst', { kind: "label", typed: "inst", match: '{job="a,b{"}' }],
    ['{job="vllm", instance=~"gpu', { kind: "value", label: "instance", typed: "gpu", match: '{job="vllm"}' }],
    ['{job="vllm"', { kind: "whole" }],
    ['{job="vllm"}', { kind: "whole" }],
  ])("%s", (text, expected) => {
    expect(completionOf(text)).toMatchObject(expected);
  });

  it("grows by what is chosen", () => {
    let text = "";
    for (const chosen of ["up", "job", 'a"b'])
      text = ((completion) =>
        completion.kind === "whole" || completion.kind === "unclear" ? text : completed(completion, chosen))(
        completionOf(text),
      );
    expect(text).toBe('up{job="a\\"b"');
    expect(wholeSelector(text)).toBe('up{job="a\\"b"}');
  });

  it.each([
    ["up", "up"],
    ['{job="vllm"', '{job="vllm"}'],
    ['{job="vllm",}', '{job="vllm"}'],
    ['{job="vllm"} ', '{job="vllm"}'],
    ["", undefined],
    ["{", undefined],
    ["{job=", undefined],
    ['{job="vllm', undefined],
  ])("%s is sent as %s", (text, expected) => {
    expect(wholeSelector(text)).toBe(expected);
  });
});

describe("a typed date and time", () => {
  it("is read as it is written, in local time unless it has a zone", () => {
    const ms = Date.UTC(2026, 10, 20, 10, 0, 5);
    expect(parseDateTime("2026-11-20T10:00:05Z")).toBe(ms);
    expect(parseDateTime("2026-11-20 11:00:05+01:00")).toBe(ms);
    expect(parseDateTime(dateTimeText(ms))).toBe(ms);
    expect(parseDateTime("2026-11-20 9:30")).toBe(new Date(2026, 10, 20, 9, 30).getTime());
    expect(parseDateTime("2026-11-20")).toBe(new Date(2026, 10, 20).getTime());
    for (const wrong of ["", "yesterday", "2026-13-01", "10:00", "2026-11-20 25:00"])
      expect(parseDateTime(wrong), wrong).toBeUndefined();
  });
});

it("an open run names its window, its profiling, and what lies between its marks", () => {
  const second = 1e9;
  const ranges = rangesOfRun({
    label: "batch 64",
    originMs: 1_000_000,
    now: 60 * second,
    profilingStart: 10 * second,
    profilingEnd: 50 * second,
    window: { start: 20 * second, end: 30 * second },
    phases: [{ name: "warm-up", start: 0, end: 10 * second }],
    marks: [
      { time: 40 * second, label: "32 users" },
      { time: 15 * second, label: "16 users" },
    ],
  });
  expect(ranges.map(({ label, startMs, endMs }) => [label, startMs - 1_000_000, endMs - 1_000_000])).toEqual([
    ["Window of batch 64", 20_000, 30_000],
    ["Profiling of batch 64", 10_000, 50_000],
    ["Phase “warm-up” of batch 64", 0, 10_000],
    ["Mark “16 users” of batch 64", 15_000, 40_000],
    ["Mark “32 users” of batch 64", 40_000, 50_000],
  ]);
});

describe("the calendar", () => {
  const now = new Date(2026, 10, 23, 3, 12).getTime();
  const today = dayOf(now, now);

  it("lists today and the days before it, each from midnight to midnight", () => {
    const days = recentDays(now);
    expect(days.slice(0, 3).map(({ label, date }) => [label, date])).toEqual([
      ["Today, Monday 23 November 2026", "2026-11-23"],
      ["Yesterday, Sunday 22 November 2026", "2026-11-22"],
      ["Saturday 21 November 2026", "2026-11-21"],
    ]);
    expect(new Set(days.map(({ date }) => date)).size).toBe(31);
    days.forEach((day, i) => {
      expect(new Date(day.startMs).getHours()).toBe(0);
      if (i > 0) expect(day.endMs).toBe(days[i - 1]?.startMs);
    });
  });

  it("goes back to the first day that the store has anything of, and at least a week", () => {
    const days = recentDays(now);
    const stored = (...numbers: number[]) => days.map((_, i) => numbers.includes(i));
    const ninth = listedDays(days, stored(0, 9));
    expect(ninth).toHaveLength(10);
    expect(ninth.filter(({ isEmpty }) => !isEmpty).map(({ date }) => date)).toEqual(["2026-11-23", "2026-11-14"]);
    expect(listedDays(days, stored(0))).toHaveLength(7);
    // A store that does not tell, or has nothing at all of it, leaves the choice open.
    for (const known of [undefined, stored()]) {
      expect(listedDays(days, known)).toHaveLength(31);
      expect(listedDays(days, known).some(({ isEmpty }) => isEmpty)).toBe(false);
    }
  });

  it("reads a time of the day, a moment with its own date or zone, and a time after the start", () => {
    const at = (hour: number, minute = 0, second = 0) => new Date(2026, 10, 23, hour, minute, second).getTime();
    expect(parseTime("9:30", today)).toBe(at(9, 30));
    expect(parseTime(" 09:30:15 ", today)).toBe(at(9, 30, 15));
    expect(parseTime("24:00", today)).toBe(today.endMs);
    expect(parseTime("2026-11-22 23:00", today)).toBe(new Date(2026, 10, 22, 23).getTime());
    expect(parseTime("2026-11-22T23:00:00Z", today)).toBe(Date.UTC(2026, 10, 22, 23));
    expect(parseTime("10:00Z", today)).toBe(Date.UTC(2026, 10, 23, 10));
    expect(parseTime("+15m", today, at(9))).toBe(at(9, 15));
    expect(parseTime("+ 1.5 h", today, at(9))).toBe(at(10, 30));
    expect(parseTime("+90s", today, at(9))).toBe(at(9, 1, 30));
    for (const wrong of ["", "9", "25:00", "10:60", "noon", "+15m", "+"])
      expect(parseTime(wrong, today), wrong).toBeUndefined();
  });

  it("says what is wrong while it is typed", () => {
    expect(startProblem("3", today, now)).toBe("Type a time such as 10:00 or 10:00:30.");
    expect(startProblem("03:30", today, now)).toBe("That is in the future. It is 2026-11-23 03:12:00 now.");
    expect(startProblem("03:00", today, now)).toBeUndefined();
    const start = new Date(2026, 10, 23, 3).getTime();
    expect(endProblem("3:0", today, start)).toMatch(/^Type a time such as 10:30, or \+30m/);
    expect(endProblem("03:00", today, start)).toBe(
      "The end must be later than the start, 2026-11-23 03:00:00. For another day type the date too: 2026-11-24 01:00.",
    );
    expect(endProblem("+1s", today, start)).toBeUndefined();
  });

  it("says the zone of its times", () => {
    const minutes = -new Date(now).getTimezoneOffset();
    expect(zoneText(now, "Somewhere/Else")).toMatch(
      minutes === 0 ? /^UTC \(Somewhere\/Else\)$/ : /^UTC[+-]\d\d:\d\d \(Somewhere\/Else\)$/,
    );
    expect(zoneText(now, "Etc/UTC")).toMatch(/^UTC[-+:\d]*$/);
  });
});

describe("what was found in a store", () => {
  const query = {
    store: { url: "http://store:9090", enabled: true },
    selectors: ['{job="vllm"}'],
    startMs: 0,
    endMs: 60_000,
  };
  const found = (instances: number) => ({
    series: 100 * instances,
    samples: 24_000 * instances,
    instances: Array.from({ length: instances }, (_, i) => `gpu-${i}:8000`),
    families: ["vllm:num_requests_running"],
    totalsStepMs: 15_000,
  });

  it.each([
    [1, "Read this run", undefined],
    [4, "Read this run", undefined],
    [200, "Read totals over 200 instances", true],
  ])("of %i instances is read by Enter as befits their number", (instances, label, aggregate) => {
    const { rows, first } = foundRows(query, found(instances));
    expect(rows[0]?.label).toBe(label);
    expect([rows[0]?.chosen?.aggregate, first.aggregate]).toEqual([aggregate, aggregate]);
  });

  it("is read whole, in totals, or an instance at a time, however many there are", () => {
    for (const instances of [2, 200]) {
      const { rows } = foundRows(query, found(instances));
      const labels = rows.map(({ label }) => label);
      expect(labels).toEqual(
        expect.arrayContaining(["Read this run", `Read totals over ${instances} instances`, "gpu-1:8000"]),
      );
      expect(rows.find(({ label }) => label === "gpu-1:8000")?.chosen?.query.selectors.join()).toContain("gpu-1:8000");
    }
  });
});
