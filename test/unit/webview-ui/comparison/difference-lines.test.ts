import { expect, it } from "vitest";
import type { SeriesId } from "../../../../src/core/model/index.js";
import type { ChartData, ChartLine, RunHeader } from "../../../../src/protocol/index.js";
import type { ChartTheme } from "../../../../webview-ui/charts/theme.js";
import type { Answered } from "../../../../webview-ui/comparison/charts/alignment.js";
import {
  differenceLines,
  differenceMissing,
  runLines,
  sidesOf,
} from "../../../../webview-ui/comparison/charts/lines-model.js";
import { makeRunColors } from "../../../../webview-ui/comparison/run-colors.js";

const line = (quantity: ChartLine["quantity"], values: readonly number[], from = 0): ChartLine => ({
  series: 0 as SeriesId,
  endpointUrl: "http://a:1/metrics",
  labels: [],
  quantity,
  times: Float64Array.from(values, (_, i) => from + i),
  values: Float64Array.from(values),
});
const theme = { palette: ["#000"], foreground: "#000" } as unknown as ChartTheme;
function side(
  label: string,
  column: number,
  seriesCount: number,
  lines: readonly ChartLine[],
  apart?: string,
): Answered<ChartData> {
  const run = { id: label, label, header: {} as RunHeader, zero: 0, substituted: false };
  return {
    run,
    column,
    seriesCount,
    data: { family: "d_seconds", lines, seriesTotal: seriesCount, ...(apart === undefined ? {} : { apart }) },
  };
}
const said = (answers: readonly Answered<ChartData>[], quantity: "p90" | "avg", join?: "sum") => {
  const look = { quantity, join };
  const sides = sidesOf(answers, look, []);
  const lines = differenceLines(sides, theme, makeRunColors(undefined));
  return lines[0]?.points.map(({ y }) => y) ?? differenceMissing(sides, look, lines);
};

it("histograms of several series have a difference where they come as one", () => {
  const answers = [side("A", 0, 4, [line("p90", [1, 2, 3])]), side("B", 1, 2, [line("p90", [2, 2, 2])])];
  expect(said(answers, "p90")).toEqual([1, 0, -1]);
});

it("where there is no difference over time, a sentence says why", () => {
  const apart = side(
    "A",
    0,
    2,
    [line("p90", [1, 2]), line("p90", [3, 4]), line("avg", [2, 3])],
    "the series share too few bucket bounds to be combined",
  );
  const other = side("B", 1, 1, [line("p90", [1, 1]), line("avg", [1, 1])]);
  expect(said([apart, other], "p90")).toBe(
    "No difference is drawn of p90: in A the series share too few bucket bounds to be combined.",
  );
  expect(said([apart, other], "avg")).toEqual([-1, -2]);
  const many = side("A", 0, 60, [line("rate", [1, 2]), line("rate", [3, 4])]);
  expect(said([many, side("B", 1, 1, [line("rate", [1, 1])])], "p90", "sum")).toBe(
    "No difference is drawn: more than 50 series on a side are not combined.",
  );
  expect(said([other, side("C", 2, 0, [])], "p90")).toBe("No difference is drawn: C has no values here.");
  expect(said([other, side("C", 2, 1, [line("p90", [1, 1], 90)])], "p90")).toBe(
    "No difference is drawn: the runs have no time in common on this axis.",
  );
  expect(said([other], "p90")).toBeUndefined();
});

it("repeats are each drawn thin in the colour of their set, with their mean, and the means are compared", () => {
  const at = (label: string, column: number, values: readonly number[], zero: number) => {
    const one = side(label, column, 1, [line("p90", values, zero)]);
    return { ...one, run: { ...one.run, zero } };
  };
  // Their captures began at other times before profiling.
  const answers = [at("A1", 0, [1, 2, 3], 0), at("A2", 0, [3, 4, 5], 10), at("B", 1, [7, 7, 7], 5)];
  const look = { quantity: "p90", join: undefined } as const;
  const sides = sidesOf(answers, look, ["A ×2", "B"]);
  const [a, b] = runLines(sides, look, new Set(["A1/0"]), theme, makeRunColors(undefined));
  expect(a?.lines.map(({ name, points }) => [name, points.map(({ y }) => y)])).toEqual([["A ×2", [2, 3, 4]]]);
  expect(a?.repeats.map(({ name, points }) => [name, points.map(({ y }) => y)])).toEqual([
    ["A1", [1, 2, 3]],
    ["A2", [3, 4, 5]],
  ]);
  // The legend's entry hides all of them.
  expect([...(a?.lines ?? []), ...(a?.repeats ?? [])].every(({ hidden }) => hidden)).toBe(true);
  expect(a?.legend.map(({ name, title }) => [name, title.split("\n")[0]])).toEqual([["A ×2", "A ×2, mean of A1, A2"]]);
  expect([b?.lines.length, b?.repeats.length]).toEqual([1, 0]);
  const [difference] = differenceLines(sides, theme, makeRunColors(undefined));
  expect([difference?.name, difference?.points.map(({ y }) => y)]).toEqual(["B minus A ×2", [5, 4, 3]]);
});
