import { expect, it } from "vitest";
import { rowSide, seriesBehind } from "../../../../src/core/compare/index.js";
import { seriesSummaries } from "../../../../src/core/query/index.js";
import { compareTwo } from "../../../support/compare-truth.js";
import { makeRun, SCENARIOS } from "../../../support/view-harness/compared-runs.js";

it("rowSide finds a row's series in each run, whatever their endpoints", () => {
  const [a, b] = SCENARIOS["two"]!.map(makeRun);
  const row = compareTwo(a!, b!).rows.find(
    ({ family, labels }) => family === "vllm:num_requests_waiting" && labels.some(([, value]) => value === "1"),
  )!;
  for (const [column, run, port] of [
    [0, a!, 8000],
    [1, b!, 8001],
  ] as const) {
    const { series, family } = rowSide(row, column)!;
    const all = seriesSummaries(run, family);
    const ids = seriesBehind(all, series);
    const found = all.filter(({ id }) => ids.includes(id));
    expect(found.map(({ endpointUrl, labels }) => [endpointUrl, labels[0]])).toEqual([
      [`http://10.0.0.11:${port}/metrics`, ["engine", "1"]],
    ]);
  }
  expect(rowSide(row, 2)).toBeUndefined();
});
