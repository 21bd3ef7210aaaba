import { describe, expect, it } from "vitest";
import { checkAssertion } from "../../../../src/core/compare/gates/check.js";
import { parseAssertion } from "../../../../src/core/compare/gates/assertion.js";
import { runEntries, statisticsTable } from "../../../../src/core/query/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { assertionText, resultTitle, thresholdsOf } from "../../../../webview-ui/assertions/assertions.js";
import { statisticsGrid } from "../../../../webview-ui/tables/model.js";
import { RunBuilder } from "../../../support/run-builder.js";

/** Two queues of 2 and 9, a counter of 3/s, a histogram. */
function run() {
  const builder = new RunBuilder().window(0, 10);
  for (let t = 0; t <= 10; t++) {
    builder.scrape(t, [
      { name: "wait_seconds", labels: { q: "a" }, value: 2 },
      { name: "wait_seconds", labels: { q: "b" }, value: 9 },
      { name: "done", type: "counter", value: 3 * t },
      { name: "h_seconds", buckets: { "1": t, "+Inf": t }, sum: t / 2, count: t },
    ]);
  }
  return builder.run;
}
const unitOf = ({ name }: { readonly name: string }) => (name.endsWith("_seconds") ? "seconds" : undefined);
const check = (text: string) => checkAssertion(parseAssertion(text), complete(runStatistics(run(), { unitOf })));

describe("what assertions give", () => {
  it("is said without the family, with units, selectors and how many have to hold", () => {
    expect(assertionText(check("wait_seconds avg < 0.5"))).toBe("avg < 500 ms");
    expect(assertionText(check('any: wait_seconds{q="b"} p90 <= 3'))).toBe('any: {q="b"} p90 <= 3 s');
    expect(assertionText(check("h_seconds p99_estimate < 2"))).toBe("p99 < 2 s");
    expect(assertionText(check("h_seconds count > 5"))).toBe("count > 5");
    expect(assertionText(check("done rate > 1"))).toBe("rate > 1/s");
  });

  it("names the series that fail, with their values, or why nothing could be checked", () => {
    expect(resultTitle(check("wait_seconds max < 5"))).toBe("Failed: wait_seconds max < 5\n9 s: a:1 q=b");
    expect(resultTitle(check("done rate > 1"))).toBe("Passed: done rate > 1");
    expect(resultTitle(check("gone avg > 1"))).toMatch(/^Failed: gone avg > 1\nthere is no metric gone/);
  });

  it("is drawn where its statistic is on the scale of the lines, and nowhere else", () => {
    const results = [
      "wait_seconds max < 5",
      "wait_seconds std < 5",
      "done rate > 1",
      "done total > 5",
      "h_seconds p99_estimate < 2",
      "h_seconds count > 5",
    ].map(check);
    expect(thresholdsOf(results, "wait_seconds", "gauge")).toEqual([
      { value: 5, text: "failed: max < 5 s", failed: true },
    ]);
    expect(thresholdsOf(results, "done", "counter")).toEqual([{ value: 1, text: "rate > 1/s", failed: false }]);
    expect(thresholdsOf(results, "h_seconds", "histogram").map(({ value }) => value)).toEqual([2]);
  });

  it("marks just the cells of the statistics table that fail", () => {
    const table = complete(statisticsTable(runEntries(run()), { type: "gauge" }));
    const grid = statisticsGrid(
      table,
      () => undefined,
      false,
      [],
      [check("wait_seconds max < 5"), check("any: wait_seconds avg < 5")],
    );
    expect(grid.rows.map(({ failures }) => failures && [...failures])).toEqual([
      undefined,
      [["max", "failed: max < 5 s"]],
    ]);
  });
});
