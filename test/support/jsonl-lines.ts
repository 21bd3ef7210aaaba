import { jsonlPieces } from "../../src/core/artifacts/index.js";
import type { Run } from "../../src/core/store/index.js";

/** The lines of a run as JSONL, without their ends. */
export function jsonlLines(run: Run): string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for (const piece of jsonlPieces(run)) text += typeof piece === "string" ? piece : decoder.decode(piece);
  return text.split("\n").slice(0, -1);
}
