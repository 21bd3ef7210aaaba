import type { UserError } from "../../core/text/errors.js";
import type { ExportContext } from "../../files/export/artifact-writer.js";
import { PartialExport } from "../../files/index.js";
import type { ExportedFile } from "../../protocol/index.js";
import { withFolder } from "../input/bytes.js";
import { print, startProgress } from "./terminal.js";
import { notDone } from "../exit.js";

/** Prints the paths of written files, one a line. */
export function printFiles(files: readonly ExportedFile[]): void {
  for (const file of files) print(file.path);
}

/**
 * Has files written into a folder, with progress on a terminal.
 * @returns them, and what it failed with when some formats could not be written
 * @throws what `write` throws when none could
 */
export async function writeFiles(
  directory: string,
  signal: AbortSignal,
  write: (context: ExportContext) => Promise<readonly ExportedFile[]>,
): Promise<{ readonly files: readonly ExportedFile[]; readonly failure?: UserError }> {
  const progress = startProgress();
  const onProgress = (message: string, fraction = 0) => progress.update(fraction, message);
  try {
    return { files: await withFolder(directory, () => write({ signal, onProgress })) };
  } catch (error) {
    if (!(error instanceof PartialExport) || error.files.length === 0) throw error;
    return { files: error.files, failure: notDone(error.message, error.remedy) };
  } finally {
    progress.done();
  }
}
