import { describe, expect, it } from "vitest";
import { optionLines, optionsIn } from "../../../../src/core/insights/engine-options.js";

describe("options of engines", () => {
  it("are found in advice as flags and keys", () => {
    const advice =
      "Give the cache more memory (--gpu-memory-utilization), quantise it (kv_cache_config.dtype: fp8), spread the load.";
    expect([...optionsIn(advice)]).toEqual(["gpu-memory-utilization", "kv-cache-config"]);
  });

  it.each([
    ["a script", "vllm serve m \\\n  --max-num-seqs 64 --dtype=auto", ["1 max-num-seqs", "1 dtype"]],
    ["one for SGLang", "python -m sglang.launch_server --mem-fraction-static 0.8", ["0 mem-fraction-static"]],
    [
      "one for TensorRT-LLM",
      "trtllm-serve m --kv_cache_free_gpu_memory_fraction 0.8",
      ["0 kv-cache-free-gpu-memory-fraction"],
    ],
    ["one for Dynamo", "python3 -m dynamo.vllm --model m --max-num-seqs 64", ["0 model", "0 max-num-seqs"]],
    [
      "arguments of a pod",
      "# sglang\nargs:\n  - --mem-fraction-static=0.8\n  - '--tp'",
      ["1 args", "2 mem-fraction-static", "3 tp"],
    ],
    [
      "a configuration",
      "kv_cache_config:\n  free_gpu_memory_fraction: 0.8\n",
      ["0 kv-cache-config", "1 free-gpu-memory-fraction"],
    ],
    ["a comment", "vllm serve m\n# --max-num-seqs 64", []],
    ["a file of something else", "run --max-num-seqs 64", []],
  ])("are found in the lines of %s", (_, text, expected) => {
    expect(optionLines(text).map(({ line, option }) => `${line} ${option}`)).toEqual(expected);
  });
});
