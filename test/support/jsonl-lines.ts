import { jsonlPieces, type JsonlWriter } from "../../src/core/artifacts/index.js";
import type { Phase, Scrape } from "../../src/core/model/index.js";
import type { Run } from "../../src/core/store/index.js";

/** The lines of a run as JSONL, without their ends. */
export function jsonlLines(run: Run): string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for (const piece of jsonlPieces(run)) text += typeof piece === "string" ? piece : decoder.decode(piece);
  return text.split("\n").slice(0, -1);
}

/** The line of one scrape, without its end. */
export function writtenLine(writer: JsonlWriter, scrape: Scrape, phase: Phase): string {
  const [head, metrics, tail] = writer.scrapePieces(scrape, phase);
  return head + new TextDecoder().decode(metrics) + tail;
}
