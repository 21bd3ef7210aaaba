import { serverProvenance } from "../../model/index.js";
import { fieldsOf, type Fields } from "../../text/index.js";
import type { Observed } from "../observed.js";
import { endpointRule } from "../rule.js";
import { scrapesOf } from "./scrapes.js";

/** A setting that a server is asked for by a flag, and that it reports under one of the names. */
interface Asked {
  /** As it was written, with its value: `--max-num-seqs 64`. */
  readonly flag: string;
  readonly value: string;
  readonly names: readonly string[];
}

/** Flags by the names under which engines report their values: leaves of a report, labels of an info family. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  "max-num-seqs": ["max_num_seqs"],
  "max-running-requests": ["max_running_requests"],
  "max-batch-size": ["max_batch_size"],
  "max-num-batched-tokens": ["max_num_batched_tokens"],
  "max-model-len": ["max_model_len"],
  "context-length": ["context_length"],
  "num-gpu-blocks-override": ["num_gpu_blocks"],
  "block-size": ["block_size"],
  "page-size": ["page_size"],
  dtype: ["dtype"],
  "kv-cache-dtype": ["cache_dtype", "kv_cache_dtype"],
  quantization: ["quantization"],
  "gpu-memory-utilization": ["gpu_memory_utilization"],
  "mem-fraction-static": ["mem_fraction_static"],
  "tensor-parallel-size": ["tensor_parallel_size", "tp_size"],
  "tp-size": ["tensor_parallel_size", "tp_size"],
  "pipeline-parallel-size": ["pipeline_parallel_size", "pp_size"],
  "data-parallel-size": ["data_parallel_size", "dp_size"],
  "enable-prefix-caching": ["enable_prefix_caching"],
  "enable-chunked-prefill": ["enable_chunked_prefill", "chunked_prefill_enabled"],
  "chunked-prefill-size": ["chunked_prefill_size"],
  "disable-radix-cache": ["disable_radix_cache"],
  "num-speculative-tokens": ["num_speculative_tokens"],
  "speculative-algorithm": ["speculative_algorithm"],
  "speculative-num-draft-tokens": ["speculative_num_draft_tokens"],
  "speculative-num-steps": ["speculative_num_steps"],
};

/** Flags that are on or off by themselves. */
const SWITCHES: ReadonlySet<string> = new Set([
  "enable-prefix-caching",
  "enable-chunked-prefill",
  "disable-radix-cache",
]);

/** Other ways to write them. */
const SHORT: Readonly<Record<string, string>> = {
  tp: "tensor-parallel-size",
  pp: "pipeline-parallel-size",
  q: "quantization",
};

/** The server was started with a flag, and reports another value. */
export const ignoredFlag = endpointRule({
  title: "A flag did not take effect",
  advice:
    "Look at the server's log for what it says of the flag: engines lower or ignore what the model, the memory or another flag does not allow. Until then the run is not of the configuration that was asked for.",
  uses: isReport,
  look: (run, endpointUrl) => {
    const flags = judged(run, endpointUrl);
    return flags.length === 0 ? undefined : { ignored: flags.filter(({ holds }) => !holds) };
  },
  judge: ({ ignored }, { run, endpointUrl }) => {
    if (ignored.length === 0) return undefined;
    const texts = ignored.map(({ flag, found }) => `${flag} was asked for, the server reports ${found}`);
    return {
      weight: 0.75,
      confidence: "high",
      text: `${texts.join("; ")}.`,
      evidence: [
        run.evidence(scrapesOf(endpointUrl), "flags that the server reports other values of", ignored.length, {
          threshold: 1,
        }),
      ],
    };
  },
});

/** Whether a family's labels tell an engine's configuration, by its canonical name. */
function isReport(family: string): boolean {
  return /^(?:vllm|sglang|trtllm):.*_info$/.test(family);
}

/** What was asked for and is reported, with what is. */
function judged(run: Observed, endpointUrl: string) {
  const { command, settings } = serverProvenance(run.run.inputConfig, endpointUrl) ?? {};
  if (command === undefined) return [];
  const reported = new Map<string, Set<string>>();
  const add = (name: string, value: string) => {
    if (!isUnsaid(value)) reported.set(name, (reported.get(name) ?? new Set()).add(value));
  };
  for (const [path, value] of settings ?? []) add(path.slice(path.lastIndexOf(".") + 1), value);
  for (const family of run.find(isReport, endpointUrl))
    for (const series of family.series) for (const [name, value] of series.labels) add(name, value);
  return askedFlags(command).flatMap((asked) => {
    const found = asked.names.flatMap((name) => [...(reported.get(name) ?? [])]);
    if (found.length === 0) return [];
    return [{ ...asked, found: found.join(" and "), holds: found.some((value) => isSame(asked.value, value)) }];
  });
}

/** The flags of a command line whose values servers report; of one that is given twice the last counts. */
export function askedFlags(command: string): readonly Asked[] {
  const asked = new Map<string, Asked>();
  const args = argumentsOf(command);
  const take = (flag: string, name: string, value: string | undefined, isSwitched = false) => {
    const names = FLAGS[name];
    if (names === undefined || value === undefined || isUnsaid(value)) return;
    asked.set(name, { flag: isSwitched ? flag : `${flag} ${value}`, value, names });
  };
  args.forEach((arg, i) => {
    const [, flag = "", written = "", given] = /^(--?([A-Za-z][\w-]*))(?:=(.*))?$/s.exec(arg) ?? [];
    const plain = written.replaceAll("_", "-");
    const name = SHORT[plain] ?? plain;
    const next = args[i + 1];
    const value = given ?? (next === undefined || /^--?[A-Za-z]/.test(next) ? undefined : next);
    const isSwitch = (one: string) => SWITCHES.has(one) && !/^(?:true|false)$/i.test(value ?? "");
    if (name.startsWith("no-") && SWITCHES.has(name.slice(3))) take(flag, name.slice(3), "false", true);
    else if (isSwitch(name)) take(flag, name, "true", true);
    else if (name === "speculative-config")
      for (const [key, item] of Object.entries(jsonOf(value ?? "")))
        take(`${flag} ${key}`, key.replaceAll("_", "-"), String(item));
    else take(flag, name, value);
  });
  return [...asked.values()];
}

/** Arguments as a shell splits a recorded command line. */
function argumentsOf(command: string): readonly string[] {
  return (command.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? []).map((arg) =>
    arg.replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? ""),
  );
}

function jsonOf(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The engine is to choose, or says nothing. */
function isUnsaid(value: string): boolean {
  return /^(?:auto|none|null|undefined|-1|)$/i.test(value);
}

function isSame(asked: string, reported: string): boolean {
  const [a, b] = [plainValue(asked), plainValue(reported)];
  return a === b || (typeof a === "number" && typeof b === "number" && Math.abs(a - b) <= 1e-6 * Math.abs(a));
}

const TYPES: Readonly<Record<string, string>> = {
  half: "float16",
  fp16: "float16",
  bf16: "bfloat16",
  float: "float32",
  fp32: "float32",
  fp8: "fp8_e4m3",
};

/** `32k` is 32,000 and `32K` 32,768, as vLLM reads them. */
function plainValue(text: string): string | number {
  const [, digits, scale = ""] = /^([\d.]+)([kKmM]?)$/.exec(text.replaceAll(",", "")) ?? [];
  if (digits !== undefined) return Number(digits) * ({ k: 1000, K: 1024, m: 1e6, M: 1024 ** 2 }[scale] ?? 1);
  const plain = text.toLowerCase().replace(/^torch\./, "");
  if (/^(?:1|yes|on)$/.test(plain)) return "true";
  return TYPES[plain] ?? plain;
}
