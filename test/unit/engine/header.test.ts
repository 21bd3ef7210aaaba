import { describe, expect, it } from "vitest";
import { epochNs, type EndpointInfo, type EpochNs, type NamedPhase } from "../../../src/core/model/index.js";
import { phaseStatistics, runPhases, statisticsByPhase } from "../../../src/core/window/index.js";
import { complete } from "../../../src/core/stats/index.js";
import type { Run } from "../../../src/core/store/index.js";
import { fileStatus } from "../../../src/engine/subjects/file-status.js";
import { savedHeader } from "../../../src/engine/header.js";
import { ORIGIN, RunBuilder, SECOND } from "../../support/run-builder.js";

const at = (seconds: number) => epochNs(ORIGIN + BigInt(seconds * SECOND));
const unitOf = () => undefined;

/** A scrape a second for 20 s. */
function run(...phases: readonly NamedPhase[]): Run {
  const builder = new RunBuilder();
  for (let i = 0; i <= 20; i++) builder.scrape(i, [{ name: "c", type: "counter", value: i * i }]);
  const built = builder.window(5, 20).run;
  for (const phase of phases) built.putPhase(phase);
  return built;
}

it("a run whose endpoints never answered has a header: it names them and begins where its profiling does", () => {
  const { run: empty } = new RunBuilder();
  empty.setProfilingStart(at(5));
  empty.endWithLastScrape();
  expect(savedHeader(empty, [])).toMatchObject({
    originMs: Number(at(5)) / 1e6,
    profilingStart: 0,
    profilingEnd: 0,
    scrapes: 0,
    endpoints: [{ url: "http://a:1/metrics", state: "failing", scrapes: 0 }],
  });
});

it("the scrapes of a run are its servers', not the records of a benchmark client beside them", () => {
  const builder = new RunBuilder();
  for (let i = 0; i < 4; i++) builder.scrape(i, [{ name: "g", value: i }]);
  for (let i = 0; i < 40; i++) builder.scrape(i / 10, [{ name: "client:x", value: i }], "client://aiperf");
  expect(savedHeader(builder.window(0, 4).run, []).scrapes).toBe(4);
});

describe("the phases that a header offers", () => {
  it("are none of a run that is one stretch of profiling", () => {
    expect(savedHeader(run(), [])).not.toHaveProperty("phases");
  });

  it("are a warm-up, without the recorded window, and every named phase that has some length", () => {
    const warmup: NamedPhase = { name: "warmup", kind: "warmup", start: at(0), end: at(5) };
    expect(savedHeader(run(warmup), []).phases).toEqual([
      { name: "warmup", kind: "warmup", start: 0, end: 5 * SECOND },
    ]);
    const { phases } = savedHeader(
      run(
        warmup,
        { name: "low", kind: "profiling", start: at(5), end: at(12) },
        { name: "none", kind: "profiling", start: at(12), end: at(12) },
        { name: "high", kind: "profiling", start: at(12) },
      ),
      [],
    );
    expect(phases?.map(({ name, start, end }) => [name, start / SECOND, end / SECOND])).toEqual([
      ["warmup", 0, 5],
      ["low", 5, 12],
      ["high", 12, 20],
    ]);
  });

  it("make a window whose statistics are those of the phase", () => {
    const given = run(
      { name: "low", kind: "profiling", start: at(5), end: at(9), tags: { from: at(6), to: at(12) } },
      { name: "high", kind: "profiling", start: at(12), end: at(20) },
    );
    for (const [i, phase] of runPhases(given).entries()) {
      const offered = savedHeader(given, []).phases?.[i];
      if (offered === undefined) throw new Error(`${phase.name} is not offered`);
      const { origin } = given.store;
      given.chooseWindow({
        start: epochNs(origin + BigInt(offered.start)),
        end: epochNs(origin + BigInt(offered.end)),
      });
      expect(complete(statisticsByPhase(given, { unitOf })).families).toEqual(
        complete(phaseStatistics(given, phase, { unitOf })).families,
      );
    }
  });
});

describe("the endpoints of a header", () => {
  const stateOf = (builder: RunBuilder) => savedHeader(builder.window(0, 2).run, []).endpoints[0]?.state;
  const sample = [{ name: "g", type: "gauge", value: 1 }] as const;

  it("are as the last scrape left them, where the file has failed ones", () => {
    const lost = "failed";
    expect(stateOf(new RunBuilder().scrape(0, sample).scrape(1, lost).scrape(2, sample))).toBe("up");
    expect(stateOf(new RunBuilder().scrape(0, sample).scrape(1, sample).scrape(2, lost))).toBe("failing");
    expect(stateOf(new RunBuilder().scrape(0, lost).scrape(2, lost))).toBe("failing");
    const died = new RunBuilder().scrape(0, sample).scrape(1, sample).scrape(2, lost).window(0, 2).run;
    expect((savedHeader(died, []).endpoints[0]?.answeredUntil ?? NaN) / SECOND).toBe(1);
  });

  it("are said to have been reachable at the end only where a scrape of that time tells it", () => {
    const info = (last: number) => ({
      total_fetches: last + 1,
      first_fetch_ns: at(0),
      last_fetch_ns: at(last),
      avg_fetch_latency_ms: 1,
      unique_updates: 3,
      first_update_ns: at(0),
      last_update_ns: at(last),
      duration_seconds: last,
    });
    const status = (of: EndpointInfo | undefined, end: EpochNs | undefined) => {
      const { state, answeredUntil } = fileStatus("http://a/metrics", of, [], end, at(0));
      return answeredUntil === undefined ? state : [state, answeredUntil / 1e9];
    };
    expect(status(info(20), at(20))).toBe("up");
    // One of many endpoints, whose scrapes are spread over the interval.
    expect(status(info(19), at(20))).toBe("up");
    expect(status(info(20), undefined)).toBe("recorded");
    // A CSV has none.
    expect(status(undefined, at(20))).toBe("recorded");
    // It may have been removed.
    expect(status(info(12), at(20))).toEqual(["recorded", 12]);
    expect(status({ ...info(12), failed_fetches: 4 }, at(20))).toEqual(["failing", 12]);
  });

  it("come as they were configured, whatever the order of a file", () => {
    const builder = new RunBuilder();
    const first = builder.run.metadata.endpointsConfigured[0] ?? "";
    const sample = [{ name: "g", value: 1 }];
    builder.scrape(0, sample, "http://z:1/metrics").scrape(1, sample, first).scrape(2, sample, "http://b:1/metrics");
    expect(savedHeader(builder.window(0, 2).run, []).endpoints.map(({ url }) => url)).toEqual([
      first,
      "http://z:1/metrics",
      "http://b:1/metrics",
    ]);
  });
});
