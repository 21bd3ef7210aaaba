import type { ServerDefinition } from "../definition.js";

/** A worker of Dynamo, at its system port. The engine's own families stand beside these. */
export const dynamoComponent: ServerDefinition = {
  id: "dynamo-component",
  name: "Dynamo component",
  prefixes: ["dynamo_component_"],
  keyMetrics: [
    {
      id: "dynamo-component.kv-usage",
      title: "KV cache usage",
      family: "dynamo_component_kvstats_gpu_cache_usage_percent",
      type: "gauge",
      statistic: "max",
      direction: "neutral",
      // From 0 to 1 in spite of its name.
      unit: "ratio",
      watch: [{ kind: "above", threshold: 0.9, level: "warning", reason: "above 90 %: at the limit of the KV cache" }],
    },
    {
      id: "dynamo-component.inflight",
      title: "In-flight requests",
      family: "dynamo_component_inflight_requests",
      type: "gauge",
      statistic: "avg",
      direction: "neutral",
    },
    {
      id: "dynamo-component.duration",
      title: "Request duration p99",
      family: "dynamo_component_request_duration_seconds",
      type: "histogram",
      statistic: "p99_estimate",
      direction: "down",
    },
    {
      id: "dynamo-component.requests",
      title: "Requests",
      family: "dynamo_component_requests",
      type: "counter",
      statistic: "rate",
      direction: "up",
    },
    {
      id: "dynamo-component.errors",
      title: "Errors",
      family: "dynamo_component_errors",
      type: "counter",
      statistic: "total",
      direction: "down",
    },
  ],
  types: {
    dynamo_component_request_bytes: "counter",
    dynamo_component_response_bytes: "counter",
    dynamo_component_kvstats_active_blocks: "gauge",
    dynamo_component_kvstats_total_blocks: "gauge",
    dynamo_component_kvstats_gpu_prefix_cache_hit_rate: "gauge",
  },
  renamed: {},
  groups: [
    { group: "KV cache", pattern: /kvstats_/ },
    { group: "Throughput", pattern: /request_bytes|response_bytes/ },
  ],
  hints: [
    {
      missing: [/^trtllm[:_]/, /^vllm[:_]/, /^sglang[:_]/],
      problem: {
        severity: "info",
        reason: "A Dynamo worker answers here, but without the metrics of its engine.",
        remedy:
          "For TensorRT-LLM start the worker with --publish-events-and-metrics and the PyTorch backend; for SGLang with --enable-metrics.",
      },
    },
  ],
  enable:
    "Enable the system port of the Dynamo worker (DYN_SYSTEM_PORT=8081); its metrics are then at /metrics of that port.",
  staticFamilies: [{ kind: "value", family: "dynamo_component_kvstats_total_blocks", fact: "KV cache blocks" }],
  modelLabels: ["model"],
};
