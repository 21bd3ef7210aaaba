import type { ServerId } from "../catalog/index.js";

/** What an engine calls the options that findings speak of. */
interface EngineOptions {
  /** Memory of the KV cache. */
  readonly kvMemory: string;
  readonly kvType: string;
  /** Most requests in the batch. */
  readonly batch: string;
  /** Most tokens computed in one step. */
  readonly stepTokens: string;
  readonly prefixCaching: string;
}

/** As the engines' own documentation spells them. */
const OPTIONS: Partial<Readonly<Record<ServerId, EngineOptions>>> = {
  vllm: {
    kvMemory: "--gpu-memory-utilization",
    kvType: "--kv-cache-dtype fp8",
    batch: "--max-num-seqs",
    stepTokens: "--max-num-batched-tokens",
    prefixCaching: "--enable-prefix-caching",
  },
  sglang: {
    kvMemory: "--mem-fraction-static",
    kvType: "--kv-cache-dtype fp8_e5m2",
    batch: "--max-running-requests",
    stepTokens: "--chunked-prefill-size",
    prefixCaching: "no --disable-radix-cache",
  },
  trtllm: {
    kvMemory: "kv_cache_config.free_gpu_memory_fraction",
    kvType: "kv_cache_config.dtype: fp8",
    batch: "max_batch_size",
    stepTokens: "max_num_tokens with enable_chunked_prefill",
    prefixCaching: "kv_cache_config.enable_block_reuse",
  },
  tgi: {
    kvMemory: "--cuda-memory-fraction",
    kvType: "--kv-cache-dtype fp8_e5m2",
    batch: "--max-batch-total-tokens",
    stepTokens: "--max-batch-prefill-tokens",
    prefixCaching: "PREFIX_CACHING",
  },
  llamacpp: {
    kvMemory: "--ctx-size",
    kvType: "--cache-type-k q8_0",
    batch: "--parallel",
    stepTokens: "--ubatch-size",
    prefixCaching: "--cache-prompt",
  },
};

/** Whether a server is an engine whose options are known: of what stands before one, none helps. */
export function isEngine(server: ServerId): boolean {
  return OPTIONS[server] !== undefined;
}

/** " (--max-num-seqs)": the engine's name of an option, to follow a word that says it; "" where it is not known. */
export function optionOf(server: ServerId | undefined, option: keyof EngineOptions): string {
  const name = server === undefined ? undefined : OPTIONS[server]?.[option];
  return name === undefined ? "" : ` (${name})`;
}

/** Of flags, `--max-num-seqs`, and of keys that have no dashes, `kv_cache_config.dtype`. */
const NAMED = /--([a-z][a-z\d-]+)|\b([a-z\d]+(?:_[a-z\d]+)+)\b/g;
/** A flag anywhere in a line, or a key at its beginning. */
const WRITTEN = /--([a-z][\w-]+)(?=[\s=:"',\]\\]|$)|^\s*(?:-\s+)?["']?([a-z][\w-]+)["']?\s*[:=]/g;
/** What starts an engine, or configures one. */
const STARTS = /\bvllm\s+serve\b|\bvllm\.entrypoints\b|\bsglang\b|\btrtllm-serve\b|\bdynamo\b|\bkv_cache_config\b/i;

/** Options of engines that a text names, such as a finding's advice: "max-num-seqs". */
export function optionsIn(advice: string): ReadonlySet<string> {
  return new Set([...advice.matchAll(NAMED)].map(([, flag = "", key = ""]) => withDashes(flag + key)));
}

/** The options that a script or a configuration of an engine sets, with their lines from 0; none in other files. */
export function optionLines(text: string): readonly { readonly line: number; readonly option: string }[] {
  if (!STARTS.test(text)) return [];
  return text
    .split("\n")
    .flatMap((content, line) =>
      /^\s*(?:#|\/\/)/.test(content)
        ? []
        : [...content.matchAll(WRITTEN)].map(([, flag = "", key = ""]) => ({ line, option: withDashes(flag + key) })),
    );
}

const withDashes = (name: string) => name.replaceAll("_", "-");
