import type { LineLimit, ScrapeLimits } from "../model/index.js";
import type { LineKind, Tokenizer } from "./tokenizer.js";

/** For each series that is kept, so many lines are remembered: of metadata, and of families that are left out. */
export const LINES_PER_SERIES = 4;

/**
 * The limit that a line never read before exceeds; undefined when it may be kept.
 * @param tokenizer has scanned it as far as its value
 * @param length in bytes, of a sample up to its value
 * @param isFull no further line is kept
 */
export function exceededLimit(
  limits: ScrapeLimits,
  { text, labels, labelCount }: Tokenizer,
  kind: LineKind,
  length: number,
  isFull: boolean,
): LineLimit | undefined {
  if (kind === "help" && text.end - text.start > limits.helpBytes) return "helpBytes";
  if (length > limits.lineBytes) return "lineBytes";
  if (kind === "sample") {
    if (labelCount > limits.labels) return "labels";
    for (let i = 0; i < labelCount; i++) {
      const value = labels[i]?.value;
      if (value !== undefined && value.end - value.start > limits.labelValueBytes) return "labelValueBytes";
    }
  }
  return isFull ? "series" : undefined;
}
