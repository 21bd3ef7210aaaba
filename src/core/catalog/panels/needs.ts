import type { ServerId } from "../definition.js";

const DYNAMO_FLAG = "--publish-metrics (in older versions --publish-events-and-metrics)";

const TRTLLM =
  "Use a recent TensorRT-LLM, and set return_perf_metrics: true and enable_iter_perf_stats: true in the YAML file that " +
  `--config names. Under Dynamo, start the worker with ${DYNAMO_FLAG}.`;
const WORKER = `Of a TensorRT-LLM worker: start it with ${DYNAMO_FLAG}; of one with SGLang: with --enable-metrics.`;
const DCGM = "Add the fields to the counters file of dcgm-exporter (-f).";

/** How to make a server expose what a panel shows, by the panel's id, where that takes a flag. */
export const PANEL_NEEDS: { readonly [S in ServerId]?: Readonly<Record<string, string>> } = {
  vllm: {
    "cache-sources": "Start vLLM with a KV connector (--kv-transfer-config) for caches beyond the GPU.",
    "kv-blocks": "Start vLLM with --kv-cache-metrics.",
    "kv-offload": "Start vLLM with a KV offloading connector (--kv-transfer-config).",
    speculation: "Start vLLM with --speculative-config.",
    disaggregation: "Start vLLM with the NIXL connector (--kv-transfer-config).",
  },
  sglang: {
    pools: "Only models with sliding window or Mamba layers have them.",
    speculation: "Start SGLang with --speculative-algorithm.",
    disaggregation: "Start SGLang with --disaggregation-mode.",
    hicache: "Start SGLang with --enable-hierarchical-cache.",
  },
  trtllm: {
    tokens: TRTLLM,
    load: TRTLLM,
    kv: TRTLLM,
    prefix: TRTLLM,
    phases: TRTLLM,
    batch: TRTLLM,
    speculation: "Set speculative_config in the YAML file that --config names.",
    disaggregation: "Exposed through Dynamo, with disaggregated prefill and decode (--publish-metrics).",
  },
  "dynamo-component": { kv: WORKER, prefix: WORKER },
  triton: { cache: "Start Triton with --cache-config." },
  dcgm: { throttling: DCGM, transfer: DCGM },
  node: { pressure: "The kernel must account for pressure (PSI, psi=1)." },
};
