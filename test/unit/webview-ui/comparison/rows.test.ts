import { describe, expect, it } from "vitest";
import { safeCell } from "../../../../src/core/text/csv-line.js";
import type { Verdict } from "../../../../src/protocol/comparison.js";
import {
  differenceModel,
  filterRows,
  rowMarkdown,
  rowTsv,
  signedText,
} from "../../../../webview-ui/comparison/differences/rows.js";
import { differenceColumns, shownRows } from "../../../../webview-ui/comparison/differences/columns.js";
import { DIFFERING, NO_FILTER, VERDICTS, type ComparisonLayout } from "../../../../webview-ui/comparison/layout.js";
import { compareTwo } from "../../../support/compare-truth.js";
import { makeRun, SCENARIOS } from "../../../support/view-harness/compared-runs.js";

/** The second run is 28 % slower and has 7 % less throughput. */
const [slow, fast] = SCENARIOS["two"]!.map(makeRun);
const comparison = { ...compareTwo(slow!, fast!), runIds: ["slow", "fast"], setIds: [["slow"], ["fast"]] };
const model = differenceModel(comparison);

describe("rows of a comparison", () => {
  it("are those that differ, by effect, unless others are asked for", () => {
    const { rows, counts, candidates } = filterRows(model.rows, NO_FILTER);
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.every(({ row }) => DIFFERING.includes(row.cells[0]!.verdict))).toBe(true);
    expect(rows.map(({ index }) => index)).toEqual([...rows.map(({ index }) => index)].sort((a, b) => a - b));
    expect(candidates).toBe(comparison.rows.length);
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(comparison.rows.length);
    expect(filterRows(model.rows, { ...NO_FILTER, verdicts: VERDICTS }).rows).toHaveLength(comparison.rows.length);
  });

  it("say what tells them apart and leave out what all have in common", () => {
    expect(model.common.labels).toEqual([["model_name", "meta-llama/Llama-3.1-70B-Instruct"]]);
    const waiting = model.rows.filter(({ row }) => row.family === "vllm:num_requests_waiting");
    expect(waiting.map(({ labels }) => labels).sort()).toEqual(["engine=0", "engine=1"]);
    expect(new Set(waiting.map(({ name }) => name)).size).toBe(1);
  });

  it("never read alike: metrics of one title go by their exposed names", () => {
    const waiting = comparison.rows.filter(({ family }) => family === "vllm:num_requests_waiting");
    const older = waiting.map((row) => ({ ...row, family: "vllm:older_name", id: `older ${row.id}` }));
    const { rows } = differenceModel({ rows: [...comparison.rows, ...older] });
    const said = rows.map(({ name, labels, row }) => [name, labels, row.quantity].join());
    expect(new Set(said).size).toBe(said.length);
    expect(rows.filter(({ name }) => name === "vllm:older_name")).toHaveLength(waiting.length);
    expect(rows.filter(({ name, row }) => name === row.family)).toHaveLength(2 * waiting.length);
  });

  it("are found by all words in names, labels and quantities, and by type; verdicts are counted among what is found", () => {
    const found = filterRows(model.rows, {
      verdicts: VERDICTS,
      server: "",
      type: "",
      text: "first_token ENGINE=1 p90",
    });
    expect(found.rows.map(({ row }) => [row.family, row.quantity])).toEqual([
      ["vllm:time_to_first_token_seconds", "p90"],
    ]);
    expect([...found.counts.values()]).toEqual([1]);
    const histograms = filterRows(model.rows, { verdicts: VERDICTS, server: "", type: "histogram", text: "" });
    expect(new Set(histograms.rows.map(({ row }) => row.type))).toEqual(new Set(["histogram"]));
    expect(filterRows(model.rows, { verdicts: [], server: "", type: "", text: "" }).rows).toEqual([]);
  });

  it("are sorted by any column, unknown values last either way, and go back to their order", () => {
    const sorted = (sorting: ComparisonLayout["sorting"]) =>
      shownRows(comparison, { filter: { ...NO_FILTER, verdicts: VERDICTS }, sorting });
    const shares = (descending: boolean) =>
      sorted({ key: "0/share", descending }).map(({ row }) => row.cells[0]!.share);
    for (const descending of [false, true]) {
      const known = shares(descending).filter((share) => !Number.isNaN(share));
      expect(known).toEqual([...known].sort((a, b) => (descending ? b - a : a - b)));
      expect(shares(descending).slice(known.length).every(Number.isNaN)).toBe(true);
    }
    const names = sorted({ key: "metric", descending: false }).map(({ name }) => name);
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, "en", { numeric: true })));
    const verdicts = sorted({ key: "0/verdict", descending: true }).map(({ row }): Verdict => row.cells[0]!.verdict);
    expect(verdicts[0]).toBe("worse");
    expect(sorted(null).map(({ index }) => index)).toEqual(model.rows.map((_row, i) => i));
  });

  it("are sorted by values within each unit: seconds are not compared with tokens", () => {
    const rows = shownRows(comparison, {
      filter: { ...NO_FILTER, verdicts: VERDICTS },
      sorting: { key: "baseline", descending: true },
    }).filter(({ row }) => !Number.isNaN(row.baseline.value));
    const units = rows.map(({ row }) => row.unit);
    const runs = units.filter((unit, i) => i === 0 || unit !== units[i - 1]);
    expect(runs.length).toBeGreaterThan(2);
    expect(new Set(runs).size).toBe(runs.length);
    rows.forEach(({ row }, i) => {
      const before = rows[i - 1]?.row;
      if (before !== undefined && before.unit === row.unit)
        expect(before.baseline.value).toBeGreaterThanOrEqual(row.baseline.value);
    });
  });

  it("have a Labels column only where rows differ in labels", () => {
    const keys = (labelled: boolean) => differenceColumns(comparison, [], labelled).map(({ key }) => key);
    expect(keys(true)).toContain("labels");
    expect(keys(false)).not.toContain("labels");
  });

  it("about all series, as goodput is, leave the others what these have in common", () => {
    const [first] = comparison.rows;
    const { endpointUrl: _of, ...everywhere } = { ...first!, id: "goodput", labels: [] };
    const { common } = differenceModel({ rows: [...comparison.rows, everywhere] });
    expect(common.labels).toEqual(model.common.labels);
    expect(common.endpointUrl).toBe(model.common.endpointUrl);
  });
});

describe("a copied row", () => {
  const row = comparison.rows.find(
    ({ family, quantity }) => family === "vllm:time_to_first_token_seconds" && quantity === "avg",
  )!;

  it("is a Markdown table of one row", () => {
    const lines = rowMarkdown(row, comparison).trim().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/time_to_first_token_seconds.*\| avg \|.*\*\*worse\*\*/);
  });

  it("is two lines of a spreadsheet with the numbers unrounded", () => {
    const [head, cells] = rowTsv(row, comparison)
      .trim()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(cells).toHaveLength(head!.length);
    expect(Number(cells![head!.indexOf("A")])).toBe(row.baseline.value);
    expect(Number(cells![head!.indexOf("B")])).toBe(row.cells[0]!.candidate.value);
    expect(cells![head!.indexOf("B: verdict")]).toBe("worse");
  });

  it("has no formula for a spreadsheet where that is asked for", () => {
    const hostile = { ...comparison, baseline: { ...comparison.baseline, label: "=cmd|' /C calc'!A0" } };
    expect(rowTsv(row, hostile)).toContain("\t=cmd|");
    expect(rowTsv(row, hostile, safeCell)).toContain("\t'=cmd|");
    expect(rowTsv(row, comparison, safeCell)).toBe(rowTsv(row, comparison));
  });

  it("writes differences with their sign", () => {
    expect([
      signedText(0.0123, "seconds"),
      signedText(-0.0123, "seconds"),
      signedText(0, "seconds"),
      signedText(NaN, "seconds"),
    ]).toEqual(["+12.3 ms", "−12.3 ms", "0 s", "–"]);
  });
});
