import type { LabelledSeries } from "../../../src/core/model/index.js";
import { expect, it } from "vitest";
import type { Comparison, ComparisonRow } from "../../../src/core/compare/index.js";
import { RowIds } from "../../../src/engine/comparison/rows.js";

const series = (endpointUrl: string, engine: string): LabelledSeries => ({ endpointUrl, labels: [["engine", engine]] });
const side = (...own: LabelledSeries[]) => ({ value: 1, series: own, trend: new Float64Array(0) });
const row = (id: string, baseline: readonly LabelledSeries[], candidate: readonly LabelledSeries[]) =>
  ({
    id,
    family: "f",
    type: "gauge",
    quantity: "avg",
    labels: [],
    baseline: side(...baseline),
    cells: [{ candidate: side(...candidate) }],
  }) as unknown as ComparisonRow;
const result = (...rows: ComparisonRow[]) =>
  ({
    baseline: { runs: [{ label: "baseline" }] },
    candidates: [{ runs: [{ label: "candidate" }] }],
    rows,
    shares: rows.map(({ id }) => ({ rowId: id })),
  }) as unknown as Comparison;

const [a0, a1, b0, b1] = [series("a", "0"), series("a", "1"), series("b", "0"), series("b", "1")];

it("RowIds knows rows again by their series, whatever core calls them", () => {
  const ids = new RowIds();
  const idsOf = (comparison: Comparison, [baseline, candidate]: readonly [string, string]) => {
    const sets = [new Map([["baseline", baseline]]), new Map([["candidate", candidate]])];
    const { rows, shares } = ids.identified(comparison, sets);
    expect(shares.map(({ rowId }) => rowId)).toEqual(rows.map(({ id }) => id));
    return rows.map(({ id }) => id);
  };
  expect(idsOf(result(row("f avg", [a0], [b0]), row("f avg #2", [a1], [b1])), ["A", "B"])).toEqual([
    "f avg",
    "f avg #2",
  ]);
  // Turned round, and numbered the other way.
  expect(idsOf(result(row("f avg", [b1], [a1]), row("f avg #2", [b0], [a0])), ["B", "A"])).toEqual([
    "f avg #2",
    "f avg",
  ]);
  // Taken together by another rule, and apart again.
  expect(idsOf(result(row("f avg", [a0, a1], [b0, b1])), ["A", "B"])).toEqual(["f avg"]);
  expect(idsOf(result(row("x", [a1], [b1]), row("y", [a0], [b0])), ["A", "B"])).toEqual(["f avg #2", "f avg"]);
  // Another run's series are another row, though core calls it the same.
  expect(idsOf(result(row("f avg", [a0], []), row("f avg #2", [series("c", "5")], [b1])), ["C", "B"])).toEqual([
    "f avg (2)",
    "f avg #2",
  ]);
});
