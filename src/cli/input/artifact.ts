import { realpath } from "node:fs/promises";
import { UserError } from "../../core/text/errors.js";
import { isPhaseName, noteOf } from "../../core/model/index.js";
import { CSV_NUMBERS } from "../../files/open/notices.js";
import { openArtifact, selectPhase, type OpenedArtifact } from "../../files/open/index.js";
import { isThere } from "../../files/folders.js";
import { clientOptions, type ClientFlags } from "../options/shared.js";
import { note, noteProblem, withProgress } from "../print/terminal.js";

/** A file, and perhaps one phase of it: `FILE#PHASE`. A file whose own name has a "#" stands for itself. */
export async function splitPhase(argument: string): Promise<{ readonly path: string; readonly phase?: string }> {
  const hash = argument.lastIndexOf("#");
  const [path, phase] = [argument.slice(0, hash), argument.slice(hash + 1)];
  if (hash <= 0 || !isPhaseName(phase)) return { path: argument };
  return (await isThere(argument)) ? { path: argument } : { path, phase };
}

/** The same file, one phase of it; one that is named already stays. */
export async function withPhase(argument: string, phase: string | undefined): Promise<string> {
  return phase === undefined || (await splitPhase(argument)).phase !== undefined ? argument : `${argument}#${phase}`;
}

/**
 * Opens an artifact of any format, or one phase of it as `FILE#PHASE`; what is wrong with parts of it goes to standard
 * error.
 * @throws UserError naming the file
 */
export async function openFile(argument: string, flags: ClientFlags = {}): Promise<OpenedArtifact> {
  const { path, phase } = await splitPhase(argument);
  const opened = await withProgress(`reading ${path}`, (onProgress) =>
    openArtifact(path, { ...clientOptions(flags), onProgress }),
  );
  for (const { severity, reason, remedy } of opened.notices) {
    if (severity !== "info")
      note(`warning: ${reason.includes(path) ? "" : `${path}: `}${reason}${remedy === undefined ? "" : ` ${remedy}`}`);
  }
  noteOtherNumbers(opened);
  return phase === undefined ? opened : selectPhase(opened, phase);
}

/** What a format lacks is known, but a CSV without other files of its run has other numbers than these had. */
export function noteOtherNumbers({ format, siblings }: OpenedArtifact): void {
  if (format === "csv" && siblings.length === 0) noteProblem(noteOf(CSV_NUMBERS));
}

/** @throws UserError when two of the paths are one file */
export async function requireDifferentFiles(paths: readonly string[]): Promise<void> {
  const seen = new Map<string, string>();
  for (const path of paths) {
    // A file that is not there is reported by whoever opens it.
    const { path: file, phase = "" } = await splitPhase(path);
    const real = `${await realpath(file).catch(() => file)}#${phase.toLowerCase()}`;
    const other = seen.get(real);
    if (other !== undefined)
      throw new UserError(
        `${other === path ? path : `${other} and ${path}`} is given twice: a run cannot be compared with itself.`,
      );
    seen.set(real, path);
  }
}
