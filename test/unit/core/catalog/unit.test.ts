import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { familyUnit } from "../../../../src/core/catalog/index.js";
import { describeConformance } from "../../../support/conformance.js";

describe("familyUnit", () => {
  it.each([
    ["x_percent", "Usage (0-1)", "ratio"],
    ["x_percent", "GPU cache usage as a percentage (0.0-1.0)", "ratio"],
    ["x", "from 0 to 1", "ratio"],
    ["vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", "ratio"],
    ["x", "Utilization (0-100)", "percent"],
    ["x", "Utilization, 0-100%", "percent"],
    ["x", "a share from 0 to 15", undefined],
    ["DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB).", "megabytes"],
    ["DCGM_FI_DEV_POWER_USAGE", "Power draw (in W).", "watt"],
    ["DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C).", "celsius"],
    ["DCGM_FI_DEV_SM_CLOCK", "SM clock frequency (in MHz).", "megahertz"],
    ["DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", "percent"],
    ["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "Total energy consumption since boot (in mJ).", "millijoule"],
    ["x", "energy (in MJ)", "megajoule"],
    ["x", "delay (in µs)", "microseconds"],
    ["x", "Time spent in seconds.", "seconds"],
    ["x", "Time spent (ms)", "milliseconds"],
    ["x_seconds", "Time in nanoseconds", "nanoseconds"],
    ["sglang:gen_throughput", "The generation throughput (token/s).", "tokens/s"],
    ["x", "rate in requests/sec", "requests/s"],
    ["x", "The transfer speed of the KV cache in GB/s.", "gb/s"],
    ["x", "Input sequence length in tokens", "tokens"],
    ["x", "prefix cache queries, in terms of number of queried tokens.", undefined],
    ["x_milliseconds", "", "milliseconds"],
    ["x_ms", "", "milliseconds"],
    ["x_ns", "", "nanoseconds"],
    ["vllm:request_success", "", "requests"],
    ["sglang:num_queue_reqs", "", "requests"],
    ["vllm:num_requests_waiting_by_reason", "", "requests"],
    ["x_error_count", "", "errors"],
    ["x_block_count", "", "blocks"],
    ["x_count", "", "count"],
    ["x_total", "", "count"],
    ["vllm:iteration_tokens_total", "", "tokens"],
    ["x_perc", "", "percent"],
    ["GPU_USED_BYTES", "", "bytes"],
    ["x", "in section 5", undefined],
    ["vllm:num_preemptions", "Cumulative number of preemption from the engine.", undefined],
  ])("%s (%s) → %s", (name, description, unit) => {
    expect(familyUnit({ name, description })).toBe(unit);
  });

  it("falls back on the declared unit, and only then", () => {
    expect(familyUnit({ name: "x", description: "", declaredUnit: "joules" })).toBe("joules");
    expect(familyUnit({ name: "x_seconds", description: "", declaredUnit: "joules" })).toBe("seconds");
    expect(familyUnit({ name: "x", description: "", declaredUnit: "" })).toBeUndefined();
  });
});

describeConformance("units of the reference's artifacts", (directory) => {
  for (const run of readdirSync(join(directory, "runs"))) {
    it(`agrees on every family of ${run}`, () => {
      const file = join(directory, "runs", run, "expected", "server_metrics_export.json.gz");
      const { metrics } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
        metrics: Record<string, { description: string; unit?: string }>;
      };
      const names = Object.keys(metrics);
      expect(names.length).toBeGreaterThan(0);
      const ours = Object.fromEntries(
        names.map((name) => [name, familyUnit({ name, description: metrics[name]?.description ?? "" }) ?? null]),
      );
      const theirs = Object.fromEntries(names.map((name) => [name, metrics[name]?.unit ?? null]));
      expect(ours).toEqual(theirs);
    });
  }
});
