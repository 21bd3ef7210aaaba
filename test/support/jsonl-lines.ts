import { jsonlText, type JsonlWriter } from "../../src/core/artifacts/index.js";
import type { Phase, Scrape } from "../../src/core/model/index.js";
import type { Run } from "../../src/core/store/index.js";

/** The lines of a run as JSONL, without their ends. */
export function jsonlLines(run: Run): string[] {
  return Array.from(jsonlText(run), (line) => line.slice(0, -1));
}

/** The line of one scrape, without its end. */
export function writtenLine(writer: JsonlWriter, scrape: Scrape, phase: Phase): string {
  return writer.scrape(scrape, phase);
}
