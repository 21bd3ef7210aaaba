import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import type { OpenedArtifact } from "../files/open/index.js";
import { openArtifact } from "../files/open/index.js";
import { CommandError } from "./exit.js";
import { note, startProgress } from "./terminal.js";

/**
 * Opens an artifact of any format; what is wrong with parts of it goes to standard error. @throws FileError naming the
 * file
 */
export async function openFile(path: string): Promise<OpenedArtifact> {
  const progress = startProgress();
  const opened = await openArtifact(path, {
    onProgress: (fraction) => progress.update(fraction, `reading ${path}`),
  }).finally(() => progress.done());
  for (const { severity, reason, remedy } of opened.notices) {
    if (severity !== "info")
      note(`warning: ${reason.includes(path) ? "" : `${path}: `}${reason}${remedy === undefined ? "" : ` ${remedy}`}`);
  }
  return opened;
}

/** @throws CommandError when two of the paths are one file */
export async function requireDifferentFiles(paths: readonly string[]): Promise<void> {
  const seen = new Map<string, string>();
  for (const path of paths) {
    // A file that is not there is told by whoever opens it.
    const real = await realpath(path).catch(() => path);
    const other = seen.get(real);
    if (other !== undefined)
      throw new CommandError(
        `${other === path ? path : `${other} and ${path}`} is given twice: a run cannot be compared with itself.`,
      );
    seen.set(real, path);
  }
}

/** What tells the paths apart: the shortest ends of them that differ, not by their extension alone if that can be. */
export function shortNames(paths: readonly string[]): string[] {
  const parts = paths.map((path) => path.split(/[/\\]/).filter((part) => part !== ""));
  const longest = Math.max(...parts.map((part) => part.length));
  const ends = Array.from({ length: longest }, (_, i) => parts.map((part) => part.slice(-i - 1).join(sep)));
  const differ = (names: readonly string[]) => new Set(names).size === paths.length;
  const withoutExtension = (name: string) => name.replace(/(\.jsonl)?\.[^./\\]+$/, "");
  return ends.find((names) => differ(names.map(withoutExtension))) ?? ends.find(differ) ?? [...paths];
}
