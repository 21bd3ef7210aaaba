import { describe, expect, it } from "vitest";
import { makeLabels, type SeriesId } from "../../../../src/core/model/index.js";
import { gridTracks, measure, type Width } from "../../../../webview-ui/tables/columns.js";
import { statisticsGrid } from "../../../../webview-ui/tables/model.js";
import { sampleColumns } from "../../../../webview-ui/tables/data-table.js";

const model = (values: readonly number[], name = "f", displayName = name) =>
  statisticsGrid(
    {
      type: "gauge",
      columns: [{ key: "avg", title: "avg", unit: "seconds" }],
      rows: values.map((avg, i) => ({
        series: i as SeriesId,
        family: name,
        endpointUrl: "http://a:1/metrics",
        labels: makeLabels([["i", String(i)]]),
        values: { avg },
      })),
    },
    () => ({ displayName }),
    false,
  );

/** Tracks of the name, the labels and the number. */
function tracks(values: readonly number[], known = new Map<string, Width>(), name?: string, displayName?: string) {
  const shown = model(values, name, displayName);
  const columns = sampleColumns(shown, () => undefined);
  measure(columns, shown.rows, known);
  return gridTracks(columns, known, {}).template.split(/ (?=minmax)/);
}
/** The width that a column never falls below, in widths of a digit. */
const least = (track = "") => Number(/([\d.]+)ch \+/.exec(track)?.[1]);

describe("columns of numbers", () => {
  it("have room for their widest number, wherever it stands: none is cut", () => {
    const usual = Array.from({ length: 20 }, () => 0.0123);
    const width = (values: readonly number[]) => least(tracks(values).at(-2));
    expect(width([...usual, 1.7952e9])).toBeGreaterThan(width(usual));
    expect(width([...usual, 1.7952e9])).toBe(width([1.7952e9]));
  });

  it("do not shrink from one answer to the next", () => {
    const known = new Map<string, Width>();
    const wide = tracks([1.7952e9, 1.7953e9], known).at(-2);
    expect(tracks([0, 0], known).at(-2)).toBe(wide);
  });
});

describe("columns of words", () => {
  it("are no wider than their words", () => {
    expect(least(tracks([1], new Map(), "short")[0])).toBe(9);
    expect(tracks([1], new Map(), "short")[0]).toContain("calc(9.00ch + 12px))");
  });

  it("keep a whole title, and leave out the exposed name where there is no room", () => {
    const title = "Dynamo Frontend Input Sequence Tokens";
    const [track] = tracks([1], new Map(), "dynamo_frontend_input_sequence_tokens_of_requests", title);
    expect(least(track)).toBe(title.length);
    expect(Number(/.*[^\d.]([\d.]+)ch \+/.exec(track ?? "")?.[1])).toBeGreaterThan(title.length + 20);
  });
});

it("a width chosen by hand is kept", () => {
  const shown = model([1]);
  const { template } = gridTracks(
    sampleColumns(shown, () => undefined),
    new Map(),
    { avg: 200 },
  );
  expect(template).toContain(" 200px ");
});
