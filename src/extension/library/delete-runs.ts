import { readdir } from "node:fs/promises";
import path from "node:path";
import { Uri, workspace } from "vscode";
import { plural } from "../../core/text/plural.js";
import { liesBelow } from "../../files/opener.js";
import { confirm } from "../workbench-text.js";

const MOST_NAMED = 10;
const DELETE = "Move to Trash";

/**
 * Asks, and moves the files of runs to the trash; folders that hold nothing else then go, too.
 * @param runs files of each
 * @returns whether they were deleted
 */
export async function deleteRuns(folder: string, runs: readonly (readonly string[])[]): Promise<boolean> {
  const files = runs.flat();
  const named = files.slice(0, MOST_NAMED).map((file) => path.relative(folder, file));
  const left = files.length - named.length;
  const question = `Delete ${plural(runs.length, "run")}?`;
  const answer = await confirm(question, [...named, ...(left > 0 ? [`and ${plural(left, "more file")}`] : [])], DELETE);
  if (answer !== DELETE) return false;
  for (const file of files) await workspace.fs.delete(Uri.file(file), { useTrash: true });
  for (const directory of new Set(files.map((file) => path.dirname(file)))) {
    const names = liesBelow(folder, directory) ? await readdir(directory).catch(() => [""]) : [""];
    if (names.length === 0) await workspace.fs.delete(Uri.file(directory), { useTrash: true });
  }
  return true;
}
