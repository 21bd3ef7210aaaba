import { describe, expect, it } from "vitest";
import { changesOf } from "../../../../src/core/insights/index.js";
import { epochNs, NS_PER_SECOND, type GaugeResult } from "../../../../src/core/model/index.js";
import { autoregressive, shareOfProcesses } from "../../../support/autoregressive.js";
import { seeded } from "../../../support/histogram-simulation.js";

const at = (second: number) => epochNs(BigInt(second) * BigInt(NS_PER_SECOND));

/** A gauge with a time slice a second. */
function gauge(values: readonly number[]): GaugeResult {
  return {
    kind: "gauge",
    endpointUrl: "http://a/metrics",
    labels: [["engine", "0"]],
    stats: {},
    slices: values.map((avg, i) => ({ start_ns: at(i), end_ns: at(i + 1), avg, min: avg, max: avg })),
  };
}

const changes = (values: readonly number[]) => changesOf([gauge(values)]).flatMap((one) => one.changes);

describe("changes of a series", () => {
  it.each([
    [120, 0],
    [120, 0.5],
    [120, 0.8],
    [240, 0.9],
    [60, 0.6],
  ])("are marked in at most one of twenty series without any (%d slices, correlation %d)", (slices, correlation) => {
    const marked = shareOfProcesses(
      { seed: 11, length: slices, correlation },
      (noise) => changes(noise.map((value) => 20 + value)).length > 0,
    );
    expect(marked).toBeLessThanOrEqual(0.05);
  });

  it("are a level with its time and both means, and a slice that stands out", () => {
    const noise = autoregressive(seeded(12), 120, 0.3);
    const found = changes(noise.map((value, i) => value + (i < 60 ? 20 : 26) + (i === 90 ? 15 : 0)));
    expect(found.map(({ kind, startNs }) => [kind, startNs])).toEqual([
      ["level-change", at(60)],
      ["outlier", at(90)],
    ]);
    const [level, outlier] = found;
    if (level?.kind !== "level-change" || outlier?.kind !== "outlier") throw new Error("other kinds");
    expect(level.before).toBeCloseTo(20, 0);
    expect(level.after).toBeCloseTo(26, 0);
    expect(Math.abs(outlier.usual - 26)).toBeLessThan(1);
    expect(outlier.value).toBeGreaterThan(38);
  });

  it("of very many slices are found from means of neighbours", () => {
    const noise = autoregressive(seeded(14), 10_000, 0.3);
    const found = changes(noise.map((value, i) => value + (i < 6000 ? 20 : 26)));
    expect(found.filter(({ kind }) => kind === "level-change").map(({ startNs }) => startNs)).toEqual([at(6000)]);
  });

  it("are none of a trend, of a level that hardly changes, and of a short series", () => {
    const noise = autoregressive(seeded(13), 120, 0.3);
    expect(changes(noise.map((value, i) => value + i))).toEqual([]);
    expect(changes(noise.map((value, i) => value + (i < 60 ? 1000 : 1010)))).toEqual([]);
    expect(changes([1, 1, 1, 9, 9, 9])).toEqual([]);
  });
});
