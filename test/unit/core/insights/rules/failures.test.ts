import { describe, expect, it } from "vitest";
import { finding } from "../../../../support/findings.js";
import { exposing } from "../../../../support/simulated-server.js";

describe("failures", () => {
  const beside = (family: string, labels: Readonly<Record<string, string>> = {}) =>
    exposing((exporter) => {
      const finished = exporter.counter("vllm:request_success_total", "Made by hand.");
      const failed = exporter.counter(family, "Made by hand.", Object.keys(labels));
      return () => {
        finished(10);
        failed(2, labels);
      };
    });

  it.each([
    ["vllm:kv_offload_allocation_failure_total", {}],
    ["vllm:kv_offload_tiering_promotion_job_failures_total", { tier: "fs" }],
    ["vllm:mooncake_store_operation_total", { operation: "get", status: "error" }],
    ["lmcache:remote_ping_errors_total", {}],
    ["dynamo_transport_tcp_errors_total", {}],
  ])("of the cache and of connections are no failed requests: %s", async (family, labels) => {
    expect(await finding("errors", beside(family, labels))).toBeUndefined();
  });

  it.each([
    ["sglang:num_transfer_failed_reqs_total", {}],
    ["dynamo_component_errors_total", {}],
    ["vllm:request_success_total", { finished_reason: "error" }],
    ["app_request_errors_total", {}],
  ])("of requests are reported: %s", async (family, labels) => {
    const one =
      family === "vllm:request_success_total"
        ? exposing((exporter) => {
            const finished = exporter.counter(family, "Made by hand.", ["finished_reason"]);
            return () => {
              finished(10, { finished_reason: "stop" });
              finished(2, labels);
            };
          })
        : beside(family, labels);
    expect((await finding("errors", one))?.text).toContain("failed requests");
  });
});

describe("requests at Dynamo's frontend", () => {
  const LABELS = ["error_type", "status"];
  /** Of a hundred a second, some end otherwise. */
  const ending = (end: Readonly<Record<string, string>>, count: number) =>
    exposing((exporter) => {
      const requests = exporter.counter("dynamo_frontend_requests_total", "Made by hand.", LABELS);
      return () => {
        requests(100 - count, { error_type: "", status: "success" });
        requests(count, end);
      };
    });

  it("that their clients cancel are aborted, not failed, although their status is an error", async () => {
    const cancelled = { error_type: "cancelled", status: "error" };
    expect(await finding("errors", ending(cancelled, 3))).toBeUndefined();
    expect((await finding("errors", ending(cancelled, 8)))?.text).toContain("aborted requests");
    const scraped = exposing((exporter) => {
      const finished = exporter.counter("dynamo_frontend_requests_total", "Made by hand.");
      const count = exporter.counter("dynamo_frontend_model_cancellation_total", "Made by hand.");
      return () => {
        finished(100);
        count(8);
      };
    });
    expect((await finding("errors", scraped))?.text).toContain("aborted requests");
  });

  it.each(["validation", "not_found"])("that are wrong (%s) are no failures of the server", async (error_type) => {
    expect(await finding("errors", ending({ error_type, status: "error" }, 8))).toBeUndefined();
  });

  it.each(["internal", "overload", "unavailable", "response_timeout", "not_implemented"])(
    "that the server fails (%s) are failed",
    async (error_type) => {
      const found = await finding("errors", ending({ error_type, status: "error" }, 3));
      expect(found?.text).toContain("failed requests");
    },
  );
});
