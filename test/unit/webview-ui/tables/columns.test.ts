import { describe, expect, it } from "vitest";
import { makeLabels, type SeriesId } from "../../../../src/core/model/index.js";
import { gridColumns, type Width } from "../../../../webview-ui/tables/columns.js";
import { statisticsGrid } from "../../../../webview-ui/tables/model.js";

const model = (values: readonly number[], name = "f") =>
  statisticsGrid(
    {
      type: "gauge",
      columns: [{ key: "avg", title: "avg", unit: "seconds" }],
      rows: values.map((_value, i) => ({
        series: i as SeriesId,
        family: name,
        endpointUrl: "http://a:1/metrics",
        labels: makeLabels([["i", String(i)]]),
      })),
      values: Float64Array.from(values),
    },
    () => undefined,
    false,
  );
/** Least and greatest width of the number column, in widths of a digit. */
function width(values: readonly number[], known = new Map<string, Width>()): number[] {
  const track = gridColumns(model(values), () => undefined, known).template.split(/ (?=minmax)/)[2] ?? "";
  return [...track.matchAll(/([\d.]+)ch \+/g)].map(([, ch]) => Number(ch));
}

describe("columns of numbers", () => {
  it("have room for the usual numbers, and for an outlier only where there is more", () => {
    const usual = Array.from({ length: 20 }, () => 0.0123);
    const [least = 0, most = 0] = width(usual);
    expect(least).toBe(most);
    const [leastWith = 0, mostWith = 0] = width([...usual, 1.7952e9]);
    expect(leastWith).toBe(least);
    expect(mostWith).toBeGreaterThan(most + 1);
  });

  it("cut no number that is hardly wider than the usual ones", () => {
    const usual = Array.from({ length: 20 }, () => 0.222);
    const [least = 0, most = 0] = width([...usual, 0.0105]);
    expect(least).toBe(most);
    expect(least).toBeGreaterThan(width(usual)[0] ?? NaN);
  });

  it("do not shrink from one answer to the next", () => {
    const known = new Map<string, Width>();
    const wide = width([1.7952e9, 1.7953e9], known);
    expect(width([0, 0], known)).toEqual(wide);
  });

  it("leave words no more than they need", () => {
    const [first] = gridColumns(model([1], "short"), () => undefined, new Map()).template.split(" minmax");
    expect(first).toBe("minmax(calc(9.00ch + 12px), calc(9.00ch + 12px))");
  });
});
