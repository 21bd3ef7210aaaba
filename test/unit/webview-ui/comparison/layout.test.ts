import { expect, it } from "vitest";
import { DEFAULT_LAYOUT, parseLayout, type ComparisonLayout } from "../../../../webview-ui/comparison/layout.js";

it("a comparison's layout comes back as it was saved", () => {
  const layout: ComparisonLayout = {
    tab: "charts",
    filter: { verdicts: ["worse", "same"], server: "vLLM", type: "histogram", text: "engine=1" },
    sorting: { key: "1/share", descending: true },
    charts: [{ rowId: "vllm:time_to_first_token_seconds p99", mode: "distribution", quantity: "p90" }],
    arrangement: "side-by-side",
    alignment: "wall-clock",
    widths: { metric: 320 },
  };
  expect(parseLayout(JSON.parse(JSON.stringify(layout)))).toEqual(layout);
});

it("a comparison's layout makes the best of what is not quite a layout, and nothing of what is none", () => {
  expect(parseLayout(null)).toBeUndefined();
  expect(parseLayout("charts")).toBeUndefined();
  expect(parseLayout([])).toBeUndefined();
  expect(parseLayout({})).toEqual(DEFAULT_LAYOUT);
  const odd = parseLayout({
    tab: "insights",
    filter: { verdicts: ["worse", "dreadful", 3] },
    sorting: "share",
    charts: [{ rowId: 1 }, null, { rowId: "x", mode: "pie" }],
    alignment: 7,
  });
  expect(odd).toEqual({
    ...DEFAULT_LAYOUT,
    filter: { ...DEFAULT_LAYOUT.filter, verdicts: ["worse"] },
    charts: [{ rowId: "x", mode: "lines", quantity: "p99" }],
  });
});
