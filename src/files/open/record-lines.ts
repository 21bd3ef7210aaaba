import { basename } from "node:path";
import { type Problem, warningOf } from "../../core/model/index.js";
import { linesOf, type ReadOptions } from "../bytes.js";
import { noun } from "../../core/text/plural.js";

/**
 * Reads a file of one record a line, packed or not. Lines that cannot be read are left out.
 * @param take gets each line with its number; throws for one that is no record
 * @returns how many lines were left out, and why the first was; undefined when all were read
 * @throws UserError; the signal's reason
 */
export async function readRecordLines(
  path: string,
  take: (text: string, line: number) => void,
  options: ReadOptions,
): Promise<Problem | undefined> {
  let line = 0;
  let skipped = 0;
  let first = "";
  for await (const text of linesOf(path, options)) {
    line++;
    if (text?.trim() === "") continue;
    try {
      if (text === undefined) throw new Error("it is longer than any record");
      take(text, line);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (skipped++ === 0) first = `line ${line}: ${error.message}`;
    }
  }
  if (skipped === 0) return undefined;
  return warningOf(`${skipped} ${noun(skipped, "line")} of ${basename(path)} could not be read, the first ${first}.`);
}
