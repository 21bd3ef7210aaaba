import { describe, expect, it } from "vitest";
import { offsetNs } from "../../../../src/core/model/index.js";
import {
  fileOptions,
  fileName,
  parseSlice,
  warmupText,
  windowOfZoom,
  windowText,
} from "../../../../webview-ui/adjust/text.js";

const at = (seconds: number) => offsetNs(seconds * 1e9);

describe("the window of all statistics", () => {
  it("is said from the start of profiling", () => {
    expect(windowText({ start: at(40), end: at(120) }, at(30))).toBe("Window: 0:10 to 1:30");
    expect(windowText({ start: at(20), end: at(30) }, at(30))).toBe("Window: -0:10 to 0:00");
    expect(windowText({ start: at(30), end: at(3730) }, at(30))).toBe("Window: 0:00 to 1:01:40");
    expect(windowText({ start: at(30.25), end: at(34.5) }, at(30))).toBe("Window: 0:00.3 to 0:04.5");
  });

  it("has a warm-up that was moved, with what was recorded", () => {
    expect(warmupText({ profilingStart: at(95), recordedProfilingStart: at(30) })).toBe(
      "warm-up 1:35, 0:30 as recorded",
    );
  });

  it("is what the charts show, as far as the run goes", () => {
    const header = { profilingStart: at(30), now: at(150) };
    expect(windowOfZoom({ from: 10, to: 90 }, header)).toEqual({ start: 40e9, end: 120e9 });
    expect(windowOfZoom({ from: -100, to: 900 }, header)).toEqual({ start: 0, end: 150e9 });
    expect(windowOfZoom({ from: 130, to: 200 }, header)).toBeUndefined();
  });
});

describe("a slice's length", () => {
  it("is a number of seconds above zero", () => {
    expect(["5", " 0.5 ", "2,5", "10 s", ".5", "30s"].map(parseSlice)).toEqual([5, 0.5, 2.5, 10, 0.5, 30]);
    expect(["", "0", "-1", "five", "1e3", "5 min", "1.2.3"].map(parseSlice)).toEqual(Array(7).fill(undefined));
  });
});

it("names a file without its folder, on any system", () => {
  expect(fileName("/data/run/a.json")).toBe("a.json");
  expect(fileName("C:\\data\\run\\a.json")).toBe("a.json");
});

it("fileOptions offers the run and each of its files, copies of one format by their names", () => {
  const file = { path: "/run/x.jsonl", format: "jsonl" } as const;
  const siblings = [
    { path: "/run/x.parquet", format: "parquet" },
    { path: "/run/x.json", format: "json" },
    { path: "/run/x.json.gz", format: "json" },
  ] as const;
  expect(fileOptions({ ...file, siblings }).map(({ value, text }) => [value, text])).toEqual([
    ["", "Run, best of 4 files"],
    ["/run/x.json", "x.json alone"],
    ["/run/x.json.gz", "x.json.gz alone"],
    ["/run/x.jsonl", "JSONL export alone"],
    ["/run/x.parquet", "Parquet export alone"],
  ]);
});
