/** As inference-perf 0.7 writes it, of a run against vLLM; of a stage with what was asked for. */
export const lifecycle = (load: object) => ({
  benchmark_time_seconds: 15.264,
  load_summary: { count: 60, ...load },
  successes: {
    count: 60,
    latency: {
      request_latency: { mean: 0.3107, min: 0.2298, max: 0.5145, "p0.1": 0.23, median: 0.2969, p90: 0.3879 },
      time_per_output_token: { mean: 0.00695, median: 0.00663 },
      time_to_first_token: { mean: 0.0486, median: 0.0444, p99: 0.0845 },
    },
    throughput: { output_tokens_per_sec: 156.77, requests_per_sec: 3.93 },
    prompt_tokens: { mean: 100 },
    output_len: { mean: 39.9 },
    output_tokens: { mean: 30 },
  },
  failures: { count: 0 },
});

/** A Benchmark Report of llm-d: of version 0.2 as `0.2.1`. */
export const report = (version: string) => `version: '${version}'
run:
  uid: 38b1f169ca178b756f7483523b17de61
  time:
    start: 2025-11-05T18:00:42Z
    end: 2025-11-05T18:17:03Z
    duration: PT981S
scenario:
  stack:
    - metadata: { label: epp-0 }
      standardized: { kind: generic, tool: llm-d-inference-scheduler }
    - metadata: { label: vllm-svc-0 }
      standardized: { kind: inference_engine, tool: llm-d, model: { name: Qwen/Qwen3-0.6B } }
  load:
    standardized: { tool: inference-perf, stage: 3, rate_qps: 10, concurrency: .inf }
results:
  request_performance:
    aggregate:
      requests:
        total: 500
        input_length: { units: count, mean: 2262.4, p0p1: 2224, p50: 2262 }
      throughput:
        request_rate: { units: queries/s, mean: 9.8 }
        output_token_rate: { units: tokens/s, mean: 1200 }
      latency:
        time_to_first_token: { units: ms, mean: 36.5, stddev: 4, p50: 36.2, p99: 50.3, p99p9: 57 }
        time_per_output_token: { units: s/token, mean: 0.0102 }
        request_latency: { units: s, mean: 1.2 }
`;
