import { expect, it } from "vitest";
import { jsonText } from "../../../../src/core/artifacts/json/text.js";
import { seriesOf } from "../../../../src/core/artifacts/series-fields.js";
import { SeriesTexts } from "../../../../src/core/artifacts/json/series-text.js";
import { boundText, epochNs, type SeriesResult } from "../../../../src/core/model/index.js";

const times = (s: number) => ({ start_ns: epochNs(BigInt(s) * 5n), end_ns: epochNs(BigInt(s) * 5n + 5n) });
const at = { endpointUrl: 'http://a:1/"metrics"', labels: [["1", "\u2028\\"] as const, ["b", 'x"'] as const] };

const RESULTS: readonly SeriesResult[] = [
  { kind: "gauge", endpointUrl: "http://a:1/metrics", labels: [], stats: {} },
  { kind: "gauge", ...at, stats: { avg: -0, min: -1e-9, max: 1e21, std: NaN, gaps: 3 }, slices: [] },
  {
    kind: "gauge",
    ...at,
    stats: { avg: 0.1 },
    slices: [
      { ...times(1), avg: 1, min: -0, max: Infinity },
      { ...times(2), is_complete: false, avg: 2.5, min: 2, max: 3 },
    ],
  },
  {
    kind: "counter",
    ...at,
    seconds: 5,
    stats: { total: 9, rate: 1 / 3, resets: 1 },
    slices: [
      { ...times(1), total: 7, rate: NaN },
      { ...times(9), total: 0, rate: 0 },
    ],
    born: epochNs(1_700_000_000_000_000_007n),
    aiperf: { stats: { total: 7, rate: 1 / 3 }, slices: [{ ...times(1), total: 7, rate: NaN }] },
  },
  { kind: "histogram", ...at, stats: { count: 0 }, buckets: [], estimates: [] },
  {
    kind: "histogram",
    ...at,
    stats: { count: 3, sum: 1.5, p50_estimate: 0.4 },
    intervals: { p50_interval: [-Infinity, 0.5], p99_interval: [0.25, Infinity] },
    estimateNote: 'linear: "few"',
    buckets: [
      [boundText("0.5"), 2],
      [boundText("10"), 3],
      [boundText("+Inf"), 3],
    ],
    estimates: [],
    slices: [
      { ...times(1), count: 1, sum: 0.5, avg: 0.5, buckets: [[boundText("0.5"), 1]] },
      { ...times(3), is_complete: false, count: 0, sum: 0, avg: 0, buckets: [] },
    ],
  },
];

it("writes a series as the general writer does, its texts kept or not", () => {
  const texts = new SeriesTexts();
  for (const result of [...RESULTS, ...RESULTS, ...[...RESULTS].reverse()])
    expect(texts.text(result)).toBe(jsonText(seriesOf(result), "        "));
});
