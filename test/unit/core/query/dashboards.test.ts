import { describe, expect, it } from "vitest";
import { familyUnit, panelsOf, SERVERS } from "../../../../src/core/catalog/index.js";
import { SERVER_PANELS } from "../../../../src/core/catalog/panels/index.js";
import { PANEL_NEEDS } from "../../../../src/core/catalog/panels/needs.js";
import {
  instanceCourse,
  instanceSteps,
  instanceTable,
  panelPlans,
  panelSteps,
  metricReader,
  StoredRun,
  tilePlans,
  type MetricReader,
} from "../../../../src/core/query/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { RunBuilder, type TestSample } from "../../../support/run-builder.js";

const A = "http://a:8000/metrics";
const B = "http://b:8000/metrics";
const TTFT = "vllm:time_to_first_token_seconds";
const FINISHED = "vllm:request_success";

const finished = (reason: string, value: number): TestSample => ({
  name: FINISHED,
  type: "counter",
  labels: { finished_reason: reason },
  value,
});
const ttft = (n: number): TestSample => ({
  name: TTFT,
  buckets: { "0.1": n, "1": 2 * n, "+Inf": 2 * n },
  sum: n,
  count: 2 * n,
});

/** Two endpoints; the second finishes three times as many requests and runs twice as many. */
function fleet(): RunBuilder {
  const builder = new RunBuilder().window(0, 10);
  for (let second = 0; second <= 10; second++) {
    for (const [url, times] of [
      [A, 1],
      [B, 3],
    ] as const)
      builder.scrape(
        second,
        [
          finished("stop", 4 * second * times),
          finished("length", second * times),
          ttft(second * times),
          { name: "vllm:num_requests_running", value: 5 * (times === 1 ? 1 : 2) },
        ],
        url,
      );
  }
  return builder;
}

function panelsOfRun(builder: RunBuilder, server: string, reader: MetricReader) {
  return panelPlans(builder.run.store.families(), server).map((plan) => complete(panelSteps(reader, plan)));
}

describe("the panels of the catalogue", () => {
  it("speak of families and derived metrics that it knows", () => {
    for (const server of SERVERS) {
      for (const { id, items } of SERVER_PANELS[server.id] ?? []) {
        const known = [...Object.keys(server.families), ...server.derived.map((metric) => metric.id)];
        const names = items.map((item) => (typeof item === "string" ? item : item.family));
        expect(known, `${server.id} ${id}`).toEqual(expect.arrayContaining(names));
      }
      const ids = panelsOf(server).map(({ id }) => id);
      expect(new Set(ids).size, server.id).toBe(ids.length);
      expect(ids.length, server.id).toBeGreaterThan(0);
      expect(ids, server.id).toEqual(expect.arrayContaining(Object.keys(PANEL_NEEDS[server.id] ?? {})));
    }
  });
});

describe("a dashboard", () => {
  it("tells each metric in its statistics, over all endpoints or one", () => {
    const builder = fleet();
    const all = metricReader(builder.run);
    const panel = (reader: MetricReader, id: string) =>
      panelsOfRun(builder, "vLLM", reader).find((candidate) => candidate.id === id)!;
    const rate = panel(all, "requests").rows[0]!;
    expect(rate.figures).toEqual([
      { statistic: "rate", unit: "requests/s", value: 20 },
      { statistic: "total", unit: "requests", value: 200 },
    ]);
    expect(rate.sparkline.length).toBeGreaterThan(5);
    const first = all.within(({ endpointUrl }) => endpointUrl === A);
    expect(panel(first, "requests").rows[0]!.figures[0]!.value).toBe(5);

    const { figures } = panel(all, "ttft").rows[0]!;
    expect(figures.map(({ statistic }) => statistic)).toEqual(["p50_estimate", "p90_estimate", "p99_estimate", "avg"]);
    expect(figures[3]!.value).toBeCloseTo(0.5, 12);
    expect(figures[0]!.value).toBeLessThanOrEqual(figures[1]!.value);
    expect(figures[1]!.value).toBeLessThanOrEqual(figures[2]!.value);
  });

  it("has a row for each value of a label, the greatest first", () => {
    const builder = fleet();
    const panels = panelsOfRun(builder, "vLLM", metricReader(builder.run));
    const { rows } = panels.find(({ id }) => id === "finish-reasons")!;
    expect(rows.map(({ title, figures }) => [title, figures[0]!.value])).toEqual([
      ["stop", 16],
      ["length", 4],
    ]);
  });

  it("names what is not exposed, and the flag that would expose it", () => {
    const builder = fleet();
    const panels = panelsOfRun(builder, "vLLM", metricReader(builder.run));
    expect(panels.find(({ id }) => id === "kv-blocks")).toMatchObject({
      rows: [],
      missing: expect.arrayContaining(["vllm:kv_block_lifetime_seconds"]) as unknown,
      remedy: expect.stringContaining("--kv-cache-metrics") as unknown,
    });
    expect(panels.find(({ id }) => id === "requests")!.missing).toEqual([]);
  });

  it("names Dynamo's flag where a page of TensorRT-LLM has nothing for a panel", () => {
    const builder = new RunBuilder().window(0, 10);
    for (let second = 0; second <= 10; second++)
      builder.scrape(second, [
        { name: "trtllm_request_success", type: "counter", value: second },
        { name: "dynamo_component_inflight_requests", value: second },
      ]);
    const reader = metricReader(builder.run);
    for (const [server, id] of [
      ["TensorRT-LLM", "load"],
      ["TensorRT-LLM", "kv"],
      ["TensorRT-LLM", "phases"],
      ["Dynamo component", "kv"],
    ] as const) {
      const panel = panelsOfRun(builder, server, reader).find((one) => one.id === id);
      expect(panel?.remedy, `${server} ${id}`).toContain("--publish-metrics");
    }
  });

  it("names what had no value, and has no row for it", () => {
    const builder = new RunBuilder().window(0, 10);
    for (let second = 0; second <= 10; second++)
      builder.scrape(second, [
        {
          name: "vllm:request_queue_time_seconds",
          buckets: { "1": second, "+Inf": second },
          sum: second,
          count: second,
        },
        { name: "vllm:request_prefill_time_seconds", buckets: { "1": 0, "+Inf": 0 }, sum: 0, count: 0 },
      ]);
    const panels = panelsOfRun(builder, "vLLM", metricReader(builder.run));
    const { rows, withoutValues } = panels.find(({ id }) => id === "phases")!;
    expect(rows.map(({ title }) => title)).toEqual(["Queue time"]);
    expect(withoutValues).toEqual(["Prefill time"]);
  });

  it("is the same from stored statistics, but for percentiles", () => {
    const builder = fleet();
    const statistics = complete(runStatistics(builder.run, { unitOf: familyUnit, sliceSeconds: 1 }));
    const stored = panelsOfRun(builder, "vLLM", metricReader(new StoredRun(statistics)));
    const read = panelsOfRun(builder, "vLLM", metricReader(builder.run));
    const plain = (panels: typeof read) =>
      panels.flatMap(({ id, rows }) =>
        rows.flatMap(({ title, figures }) =>
          figures
            .filter(({ statistic }) => !statistic.startsWith("p"))
            .map(({ statistic, value }) => [id, title, statistic, Number(value.toFixed(9))]),
        ),
      );
    expect(plain(stored)).toEqual(plain(read));
  });

  it("comes from types and names where the server is unknown", () => {
    const builder = new RunBuilder().window(0, 4);
    for (let second = 0; second <= 4; second++)
      builder.scrape(second, [
        { name: "app_requests", type: "counter", value: 3 * second },
        { name: "app_request_errors", type: "counter", value: second },
        { name: "app_request_duration_seconds", buckets: { "1": second, "+Inf": second }, sum: second, count: second },
        { name: "app_queue_depth", value: 7 },
        { name: "go_goroutines", value: 12 },
      ]);
    const panels = panelsOfRun(builder, "", metricReader(builder.run));
    expect(panels.map(({ title, rows }) => [title, rows.map(({ family }) => family)])).toEqual([
      ["Errors", ["app_request_errors"]],
      ["Rates", ["app_requests"]],
      ["Durations", ["app_request_duration_seconds"]],
      ["Saturation", ["app_queue_depth"]],
    ]);
    expect(panels[1]!.rows[0]!.figures[0]!.value).toBe(3);
  });
});

describe("instances", () => {
  it("have a row each, with what each alone reports", () => {
    const builder = fleet();
    const reader = metricReader(builder.run);
    const plans = tilePlans(builder.run.store.families()).filter(({ server }) => server === "vLLM");
    const columns = plans.map((plan) => complete(instanceSteps(reader, plan, [A, B])));
    const table = instanceTable("vLLM", plans, [A, B], columns);
    const column = (id: string) => {
      const c = table.columns.findIndex((candidate) => candidate.id === id);
      return [0, 1].map((e) => table.values[e * table.columns.length + c]);
    };
    expect(column("vllm.running")).toEqual([5, 10]);
    expect(column("vllm.success")).toEqual([5, 15]);

    const course = instanceCourse(plans[0]!, [A, B], columns[0]!);
    expect(course.values).toHaveLength(2 * course.points);
    expect(course.values.at(-1)).toBe(10);
  });
});
