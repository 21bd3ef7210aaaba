import { describe, expect, it } from "vitest";
import { ServerClient } from "../../../src/collect/index.js";
import { ParserNotes } from "../../../src/core/exposition/index.js";
import { type Parameters, PrometheusApi } from "../../../src/stores/prometheus/api.js";
import { readAggregated } from "../../../src/stores/prometheus/aggregate.js";
import { rolesOf, type Metadata } from "../../../src/stores/prometheus/discover.js";
import { totalsStep } from "../../../src/stores/prometheus/totals-step.js";

const START = 1_700_000_000_000;

it("totals have a value for each scrape, and fewer over long ranges", () => {
  const minute = 60_000;
  expect(totalsStep(2 * minute, 200)).toBe(200);
  expect(totalsStep(5 * minute, 1000)).toBe(1000);
  // Scrapes jitter, and steps are round.
  expect(totalsStep(15 * minute, 15_012)).toBe(15_000);
  expect(totalsStep(15 * minute, 333)).toBe(500);
  expect(totalsStep(1440 * minute, 15_000)).toBe(15_000);
  expect(totalsStep(1440 * minute, 200)).toBe(15_000);
  expect(totalsStep(30 * 1440 * minute, 15_000)).toBe(10 * minute);
  // Never closer than the scrapes, however far those are apart.
  expect(totalsStep(60 * minute, 5 * minute)).toBe(5 * minute);
  expect(totalsStep(minute, 45 * 60 * minute)).toBe(45 * 60 * minute);
});

describe("totals over instances", () => {
  /** Counters of three instances at each second; undefined: not there. */
  const COUNTED = [
    [100, 101, 102, 103, 104, 105],
    [50, 51, undefined, undefined, 54, 55],
    [7, 8, 9, 0, 1, 2],
  ];

  /** Gauges that do not add up: by their names, and by the catalogue. */
  const LEVELS = [
    "load_ratio",
    "wait_seconds",
    "sglang:token_usage",
    "DCGM_FI_DEV_SM_CLOCK",
    "process_start_time_seconds",
  ];

  /** Answers `sum` and `avg` of them, in steps of a second. */
  class Totals extends PrometheusApi {
    readonly asked: string[] = [];

    constructor() {
      super(new ServerClient({ url: "http://store:9090", enabled: true }));
    }

    override ask(_path: string, parameters: Parameters): Promise<unknown> {
      const { query = "" } = Object.fromEntries(parameters);
      this.asked.push(query);
      const total = (counts: readonly number[]) => {
        const sum = counts.reduce((a, b) => a + b, 0);
        return query.startsWith("sum") ? sum : sum / counts.length;
      };
      const values = (of: (count: number) => number) =>
        [0, 1, 2, 3, 4, 5].map((second) => {
          const there = COUNTED.flatMap((counts) => counts[second] ?? []);
          return [START / 1000 + second, String(total(there.map(of)))];
        });
      return Promise.resolve({
        resultType: "matrix",
        result: [
          { metric: { __name__: "requests_total" }, values: values((count) => count) },
          { metric: { __name__: "tokens_count" }, values: values((count) => count * 10) },
          // Nothing was that short until the second instance came back.
          {
            metric: { __name__: "tokens_bucket", le: "1" },
            values: values((count) => (count === 54 || count === 55 ? 5 : 0)),
          },
          ...LEVELS.map((name) => ({ metric: { __name__: name }, values: values(() => 0.5) })),
          { metric: { __name__: "queue_depth" }, values: values(() => 0.5) },
        ],
      });
    }
  }

  it("count nothing twice where an instance is missed, comes back or restarts", async () => {
    const metadata: Metadata = new Map([
      ["requests_total", { type: "counter", help: "", unit: "" }],
      ["tokens", { type: "histogram", help: "", unit: "" }],
    ]);
    const names = new Map(
      ["requests_total", "tokens_count", "queue_depth", ...LEVELS].map((name) => [name, false] as const),
    );
    const roles = rolesOf(new Map([...names, ["tokens_bucket", true]]), metadata, new ParserNotes());
    const api = new Totals();
    const range = { startMs: START, endMs: START + 5000 };
    const question = { selectors: ['{job="a"}'], range, stepMs: 1000, scrapeMs: 1000 };
    const { series, breaks } = await readAggregated(api, question, roles, {});
    const of = (name: string) => [...(series.find(({ labels }) => labels["__name__"] === name)?.values ?? [])];
    // One instance leaves at 2 s, another restarts at 3 s, and the first comes back at 4 s.
    expect(of("requests_total")).toEqual([157, 160, 160, 160, 160, 163]);
    expect(of("tokens_count")).toEqual([1570, 1600, 1600, 1600, 1600, 1630]);
    expect(of("tokens_bucket")).toEqual([0, 0, 0, 0, 0, 0]);
    for (const name of LEVELS) expect(of(name), name).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
    expect(of("queue_depth")).toEqual([1.5, 1.5, 1, 1, 1.5, 1.5]);
    expect(breaks).toBe(3);
    // A scrape or two that failed are looked past.
    expect(api.asked[0]).toBe('sum by (__name__, le, quantile) (last_over_time({job="a"}[4000ms]))');
  });
});
