import { formatLabels, type SampleBatch } from "../../src/core/model/index.js";

/** A batch in words, one line a sample in its order: `counter vllm:prompt_tokens{engine="0"} value 12`. */
export function sampleLines({ defs, ids, values, length }: SampleBatch): string[] {
  return Array.from({ length }, (_, i) => {
    const def = defs[ids[i] ?? -1];
    if (def === undefined) throw new Error(`sample ${i} has the id ${ids[i]}, which has no definition`);
    const { family, labels, part } = def;
    const value = Object.is(values[i], -0) ? "-0" : String(values[i]);
    return `${family.type} ${family.name}${formatLabels(labels)} ${part.kind === "bucket" ? `le ${part.bound}` : part.kind} ${value}`;
  });
}
