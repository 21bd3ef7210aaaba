import { describe, expect, it } from "vitest";
import { makeLabels, offsetNs, type SeriesId } from "../../../../src/core/model/index.js";
import { chartModel, drawnUnit, wholeRun } from "../../../../webview-ui/charts/model.js";
import { makeColorBook } from "../../../../webview-ui/state/color-book.js";
import { runHeader } from "../../../support/run-header.js";

const data = (unit: string | undefined, ...values: number[]) => ({
  ...(unit === undefined ? {} : { unit }),
  lines: [
    {
      series: 0 as SeriesId,
      endpointUrl: "",
      labels: [],
      quantity: "value" as const,
      times: new Float64Array(values.length),
      values: Float64Array.from(values),
    },
  ],
});

describe("the unit of a chart", () => {
  it("is the one on its axis", () => {
    expect(drawnUnit(data("ratio", 0.2, NaN, 0.9))).toBe("%");
    expect(drawnUnit(data("seconds", 0.002, 0.035))).toBe("ms");
    expect(drawnUnit(data("seconds", 0.002, 3.5))).toBe("s");
    expect(drawnUnit(data("bytes", 5e9))).toBe("GiB");
    expect(drawnUnit(data("tokens/s", 4200))).toBe("tokens/s");
  });

  it("is there without a value, and not where there is none", () => {
    expect(drawnUnit(data("seconds"))).toBe("s");
    expect(drawnUnit(data(undefined, 3))).toBe("");
  });
});

describe("the axis of a run without a zoom", () => {
  const header = { now: offsetNs(20e9), profilingStart: offsetNs(2e9) };

  it("goes from the first scrape to the newest", () => {
    expect(wholeRun(header)).toEqual({ from: -2, to: 18 });
    expect(wholeRun({ ...header, now: offsetNs(1e9) })).toEqual({ from: -2, to: 3 });
  });

  it("ends where the newest that is drawn does, when that was answered after the header", () => {
    expect(wholeRun(header, [19, 18.5])).toEqual({ from: -2, to: 19 });
    expect(wholeRun(header, [17])).toEqual({ from: -2, to: 18 });
  });
});

it("names the lines of several families by what tells them apart in their own", () => {
  const grey = [128, 128, 128, 1] as const;
  const line = (series: number, family: string, labels: Readonly<Record<string, string>>) => ({
    ...data(undefined, 1).lines[0]!,
    series: series as SeriesId,
    family,
    labels: makeLabels(Object.entries(labels)),
  });
  const lines = [
    line(1, "vllm:x", { engine: "0", model: "m" }),
    line(2, "vllm:x", { engine: "1", model: "m" }),
    line(3, "sglang:x", { tp_rank: "0", model: "m" }),
  ];
  const theme = {
    ...{ foreground: grey, background: grey, muted: grey, grid: grey, shade: grey, mark: grey, error: grey },
    ...{ surface: grey, border: grey, palette: [grey], fontFamily: "", highContrast: false },
  };
  const chart = { family: "vllm:x", lines, seriesTotal: 3 };
  const { legend } = chartModel(
    chart,
    runHeader(),
    undefined,
    new Set(),
    makeColorBook(),
    theme,
    [],
    undefined,
    [],
    false,
    (name) => name,
  );
  expect(legend.map(({ name }) => name)).toEqual(["vllm:x · engine=0", "vllm:x · engine=1", "sglang:x"]);
});
