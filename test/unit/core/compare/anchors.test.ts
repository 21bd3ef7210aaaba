import { describe, expect, it } from "vitest";
import { firstRequest, REQUEST_FAMILIES } from "../../../../src/core/compare/slices/anchors.js";
import { RunBuilder, SECOND, type TestSample } from "../../../support/run-builder.js";

const gauge = (value: number, name = "vllm:num_requests_running"): TestSample => ({ name, value });
const counter = (
  value: number,
  name = "vllm:request_success_total",
  labels: Record<string, string> = {},
): TestSample => ({ name, type: "counter", labels, value });

/** Scrapes a second apart, from second 0. */
function firstOf(...scrapes: readonly (readonly TestSample[] | "failed")[]): number | undefined {
  const builder = new RunBuilder();
  scrapes.forEach((samples, second) => builder.scrape(second, samples));
  return firstRequest(builder.run);
}

describe("the first request", () => {
  it("is when a gauge of requests first stands above 0", () => {
    expect(firstOf([gauge(0)], [gauge(0)], [gauge(3)], [gauge(0)], [gauge(1)])).toBe(2 * SECOND);
  });

  it("is when a counter of finished requests first rises, whatever it began with", () => {
    expect(firstOf([counter(17)], [counter(17)], [counter(17)], [counter(18)])).toBe(3 * SECOND);
  });

  it("may be a label's first appearance", () => {
    const other = counter(1, "vllm:request_success_total", { finished_reason: "length" });
    expect(firstOf([gauge(0)], [gauge(0), other], [gauge(1), other])).toBe(SECOND);
  });

  it("comes by the earliest of all metrics and endpoints, of any server and by any of its names", () => {
    const builder = new RunBuilder();
    for (let second = 0; second < 6; second++) {
      builder.scrape(second, [
        gauge(second >= 5 ? 1 : 0, "vllm_num_requests_waiting"),
        gauge(9, "vllm:kv_cache_usage_perc"),
      ]);
      builder.scrape(second + 0.5, [gauge(second >= 3 ? 2 : 0, "sglang:num_running_reqs")], "http://b:2/metrics");
    }
    expect(firstRequest(builder.run)).toBe(3.5 * SECOND);
  });

  it("is unknown when requests ran already, none came, or nothing tells of requests", () => {
    expect(firstOf([gauge(1), counter(5)], [gauge(1), counter(6)])).toBeUndefined();
    expect(firstOf("failed", [gauge(1), counter(5)], [gauge(1), counter(6)])).toBeUndefined();
    expect(firstOf([gauge(0), counter(5)], [gauge(0), counter(5)])).toBeUndefined();
    expect(firstOf([gauge(0, "app:level")], [gauge(5, "app:level")])).toBeUndefined();
  });

  it("is seen in what every server of the catalogue serves and a benchmark client sends", () => {
    expect([...REQUEST_FAMILIES].sort()).toEqual([
      "client:requests",
      "dynamo_component_inflight_requests",
      "dynamo_component_requests",
      "dynamo_frontend_inflight_requests",
      "dynamo_frontend_queued_requests",
      "dynamo_frontend_requests",
      "llamacpp:requests_deferred",
      "llamacpp:requests_processing",
      "llm_d_epp_request",
      "nv_inference_request_success",
      "sglang:num_queue_reqs",
      "sglang:num_running_reqs",
      "tgi_batch_current_size",
      "tgi_queue_size",
      "tgi_request_success",
      "trtllm:num_requests_running",
      "trtllm:num_requests_waiting",
      "trtllm:request_success",
      "vllm:num_requests_running",
      "vllm:num_requests_waiting",
      "vllm:request_success",
    ]);
  });
});
