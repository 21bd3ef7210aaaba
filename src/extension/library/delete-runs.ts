import { t } from "@vscode/l10n";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { Uri, workspace } from "vscode";
import { plural } from "../../core/text/plural.js";
import { parseArtifactName, SUMMARY_HEAD, summaryName } from "../../core/artifacts/names.js";
import { headOf } from "../../files/bytes.js";
import { liesBelow } from "../../files/opener.js";
import { isThere } from "../../files/taken.js";
import { confirm } from "../workbench-text.js";

const MOST_NAMED = 10;
const TO_TRASH = t("Move to Trash");
const FOR_GOOD = t("Delete Permanently");

/**
 * Asks, and moves the files of runs to the trash; where there is none, as over Remote-SSH, asks once more and deletes
 * them. Folders that hold nothing else then go, too.
 * @param runs files of each
 * @returns whether they were deleted
 */
export async function deleteRuns(folder: string, runs: readonly (readonly string[])[]): Promise<boolean> {
  const artifacts = runs.flat();
  const files = [...artifacts, ...(await summariesOf(artifacts))];
  const named = files.slice(0, MOST_NAMED).map((file) => path.relative(folder, file));
  const left = files.length - named.length;
  const lines = [...named, ...(left > 0 ? [t`and ${plural(left, t("more file"), t("more files"))}`] : [])];
  const runsText = plural(runs.length, t("run"), t("runs"));
  if ((await confirm(t`Delete ${runsText}?`, lines, TO_TRASH)) !== TO_TRASH) return false;
  let useTrash = true;
  const remove = (target: string) => workspace.fs.delete(Uri.file(target), { useTrash });
  const [first, ...others] = files;
  if (first === undefined) return true;
  try {
    await remove(first);
  } catch (error) {
    if (!(await isThere(first))) throw error;
    if ((await confirm(t`There is no trash here. Delete ${runsText} for good?`, lines, FOR_GOOD)) !== FOR_GOOD)
      return false;
    useTrash = false;
    await remove(first);
  }
  for (const file of others) await remove(file);
  for (const directory of new Set(files.map((file) => path.dirname(file)))) {
    const names = liesBelow(folder, directory) ? await readdir(directory).catch(() => [""]) : [""];
    if (names.length === 0) await remove(directory);
  }
  return true;
}

/** The summaries beside these artifacts. A file of that name that a person wrote is none. */
async function summariesOf(artifacts: readonly string[]): Promise<readonly string[]> {
  const paths = artifacts.map((file) =>
    path.join(path.dirname(file), summaryName(parseArtifactName(path.basename(file))?.prefix)),
  );
  const heads = [...new Set(paths)].map(async (file) => {
    const head = await headOf(file, SUMMARY_HEAD.length, {}).catch(() => undefined);
    return new TextDecoder().decode(head) === SUMMARY_HEAD ? [file] : [];
  });
  return (await Promise.all(heads)).flat();
}
