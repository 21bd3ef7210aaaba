import { join } from "node:path";
import { UserError } from "../../core/text/user-error.js";
import { artifactName, COMPRESSIONS } from "../../core/artifacts/index.js";
import { isoTextOfMs } from "../../core/model/index.js";
import { hiddenJournalName, journalPrefix, listJournals } from "../../files/index.js";
import { isThere } from "../../files/taken.js";
import { EXPORT_FORMATS } from "../../protocol/index.js";
import { note } from "../print/terminal.js";

/**
 * Looks at the folder that a capture is to write to, before it begins: the artifacts of another run are not replaced, a
 * journal that was left there is mentioned.
 * @throws UserError when artifacts of these names are there, or are being captured, unless `force`
 */
export async function checkOutFolder(out: string, prefix: string | undefined, force: boolean): Promise<void> {
  const names = EXPORT_FORMATS.flatMap((format) =>
    [undefined, ...COMPRESSIONS].map((compression) => artifactName(format, prefix, compression)),
  );
  for (const name of names) {
    if (!force && (await isThere(join(out, name))))
      throw new UserError(
        `${join(out, name)} is there already: a second capture would leave a mix of two runs.`,
        "Choose another --out or --prefix, or give --force to replace it.",
      );
  }
  for (const { path, bytes, modifiedMs, ownerPid } of await listJournals(out)) {
    if (ownerPid === undefined) {
      note(
        `note: an earlier capture left its journal in this folder: ${path} (${bytes} bytes, last written ${isoTextOfMs(modifiedMs)}). server-metrics recover '${path}' --out DIR writes its artifacts.`,
      );
    } else if (!force && path.startsWith(join(out, journalPrefix(prefix)))) {
      throw new UserError(
        `process ${ownerPid} is capturing into ${out}: both would write the same files.`,
        "Choose another --out or --prefix, or give --force.",
      );
    }
  }
}

/** Where the journal of a capture lies: beside its artifacts, hidden. */
export function journalPath(out: string, prefix: string | undefined): string {
  return join(out, hiddenJournalName(prefix));
}
