import { describe, expect, it } from "vitest";
import { offsetNs } from "../../../../src/core/model/index.js";
import type { SeriesChange } from "../../../../src/protocol/index.js";
import { changeMarks, changeText, marksAt } from "../../../../webview-ui/charts/marks.js";

const S = 1e9;
const url = "http://a/metrics";
const line = (engine: string, quantity: "value" | "avg" | "p99" = "value", hidden = false) => ({
  line: { endpointUrl: url, labels: [["engine", engine]] as const, quantity },
  drawn: {
    key: `${engine}/${quantity}`,
    name: `engine ${engine}`,
    color: [1, 2, 3, 1] as const,
    points: [10, 12, 40, 11].map((y, x) => ({ x, y })),
    hidden,
  },
});
const of = (engine: string) => ({ endpointUrl: url, labels: [["engine", engine]] as const });
const changes: readonly SeriesChange[] = [
  { ...of("0"), kind: "level-change", start: offsetNs(70 * S), before: 10, after: 30 },
  { ...of("0"), kind: "outlier", start: offsetNs(11 * S), end: offsetNs(13 * S), value: 21, usual: 11 },
];

describe("marks of changes", () => {
  it("stand in order of time and say which way they go", () => {
    const marks = changeMarks(changes, [line("0")], 10 * S, "requests");
    expect(marks.map(({ kind, from, to, rises }) => [kind, from, to, rises])).toEqual([
      ["outlier", 1, 3, true],
      ["level-change", 60, 60, true],
    ]);
    expect(marks.map(changeText)).toEqual([
      "Outlier: 21 requests at 1 s, 11 requests around it",
      "Level change: from 10 requests to 30 requests at 1:00",
    ]);
  });

  it("are none where the line breaks, as at a restart", () => {
    const broken = line("0");
    const drawn = { ...broken.drawn, points: [10, NaN, NaN, NaN, 11].map((y, x) => ({ x, y })) };
    const marks = changeMarks(changes, [{ ...broken, drawn }], 10 * S, "requests");
    expect(marks.map(({ kind }) => kind)).toEqual(["level-change"]);
    // A slice between two points of a long run's line is not drawn either, but lies on it.
    const sparse = {
      ...broken.drawn,
      points: [
        { x: 0, y: 10 },
        { x: 9, y: 12 },
      ],
    };
    expect(changeMarks(changes, [{ ...broken, drawn: sparse }], 10 * S, "requests")).toHaveLength(2);
  });

  it("are those of lines that are shown: values, rates and averages; several are named", () => {
    expect(changeMarks(changes, [line("0", "value", true), line("1")], 0, undefined)).toEqual([]);
    expect(changeMarks(changes, [line("0", "p99")], 0, undefined)).toEqual([]);
    const [mark] = changeMarks(changes, [line("0", "avg"), line("1", "avg")], 0, undefined);
    expect(mark?.text).toMatch(/^engine 0: /);
    // Of the average among percentiles of one histogram, too.
    const [own] = changeMarks(changes, [line("0", "p99"), line("0", "avg")], 0, undefined);
    expect(own?.text).toMatch(/^engine 0: /);
  });

  it("are found within a hundredth of what is seen", () => {
    const marks = changeMarks(changes, [line("0")], 0, undefined);
    expect(marksAt(marks, 69.2, { from: 0, to: 100 })).toHaveLength(1);
    expect(marksAt(marks, 68, { from: 0, to: 100 })).toHaveLength(0);
    expect(marksAt(marks, 12, { from: 0, to: 100 })).toHaveLength(1);
  });
});
