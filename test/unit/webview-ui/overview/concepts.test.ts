import { describe, expect, it } from "vitest";
import { makeLabels, type SeriesId } from "../../../../src/core/model/index.js";
import type { ChartData, ChartLine } from "../../../../src/protocol/index.js";
import { overlayOf, type Overlay, overviewCards, overviewQuery } from "../../../../webview-ui/overview/concepts.js";
import { familySummary as family } from "../../../support/family-summary.js";

const line = (series: number, values: readonly number[], more: Partial<ChartLine> = {}): ChartLine => ({
  series: series as SeriesId,
  endpointUrl: `http://host-${series}:8000/metrics`,
  labels: makeLabels([["engine", "0"]]),
  quantity: "value",
  times: Float64Array.from(values, (_, i) => i * 1e9),
  values: Float64Array.from(values),
  ...more,
});
const data = (lines: readonly ChartLine[], unit?: string, family = ""): ChartData => ({
  family,
  lines,
  seriesTotal: lines.length,
  ...(unit === undefined ? {} : { unit }),
});

/** What the families of an overlay's lines are called in it. */
const namesOf = (overlay: Overlay | undefined) =>
  overlay?.data.lines.map(({ family: name }) => overlay.titleOf(name ?? ""));

describe("the charts of the overview", () => {
  const vllm = family("vllm:ttft", { concept: "ttft", type: "histogram", server: "vLLM", unit: "seconds" });
  const sglang = family("sglang:ttft", { concept: "ttft", type: "histogram", server: "SGLang", unit: "seconds" });
  const waiting = family("vllm:waiting", { concept: "waiting", server: "vLLM" });
  const usage = family("vllm:usage", { concept: "kv-usage", server: "vLLM", unit: "ratio", seriesCount: 8 });

  it("are one for each quantity that a run has, of all its servers", () => {
    const cards = overviewCards([family("other"), vllm, waiting, sglang, usage], []);
    expect(cards.map(({ title, drawings }) => [title, drawings.map(({ families }) => families)])).toEqual([
      ["Time to first token", [[vllm, sglang]]],
      ["Queue and KV cache", [[waiting], [usage]]],
    ]);
  });

  it("leave out what has no series, and show the first charts of a server that is not known", () => {
    const [a, b] = [family("a"), family("b")];
    const cards = overviewCards([family("vllm:ttft", { concept: "ttft", seriesCount: 0 })], [a, b]);
    expect(cards.map(({ drawings }) => drawings)).toEqual([[{ families: [a] }], [{ families: [b] }]]);
  });

  it("take a latency of all series as one, and of a gauge the series that can be told apart", () => {
    expect(overviewQuery(vllm).together).toBe(true);
    expect(overviewQuery(waiting).maxSeries).toBe(20);
    expect(overviewQuery(usage).maxSeries).toBeGreaterThanOrEqual(8);
  });

  it("name their lines by server, with median and p99 of latencies", () => {
    const quantiles = (["p50", "p90", "p99", "avg"] as const).map((quantity) =>
      line(1, [1, 2], { quantity, labels: [] }),
    );
    const overlay = overlayOf([
      { family: vllm, data: data(quantiles, "seconds", vllm.name) },
      { family: sglang, data: data(quantiles, "seconds", sglang.name) },
      { family: sglang, data: data(quantiles, "milliseconds", sglang.name) },
    ]);
    expect(overlay?.data.lines.map(({ quantity }) => quantity)).toEqual(["p50", "p99", "p50", "p99"]);
    expect(namesOf(overlay)).toEqual(["vLLM", "vLLM", "SGLang", "SGLang"]);
  });

  it("add up many series of an amount, and average those of a share", () => {
    const many = Array.from({ length: 8 }, (_, i) => line(i, [i, i + 1], { average: i }));
    const [amount, share] = [waiting, usage].map((one) => overlayOf([{ family: one, data: data(many) }]));
    expect([namesOf(amount), [...(amount?.data.lines[0]?.values ?? [])]]).toEqual([["sum of 8"], [28, 36]]);
    expect([namesOf(share), [...(share?.data.lines[0]?.values ?? [])]]).toEqual([["average of 8"], [3.5, 4.5]]);
    // Of all of them, as their values are: not that of the first.
    expect(amount?.data.lines[0]?.average).toBeUndefined();
  });
});
