import { describe, expect, it } from "vitest";
import { UserError } from "../../../src/core/text/errors.js";
import type { Parameters } from "../../../src/stores/prometheus/api.js";
import { readSamples } from "../../../src/stores/prometheus/samples.js";

const START = 1_700_000_000_000;

/** Answers range selectors as Prometheus 2 (both ends) or 3 (without the start) does, of at most `most` samples. */
function fakeStore(
  samples: readonly (readonly [ms: number, value: string])[],
  { most = Infinity, closed = true } = {},
) {
  const asked: string[] = [];
  const ask = (_path: string, parameters: Parameters): Promise<unknown> => {
    const { query = "", time = "" } = Object.fromEntries(parameters);
    asked.push(query);
    const length = Number(/\[(\d+)ms\]$/.exec(query)?.[1]);
    const end = Math.round(Number(time) * 1000);
    const values = samples.filter(([ms]) => ms <= end && (closed ? ms >= end - length : ms > end - length));
    if (values.length > most) return Promise.reject(new UserError("too many samples", undefined, { code: "too-much" }));
    return Promise.resolve({
      resultType: "matrix",
      result: [
        { metric: { __name__: "a", instance: "h:1" }, values: values.map(([ms, value]) => [ms / 1000, value]) },
        { metric: { __name__: "native" }, histograms: [[1, {}]] },
      ],
    });
  };
  return { ask, asked };
}

const everySecond = Array.from({ length: 1000 }, (_, i) => [START + i * 1000, String(i / 3)] as const);
const range = { startMs: START, endMs: START + 999_000 };

describe("reading samples in chunks", () => {
  it.each([true, false])("gives each sample once, whether ranges hold their start (%s) or not", async (closed) => {
    for (const expected of [100, 5_000_000, undefined]) {
      const { ask, asked } = fakeStore(everySecond, { closed });
      const read = await readSamples({ ask }, { selectors: ["a"], range, expected });
      expect(read.series).toHaveLength(1);
      expect([...read.series[0]!.times]).toEqual(everySecond.map(([ms]) => ms));
      expect([...read.series[0]!.values]).toEqual(everySecond.map((_, i) => i / 3));
      expect(asked.length > 1).toBe(expected !== 100);
      expect([...read.nativeHistograms]).toEqual(["native"]);
    }
  });

  it("halves what is too much for the server, and gives up below a second", async () => {
    const { ask } = fakeStore(everySecond, { most: 40 });
    const read = await readSamples({ ask }, { selectors: ["a", "b"], range, expected: 100 });
    expect([...read.series[0]!.times]).toEqual(everySecond.map(([ms]) => ms));
    const never = fakeStore(everySecond, { most: -1 });
    await expect(readSamples(never, { selectors: ["a"], range, expected: 1 })).rejects.toThrow("too many samples");
  });

  it("tells marks of an export from its samples", async () => {
    const line = { metric: { __name__: "a" }, timestamps: [START, START + 1, START + 2], values: [1, null, 3] };
    const { series } = await readSamples(
      { ...fakeStore([]), lines: () => Promise.resolve([line]) },
      { selectors: ["a"], range, expected: 3, by: "export" },
    );
    expect(series).toMatchObject([{ missing: [START + 1] }]);
    expect([...series[0]!.values]).toEqual([1, 3]);
  });

  it("reads infinities and what is not a number", async () => {
    const { ask } = fakeStore([
      [START, "+Inf"],
      [START + 1, "-Inf"],
      [START + 2, "NaN"],
      [START + 3, "5e-324"],
    ]);
    const { series } = await readSamples({ ask }, { selectors: ["a"], range, expected: 4 });
    expect([...series[0]!.values]).toEqual([Infinity, -Infinity, NaN, 5e-324]);
  });
});
