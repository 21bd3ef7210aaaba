import { describe, expect, it } from "vitest";
import type { SeriesId } from "../../../../src/core/model/index.js";
import type { ChartData, ChartLine } from "../../../../src/protocol/index.js";
import { bandOf } from "../../../../webview-ui/charts/band.js";

const POINTS = 50;
const line = (i: number, level: number): ChartLine => ({
  series: i as SeriesId,
  endpointUrl: `http://10.0.0.${i}:8000/metrics`,
  labels: [],
  quantity: "value",
  times: Float64Array.from({ length: POINTS }, (_, at) => at * 1e9 + i * 1e6),
  values: Float64Array.from({ length: POINTS }, () => level),
});
const data = (lines: readonly ChartLine[]): ChartData => ({ family: "f", lines, seriesTotal: lines.length });

describe("a band of many series", () => {
  it("is their median, where most of them are, and whoever is elsewhere by name", () => {
    const lines = [...Array.from({ length: 21 }, (_, i) => line(i, 100 + i)), line(30, 400)];
    const band = bandOf(data(lines))!;
    const of = (quantity: string) => band.data.lines.find((one) => one.quantity === quantity)!.values;
    expect(of("median").every((value) => value === 110.5)).toBe(true);
    expect(of("p10")[10]).toBeCloseTo(102.1, 9);
    expect(of("p90")[10]).toBeCloseTo(118.9, 9);
    expect(band.outliers).toBe(1);
    expect(band.names.at(-1)).toBe("10.0.0.30:8000");
    expect(band.data.lines).toHaveLength(4);
  });

  it("does not count what a series has not", () => {
    const gone = { ...line(3, 7), values: new Float64Array(POINTS).fill(NaN) };
    const band = bandOf(data([line(1, 5), line(2, 5), gone]))!;
    expect(band.data.lines[2]!.values.every((value) => value === 5)).toBe(true);
    expect(band.outliers).toBe(0);
  });

  it("is none of nothing", () => {
    expect(bandOf(data([]))).toBeUndefined();
  });
});
