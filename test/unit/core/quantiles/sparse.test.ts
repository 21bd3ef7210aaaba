import { describe, expect, it } from "vitest";
import { PERCENTILES, type QuantileEstimate } from "../../../../src/core/model/index.js";
import { endpointWindow, histogramStatistics, recordedWindow } from "../../../../src/core/stats/index.js";
import { simulateServing, type ServerOptions } from "../../../support/simulated-serving.js";
import { servedPairs, WORKLOADS } from "../../../support/served-pairs.js";

const SECONDS = 600;
const NAMES = ["client", "steady", "trt"];
const QS = [50, 90, 95, 99];

interface Estimated {
  readonly place: string;
  readonly truth: number;
  readonly estimate: QuantileEstimate;
}

/** The percentiles of what simulated servers observed, from scrapes so far apart. */
function estimated(interval: number): readonly Estimated[] {
  return NAMES.flatMap((name, i) => {
    const options: ServerOptions = { ...WORKLOADS[name], seconds: SECONDS, interval };
    const { run, truth } = simulateServing(700 + i, options);
    return [...run.store.seriesKeys()].flatMap(({ id, endpointUrl, family }) => {
      const samples = run.store.read(id);
      const axis = run.store.endpoint(endpointUrl);
      const values = truth.get(family.name)?.values;
      if (samples.kind !== "histogram" || axis === undefined || values === undefined) return [];
      const window = endpointWindow(run, axis, recordedWindow(run), 5);
      const estimates = histogramStatistics(samples, window, run.store.origin)?.estimates ?? [];
      return QS.map((q) => ({
        place: `${name} ${family.name} p${q}`,
        truth: values[Math.min(values.length - 1, Math.ceil((q / 100) * values.length) - 1)]!,
        estimate: estimates[PERCENTILES.findIndex((p) => p === q)]!,
      }));
    });
  });
}

const holds = ({ truth, estimate: { interval } }: Estimated) =>
  truth >= interval[0] - 1e-9 * truth && truth <= interval[1] + 1e-9 * truth;
const widthOf = ({ estimate: { interval } }: Estimated) => interval[1] - interval[0];

describe("what 15 s scrapes tell of simulated servers", () => {
  it("has intervals that hold the truth as often as those of a capture, because they are wider", () => {
    const dense = new Map(estimated(0.333).map((one) => [one.place, one]));
    const sparse = estimated(15);
    expect(sparse.length).toBeGreaterThanOrEqual(50);
    // They claim nine of ten.
    for (const all of [[...dense.values()], sparse])
      expect(all.filter(holds).length / all.length).toBeGreaterThanOrEqual(0.85);
    const tails = sparse.filter(({ place }) => place.endsWith("p99"));
    expect(tails.filter(holds).length / tails.length).toBeGreaterThanOrEqual(0.8);
    const wider = sparse.filter((one) => widthOf(one) > widthOf(dense.get(one.place)!));
    expect(wider.length / sparse.length).toBeGreaterThan(0.8);
  });

  it("is compared with intervals that hold the differences, and equal servers are not told apart", () => {
    const { alarms, covered, found } = servedPairs([5100], ["client", "trt"], { interval: 15, seconds: SECONDS });
    expect(alarms.hits / alarms.of).toBeLessThanOrEqual(0.05);
    for (const quantity of ["avg", "p50", "p90", "p99"]) {
      const { hits = 0, of = 0 } = covered.get(quantity) ?? {};
      expect(hits / of, quantity).toBeGreaterThanOrEqual(0.88);
    }
    expect(found.get("30 avg")?.hits).toBe(found.get("30 avg")?.of);
  });
});
