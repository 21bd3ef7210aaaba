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
