import { basename, dirname } from "node:path";
import { parseArtifactName, unpackedName } from "../../core/artifacts/index.js";
import type { SweepLoad } from "../../core/sweep/index.js";

/** Parts of a path that tell repeats apart or hold what is computed from other runs, and no configuration. */
const NO_CONFIGURATION = /^(?:profile_runs|run[_=]\d+|trial_\d+|search_iter_\d+|aggregate|sweep_aggregate)$/i;
/** A folder of `vllm bench sweep`: what was varied of the server, of the benchmark, and its load. */
const VLLM_PART = /(?:^|-)(?:SERVE|BENCH|WL)--/;
/** Its loads, which the results tell. */
const VLLM_LOAD = /(?:^|-)(?:max[_-]concurrency|request[_-]rate)=[^-]*/g;
const LOAD = /(?:^|[_-])(concurrency|conc|c|request[_-]?rate|rate|qps|rps|streams)[_=-]?(\d+(?:\.\d+)?)(?=$|[_-])/i;
/** Names that every run's file has, and of inference-perf's stages, each of which is a load. */
const OF_ANY_RUN =
  /^(?:profile_export(?:_aiperf(?:_sweep|_aggregate)?)?|benchmarks|result|(?:benchmark_report(?:_v0\.2)?,_)?(?:stage_\d+|summary)(?:_lifecycle_metrics)?)$/i;

/** What a run's place says of it: its load, and what else tells it from others. */
export interface RunPlace {
  readonly configuration: string;
  readonly load?: SweepLoad;
}

/**
 * By the folders that a run lies in, and by the name of its file.
 * @param id path below the folder of all, with "/"
 */
export function placeOf(id: string, file: string): RunPlace {
  const parts = [...dirname(id).split("/"), ownName(basename(file))].filter(
    (part) => part !== "" && part !== "." && !NO_CONFIGURATION.test(part),
  );
  let load: SweepLoad | undefined;
  const rest = parts.flatMap((part) => {
    if (VLLM_PART.test(part)) return vllmSettings(part);
    const match = LOAD.exec(part);
    if (match === null) return [part];
    const [whole, word = "", value] = match;
    load = { kind: /^(?:c|conc|streams)/i.test(word) ? "concurrency" : "request rate", value: Number(value) };
    const left = part.replace(whole, "").replace(/^[_-]+|[_-]+$/g, "");
    return left === "" ? [] : [left];
  });
  return { configuration: rest.join("/"), ...(load === undefined ? {} : { load }) };
}

/** What a file's name says beside its kind. */
function ownName(file: string): string {
  const artifact = parseArtifactName(file);
  if (artifact !== undefined) return artifact.prefix ?? "";
  const name = unpackedName(file).replace(/(?:\.jsonl?|\.ya?ml)+$/i, "");
  return OF_ANY_RUN.test(name) ? "" : name.replace(/_aiperf$/i, "");
}

/** A setting in such a name; its value may have a hyphen. */
const VLLM_SETTING = /(?<=^|-)([A-Za-z_][\w.]*)=(.*?)(?=-[A-Za-z_][\w.]*=|-(?:SERVE|BENCH|WL)-|$)/g;

/** What `vllm bench sweep` varied besides the load, by the path of its folder; of other folders nothing. */
export function sweptSettings(folder: string): Readonly<Record<string, string>> {
  const part = folder.split("/").findLast((one) => VLLM_PART.test(one)) ?? "";
  const found = part.replace(VLLM_LOAD, "").matchAll(VLLM_SETTING);
  return Object.fromEntries([...found].map(([, name = "", value = ""]) => [name, value]));
}

/** "max_num_seqs=32-dtype=auto, random_input_len=200" of a folder's name, which vLLM joins by "-". */
function vllmSettings(name: string): readonly string[] {
  const parts = name.split(VLLM_PART).map((part) => part.replace(VLLM_LOAD, "").replace(/^-/, ""));
  const settings = parts.filter((part) => part !== "").join(", ");
  return settings === "" ? [] : [settings];
}
