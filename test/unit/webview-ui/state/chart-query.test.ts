import { expect, it } from "vitest";
import type { MetricType } from "../../../../src/core/model/index.js";
import { isMany } from "../../../../webview-ui/state/chart-query.js";
import type { ChartEntry } from "../../../../webview-ui/state/layout.js";

it("many series of one family are a band, and those of several families none", () => {
  const run = ["a", "b", "c", "d", "e"];
  const many = (type: MetricType, more: Partial<ChartEntry> = {}) => isMany(more, { type, seriesCount: 20 }, run);
  expect([many("gauge"), many("histogram")]).toEqual([true, true]);
  expect(many("gauge", { also: ["b"] })).toBe(false);
  // Histograms are each taken together, without a band.
  expect(many("histogram", { also: ["b"] })).toBe(true);
});
