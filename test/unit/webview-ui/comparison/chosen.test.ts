import { expect, it } from "vitest";
import { firstCharts, withChart } from "../../../../webview-ui/comparison/charts/chosen.js";
import { seriesOf, sideOf } from "../../../../webview-ui/comparison/charts/sides.js";
import { seriesSummaries } from "../../../../src/core/query/index.js";
import { compareTwo } from "../../../support/compare-truth.js";
import { makeRun, SCENARIOS } from "../../../support/view-harness/compared-runs.js";

const [a, b] = SCENARIOS["two"]!.map(makeRun);
const comparison = compareTwo(a!, b!);
const { rows } = comparison;

it("begins with the largest differences, one of each family", () => {
  const charts = firstCharts(comparison);
  const families = charts.map(({ rowId }) => rows.find(({ id }) => id === rowId)!.family);
  expect(families).toHaveLength(4);
  expect(new Set(families).size).toBe(4);
  expect(charts[0]!.rowId).toBe(rows[0]!.id);
});

it("shows what is charted already in the quantity asked for", () => {
  const of = (quantity: string) =>
    rows.find(
      (row) =>
        row.family === "vllm:time_to_first_token_seconds" &&
        row.quantity === quantity &&
        row.labels.some(([, value]) => value === "1"),
    )!;
  const first = withChart([], of("p99"), rows);
  expect(first.charts).toEqual([{ rowId: of("p99").id, mode: "lines", quantity: "p99" }]);
  const again = withChart(first.charts, of("p50"), rows);
  expect(again).toEqual({ charts: [{ rowId: of("p99").id, mode: "lines", quantity: "p50" }], shown: of("p99").id });
  expect(withChart(again.charts, rows[0]!, rows).charts).toHaveLength(2);
});

it("finds a row's series in each run, whatever their endpoints", () => {
  const row = rows.find(
    ({ family, labels }) => family === "vllm:num_requests_waiting" && labels.some(([, value]) => value === "1"),
  )!;
  for (const [label, run, port] of [
    ["A", a!, 8000],
    ["B", b!, 8001],
  ] as const) {
    const { side, family } = sideOf(row, comparison, label)!;
    const found = seriesOf(seriesSummaries(run, family), side.series);
    expect(found.map(({ endpointUrl, labels }) => [endpointUrl, labels[0]])).toEqual([
      [`http://10.0.0.11:${port}/metrics`, ["engine", "1"]],
    ]);
  }
  expect(sideOf(row, comparison, "C")).toBeUndefined();
});
