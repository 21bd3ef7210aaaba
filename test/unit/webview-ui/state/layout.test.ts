import { describe, expect, it } from "vitest";
import type { SeriesId } from "../../../../src/core/model/index.js";
import type { Tile } from "../../../../src/protocol/index.js";
import {
  defaultLayout,
  EMPTY_LAYOUT,
  fromSaved,
  foundCharts,
  layoutActions,
  orderedCharts,
  toSaved,
  type Layout,
  type LayoutActions,
  parseSavedLayout,
} from "../../../../webview-ui/state/layout.js";
import { familySummary as family } from "../../../support/family-summary.js";

const ids = (...numbers: number[]) => numbers as SeriesId[];
function changed(before: Layout, act: (view: LayoutActions) => void): Layout {
  let layout = before;
  act(layoutActions((change) => (layout = change(layout))));
  return layout;
}
const after = (...acts: ((view: LayoutActions) => void)[]) => acts.reduce(changed, EMPTY_LAYOUT);
const tile = (name: string): Tile => ({
  id: name,
  server: "vLLM",
  title: name,
  family: name,
  statistic: "avg",
  value: 1,
  direction: "neutral",
  watch: "none",
  sparkline: new Float64Array(0),
});

describe("layout", () => {
  it("finds a chart by each of its families, by name and by title", () => {
    const layout = after(
      (view) => view.overlay(["first", "second"]),
      (view) => view.show("third"),
    );
    const found = (filter: string) =>
      foundCharts({ ...layout, filter }, (name) => (name === "second" ? "Requests waiting" : undefined)).map(
        ({ family: name }) => name,
      );
    expect([found("second"), found("requests"), found("third"), found("fourth")]).toEqual([
      ["first"],
      ["first"],
      ["third"],
      [],
    ]);
  });

  it("shows a family once and finds it again", () => {
    const once = after((view) => view.show("a"));
    const twice = changed({ ...once, tab: "statistics" }, (view) => view.show("a"));
    expect(twice.charts).toEqual(once.charts);
    expect(twice.tab).toBe("charts");
    expect(twice.focus).toBe(once.charts[0]?.id);
  });

  it("adds a chart of its own for series that no chart is sure to draw", () => {
    const layout = after(
      (view) => view.show("a"),
      (view) => view.show("a", { series: ids(7) }),
    );
    expect(layout.charts.map((chart) => chart.series)).toEqual([undefined, ids(7)]);
    const again = changed(layout, (view) => view.show("a", { series: ids(7) }));
    expect(again.charts).toHaveLength(2);
    expect(again.focus).toBe(layout.charts[1]?.id);
  });

  it("keeps how a histogram is charted through a change of series and through saving", () => {
    const layout = after(
      (view) => view.show("a"),
      (view) => view.show("b"),
      (view) => view.changeChart(1, { mode: "heatmap" }),
      (view) => view.changeChart(1, { series: ids(3) }),
    );
    expect(layout.charts.map(({ mode }) => mode)).toEqual(["heatmap", undefined]);
    expect(fromSaved(parseSavedLayout(JSON.parse(JSON.stringify(toSaved(layout))))!).charts).toEqual(layout.charts);
    expect(changed(layout, (view) => view.changeChart(1, { mode: undefined })).charts[0]).toEqual({
      id: 1,
      family: "a",
      series: ids(3),
    });
    expect(parseSavedLayout({ charts: [{ family: "a", mode: "pie" }] })?.charts).toEqual([{ family: "a" }]);
  });

  it("puts pinned families first, each with a chart, and lets go of one whose chart is removed", () => {
    const layout = after(
      (view) => view.show("a"),
      (view) => view.show("b"),
      (view) => view.show("b", { series: ids(1) }),
      (view) => view.togglePin("c"),
      (view) => view.togglePin("b"),
    );
    expect(orderedCharts(layout).map((chart) => [chart.family, chart.series])).toEqual([
      ["c", undefined],
      ["b", undefined],
      ["b", ids(1)],
      ["a", undefined],
    ]);
    const once = changed(layout, (view) => view.remove(2));
    expect(once.pinned).toEqual(["c", "b"]);
    expect(changed(once, (view) => view.remove(3)).pinned).toEqual(["c"]);
    const unpinned = changed(layout, (view) => view.togglePin("c"));
    expect([unpinned.pinned, unpinned.charts.length]).toEqual([["b"], 4]);
  });

  it("keeps pins, tables, slice length, folds and what it is narrowed to through saving, and nothing else", () => {
    const layout = after(
      (view) => view.togglePin("a"),
      (view) =>
        view.changeTable("statistics", { subject: { type: "counter" }, sorting: { key: "rate", descending: true } }),
      (view) => view.changeTable("statistics", { label: { name: "gpu", value: "" } }),
      (view) => view.set({ sliceSeconds: 2.5 }),
      (view) => view.set({ filter: "ttft" }),
      (view) => view.set({ only: "http://a:8000/metrics" }),
      (view) => view.fold("panels vLLM", true),
      (view) => view.set({ marked: false }),
    );
    expect(layout.tables.statistics).toEqual({
      subject: { type: "counter" },
      sorting: { key: "rate", descending: true },
      label: { name: "gpu", value: "" },
    });
    expect(fromSaved(parseSavedLayout(JSON.parse(JSON.stringify(toSaved(layout))))!)).toEqual(layout);
    const odd = {
      charts: [],
      pinned: ["gone", 3],
      tables: { statistics: { subject: { type: "pie" }, sorting: { key: 1 }, label: { name: "a" } } },
      sliceSeconds: -1,
      only: 3,
      filter: 3,
      folds: { a: "open" },
      marked: "yes",
    };
    expect(fromSaved(parseSavedLayout(odd)!)).toEqual(EMPTY_LAYOUT);
    expect(changed(layout, (view) => view.set({ sliceSeconds: undefined })).sliceSeconds).toBeUndefined();
    expect(changed(layout, (view) => view.set({ only: undefined })).only).toBeUndefined();
  });

  it("changes the series of one chart and forgets a choice of none", () => {
    const layout = after(
      (view) => view.show("a"),
      (view) => view.show("b"),
    );
    const id = layout.charts[1]?.id ?? -1;
    const chosen = changed(layout, (view) => view.changeChart(id, { series: ids(1, 2) }));
    expect(chosen.charts.map((chart) => chart.series)).toEqual([undefined, ids(1, 2)]);
    expect(changed(chosen, (view) => view.changeChart(id, { series: [] })).charts[1]).toEqual({ id, family: "b" });
  });

  it("never gives an id twice, so that a removed chart's place is not taken for it", () => {
    const layout = after(
      (view) => view.show("a"),
      (view) => view.show("b"),
    );
    const removed = changed(layout, (view) => view.remove(layout.charts[1]?.id ?? -1));
    const added = changed(removed, (view) => view.show("c"));
    expect(added.charts.map((chart) => chart.family)).toEqual(["a", "c"]);
    expect(added.charts[1]?.id).not.toBe(layout.charts[1]?.id);
  });

  it("comes back as it was saved, through JSON", () => {
    const layout = after(
      (view) => view.show("a", { series: ids(3) }),
      (view) => view.show("b"),
      (view) => view.set({ tab: "timeslices" }),
    );
    const parsed = parseSavedLayout(JSON.parse(JSON.stringify(toSaved(layout))));
    expect(parsed).toEqual(toSaved(layout));
    expect(toSaved(fromSaved(parsed ?? { charts: [], tab: "" }))).toEqual(toSaved(layout));
  });

  it("takes from a broken memory what is sound", () => {
    expect(parseSavedLayout(null)).toBeUndefined();
    expect(parseSavedLayout({ charts: "x" })).toBeUndefined();
    expect(parseSavedLayout({ charts: [{ family: "a", series: [1, "x", -1] }, { family: 3 }, null], tab: 5 })).toEqual({
      charts: [{ family: "a", series: [1] }],
      tab: "overview",
    });
    expect(fromSaved({ charts: [], tab: "gone" }).tab).toBe("overview");
  });

  it("begins with the key tiles' families that have samples", () => {
    const families = [family("a"), family("b", { seriesCount: 0 }), family("c"), family("info", { isInfo: true })];
    expect(
      defaultLayout([tile("b"), tile("c"), tile("c"), tile("a")], families).charts.map((chart) => chart.family),
    ).toEqual(["c", "a"]);
    expect(defaultLayout([], families).charts.map((chart) => chart.family)).toEqual(["a", "c"]);
  });

  it("begins with the statistics of a CSV, which holds nothing to chart", () => {
    const tab = (format?: "csv" | "jsonl") => defaultLayout([], [family("a")], format).tab;
    expect([tab(), tab("jsonl"), tab("csv")]).toEqual(["overview", "overview", "statistics"]);
  });
});
