import { realpath } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { artifactName, type ExportOptions } from "../../core/artifacts/index.js";
import { UserError } from "../../core/text/errors.js";

/**
 * Keeps the file that a run was read from from being written to.
 * @throws UserError "export-failed" where an export would replace it
 */
export async function refuseOwnFile(
  path: string,
  { directory, prefix, formats, compression }: ExportOptions,
): Promise<void> {
  const own = await placeOf(path);
  for (const format of formats) {
    const target = join(directory, artifactName(format, prefix, compression));
    if ((await placeOf(target)) !== own) continue;
    throw new UserError(
      `${target} is the file that was opened: it is never overwritten.`,
      `Choose another folder or prefix than that of ${basename(path)}.`,
      { code: "export-failed" },
    );
  }
}

/** Where a path leads to in the end: folders on the way may be links. */
function placeOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}
