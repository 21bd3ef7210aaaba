import { expect, it } from "vitest";
import type { SeriesId } from "../../../../src/core/model/index.js";
import { chartCsv } from "../../../../webview-ui/charts/copy.js";

it("the data of a chart is a point a line, with whose it is, and nothing where there was none", () => {
  const line = {
    series: 0 as SeriesId,
    endpointUrl: "http://a/metrics",
    labels: [["engine", "0,1"]] as const,
    quantity: "value" as const,
    times: Float64Array.of(2e9, 3.5e9),
    values: Float64Array.of(7, NaN),
  };
  expect(chartCsv({ family: "f", unit: "requests", lines: [line], seriesTotal: 1 }, 1e9).split("\r\n")).toEqual([
    "seconds,endpoint,metric,labels,quantity,value,unit",
    '1,http://a/metrics,f,"{engine=""0,1""}",value,7,requests',
    '2.5,http://a/metrics,f,"{engine=""0,1""}",value,,requests',
    "",
  ]);
});

it("the data of a chart of several families says of each point whose family it is", () => {
  const line = (family: string) => ({
    series: 0 as SeriesId,
    endpointUrl: "http://a/metrics",
    labels: [],
    family,
    quantity: "value" as const,
    times: Float64Array.of(1e9),
    values: Float64Array.of(7),
  });
  const csv = chartCsv({ family: "f", lines: [line("f"), line("g")], seriesTotal: 2 }, 0);
  expect(csv.split("\r\n").map((row) => row.split(",")[2])).toEqual(["metric", "f", "g", undefined]);
});
