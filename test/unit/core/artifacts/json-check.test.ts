import { describe, expect, it } from "vitest";
import { JsonSeriesCounter } from "../../../../src/core/artifacts/index.js";

const DOCUMENT = JSON.stringify({
  schema_version: "1.0",
  series: [{ not: "counted" }],
  summary: { metrics: { x: { series: [{}] } } },
  metrics: {
    a: {
      type: "gauge",
      description: 'series": [{ in \\" a text }]',
      series: [{ labels: { series: "[{" }, stats: {} }, {}],
    },
    series: { series: [{ buckets: { "0.5": 1 }, timeslices: [{ x: 1 }, { x: 2 }] }], series_count: [{}] },
    none: { series: [] },
  },
});

function count(text: string, pieces = 1): number {
  const counter = new JsonSeriesCounter();
  const bytes = new TextEncoder().encode(text);
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) counter.push(bytes.subarray(at, at + size));
  return counter.end();
}

describe("the series of a JSON artifact", () => {
  it("are counted however its bytes come in pieces", () => {
    for (const pieces of [1, 2, 7, DOCUMENT.length]) expect(count(DOCUMENT, pieces)).toBe(3);
  });

  it("are not counted of a document that breaks off, goes on after its end or closes what was not opened", () => {
    for (let end = 0; end < DOCUMENT.length; end++) expect(() => count(DOCUMENT.slice(0, end))).toThrow(/breaks off/);
    expect(() => count(`${DOCUMENT}{}`)).toThrow(/more after its end/);
    expect(() => count('{"metrics":{]}}')).toThrow(/closes at byte 12/);
    expect(() => count("metrics")).toThrow(/begins with "m"/);
  });
});
