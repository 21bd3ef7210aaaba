import { describe, expect, it } from "vitest";
import { completed, completionOf, wholeSelector } from "../../../src/extension/stores/selector.js";
import { momentText, parseMoment, rangesOfRun } from "../../../src/extension/stores/time-range.js";

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

describe("a moment", () => {
  it("is read as it is written, in local time unless it has a zone", () => {
    const ms = Date.UTC(2026, 10, 20, 10, 0, 5);
    expect(parseMoment("2026-11-20T10:00:05Z")).toBe(ms);
    expect(parseMoment("2026-11-20 11:00:05+01:00")).toBe(ms);
    expect(parseMoment(momentText(ms))).toBe(ms);
    expect(parseMoment("2026-11-20 9:30")).toBe(new Date(2026, 10, 20, 9, 30).getTime());
    expect(parseMoment("2026-11-20")).toBe(new Date(2026, 10, 20).getTime());
    for (const wrong of ["", "yesterday", "2026-13-01", "10:00", "2026-11-20 25:00"])
      expect(parseMoment(wrong), wrong).toBeUndefined();
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
