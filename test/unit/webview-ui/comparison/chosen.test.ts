import { expect, it } from "vitest";
import { firstCharts, withChart } from "../../../../webview-ui/comparison/charts/chosen.js";
import { compareTwo } from "../../../support/compare-truth.js";
import { makeRun, SCENARIOS } from "../../../support/view-harness/compared-runs.js";

const [a, b] = SCENARIOS["two"]!.map(makeRun);
const comparison = compareTwo(a!, b!);
const { rows } = comparison;

it("the choice of charts begins with the largest differences, one of each family", () => {
  const charts = firstCharts(comparison);
  const families = charts.map(({ rowId }) => rows.find(({ id }) => id === rowId)!.family);
  expect(families).toHaveLength(4);
  expect(new Set(families).size).toBe(4);
  expect(charts[0]!.rowId).toBe(rows[0]!.id);
});

it("the choice of charts shows what is charted already in the quantity asked for", () => {
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

it("the choice of charts has the same ids of rows whichever run is the baseline, without an endpoint in them", () => {
  const ids = rows.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => id.includes("://"))).toEqual([]);
  expect(
    compareTwo(b!, a!)
      .rows.map(({ id }) => id)
      .sort(),
  ).toEqual([...ids].sort());
});
