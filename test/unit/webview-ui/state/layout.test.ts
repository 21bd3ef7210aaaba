import { describe, expect, it } from "vitest";
import type { SeriesId } from "../../../../src/core/model/index.js";
import type { Tile } from "../../../../src/protocol/index.js";
import {
  defaultLayout,
  EMPTY_LAYOUT,
  fromSaved,
  foundCharts,
  orderedCharts,
  reduceLayout,
  toSaved,
  type LayoutAction,
  parseSavedLayout,
} from "../../../../webview-ui/state/layout.js";
import { familySummary as family } from "../../../support/family-summary.js";

const ids = (...numbers: number[]) => numbers as SeriesId[];
const after = (...actions: LayoutAction[]) => actions.reduce(reduceLayout, EMPTY_LAYOUT);
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
    const layout = reduceLayout(reduceLayout(EMPTY_LAYOUT, { kind: "overlay", families: ["first", "second"] }), {
      kind: "show",
      family: "third",
    });
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
    const once = after({ kind: "show", family: "a" });
    const twice = reduceLayout({ ...once, tab: "statistics" }, { kind: "show", family: "a" });
    expect(twice.charts).toEqual(once.charts);
    expect(twice.tab).toBe("charts");
    expect(twice.focus).toBe(once.charts[0]?.id);
  });

  it("adds a chart of its own for series that no chart is sure to draw", () => {
    const layout = after({ kind: "show", family: "a" }, { kind: "show", family: "a", series: ids(7) });
    expect(layout.charts.map((chart) => chart.series)).toEqual([undefined, ids(7)]);
    const again = reduceLayout(layout, { kind: "show", family: "a", series: ids(7) });
    expect(again.charts).toHaveLength(2);
    expect(again.focus).toBe(layout.charts[1]?.id);
  });

  it("keeps how a histogram is charted through a change of series and through saving", () => {
    const layout = after(
      { kind: "show", family: "a" },
      { kind: "show", family: "b" },
      { kind: "chart", id: 1, change: { mode: "heatmap" } },
      { kind: "chart", id: 1, change: { series: ids(3) } },
    );
    expect(layout.charts.map(({ mode }) => mode)).toEqual(["heatmap", undefined]);
    expect(fromSaved(parseSavedLayout(JSON.parse(JSON.stringify(toSaved(layout))))!).charts).toEqual(layout.charts);
    expect(reduceLayout(layout, { kind: "chart", id: 1, change: { mode: undefined } }).charts[0]).toEqual({
      id: 1,
      family: "a",
      series: ids(3),
    });
    expect(parseSavedLayout({ charts: [{ family: "a", mode: "pie" }] })?.charts).toEqual([{ family: "a" }]);
  });

  it("puts pinned families first, each with a chart, and lets go of one whose chart is removed", () => {
    const layout = after(
      { kind: "show", family: "a" },
      { kind: "show", family: "b" },
      { kind: "show", family: "b", series: ids(1) },
      { kind: "pin", family: "c" },
      { kind: "pin", family: "b" },
    );
    expect(orderedCharts(layout).map((chart) => [chart.family, chart.series])).toEqual([
      ["c", undefined],
      ["b", undefined],
      ["b", ids(1)],
      ["a", undefined],
    ]);
    const once = reduceLayout(layout, { kind: "remove", id: 2 });
    expect(once.pinned).toEqual(["c", "b"]);
    expect(reduceLayout(once, { kind: "remove", id: 3 }).pinned).toEqual(["c"]);
    const unpinned = reduceLayout(layout, { kind: "pin", family: "c" });
    expect([unpinned.pinned, unpinned.charts.length]).toEqual([["b"], 4]);
  });

  it("keeps pins, tables, slice length, folds and what it is narrowed to through saving, and nothing else", () => {
    const layout = after(
      { kind: "pin", family: "a" },
      {
        kind: "table",
        table: "statistics",
        change: { subject: { type: "counter" }, sorting: { key: "rate", descending: true } },
      },
      { kind: "table", table: "statistics", change: { label: { name: "gpu", value: "" } } },
      { kind: "set", change: { sliceSeconds: 2.5 } },
      { kind: "set", change: { filter: "ttft" } },
      { kind: "set", change: { only: "http://a:8000/metrics" } },
      { kind: "fold", name: "panels vLLM", open: true },
      { kind: "set", change: { marked: false } },
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
    expect(reduceLayout(layout, { kind: "set", change: { sliceSeconds: undefined } }).sliceSeconds).toBeUndefined();
    expect(reduceLayout(layout, { kind: "set", change: { only: undefined } }).only).toBeUndefined();
  });

  it("changes the series of one chart and forgets a choice of none", () => {
    const layout = after({ kind: "show", family: "a" }, { kind: "show", family: "b" });
    const id = layout.charts[1]?.id ?? -1;
    const chosen = reduceLayout(layout, { kind: "chart", id, change: { series: ids(1, 2) } });
    expect(chosen.charts.map((chart) => chart.series)).toEqual([undefined, ids(1, 2)]);
    expect(reduceLayout(chosen, { kind: "chart", id, change: { series: [] } }).charts[1]).toEqual({ id, family: "b" });
  });

  it("never gives an id twice, so that a removed chart's place is not taken for it", () => {
    const layout = after({ kind: "show", family: "a" }, { kind: "show", family: "b" });
    const removed = reduceLayout(layout, { kind: "remove", id: layout.charts[1]?.id ?? -1 });
    const added = reduceLayout(removed, { kind: "show", family: "c" });
    expect(added.charts.map((chart) => chart.family)).toEqual(["a", "c"]);
    expect(added.charts[1]?.id).not.toBe(layout.charts[1]?.id);
  });

  it("comes back as it was saved, through JSON", () => {
    const layout = after(
      { kind: "show", family: "a", series: ids(3) },
      { kind: "show", family: "b" },
      { kind: "set", change: { tab: "timeslices" } },
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
