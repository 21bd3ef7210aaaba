import type { UserError } from "../../core/text/user-error.js";
import { PartialExport } from "../../files/index.js";
import type { ExportedFile } from "../../protocol/index.js";
import { print } from "./terminal.js";
import { notDone } from "../exit.js";

/** Prints the paths of written files, one a line. */
export function printFiles(files: readonly ExportedFile[]): void {
  for (const file of files) print(file.path);
}

/**
 * The files that an export wrote, and what it failed with when some formats could not be written.
 * @throws what the export throws when none could
 */
export async function partialExport(
  exporting: Promise<readonly ExportedFile[]>,
): Promise<{ readonly files: readonly ExportedFile[]; readonly failure?: UserError }> {
  try {
    return { files: await exporting };
  } catch (error) {
    if (!(error instanceof PartialExport) || error.files.length === 0) throw error;
    return { files: error.files, failure: notDone(error.message, error.remedy) };
  }
}
