import { watch, type FSWatcher } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { isArtifact } from "../../core/artifacts/names.js";
import { EXPERIMENT_JOURNAL, EXPERIMENT_LOCK } from "../experiment-folder.js";
import { isFolder } from "../folders.js";
import { isJournal } from "../journal/files.js";
import { mayBeClientFile } from "../open/client.js";
import { NOTES_FILE } from "./notes.js";
import { DEEPEST, isListed } from "./scan.js";

/** What comes together is one change: a capture writes its files one after the other. */
const TOGETHER_MS = 300;
/** Beside artifacts. */
const OTHERS: readonly string[] = [NOTES_FILE, EXPERIMENT_JOURNAL, EXPERIMENT_LOCK];
/** Where the system cannot watch folders, they are looked at this often. */
const LOOK_MS = 5000;

/** Calls back within a second of a change to a folder's runs or notes, until the signal aborts. */
export function watchRuns(folder: string, onChange: () => void, signal: AbortSignal): void {
  let timer: NodeJS.Timeout | undefined;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!signal.aborted) onChange();
    }, TOGETHER_MS);
  };
  let looks = false;
  const look = () => {
    if (looks || signal.aborted) return;
    looks = true;
    const looking = setInterval(soon, LOOK_MS);
    signal.addEventListener("abort", () => clearInterval(looking), { once: true });
  };
  const isOfRuns = (path: string) => {
    const name = basename(path);
    // A client writes its records all the time, and their summary at its end.
    const isResult = mayBeClientFile(name) && !/\.jsonl/i.test(name);
    return isArtifact(name) || OTHERS.includes(name) || isResult;
  };
  const watched = new Map<string, FSWatcher | undefined>();
  signal.addEventListener("abort", () => watched.forEach((watcher) => watcher?.close()), { once: true });
  const watchFolder = (directory: string, recursive: boolean, onName: (name: string) => void) => {
    watched.set(directory, undefined);
    try {
      const watcher = watch(directory, { recursive }, (event, name) => {
        // A journal grows with every scrape: what counts is that it comes and goes.
        if (name === null || isOfRuns(name) || (event === "rename" && isJournal(basename(name)))) soon();
        else onName(name);
      });
      watcher.once("error", () => (watched.delete(directory) && directory !== folder ? soon() : look()));
      watched.set(directory, watcher);
    } catch {
      look();
    }
  };
  // On Linux it would watch every file by itself, one after the other, and hold up the first answer.
  if (process.platform !== "linux") return watchFolder(folder, true, () => undefined);
  const follow = async (directory: string, depth: number): Promise<void> => {
    if (watched.has(directory) || depth > DEEPEST || signal.aborted) return;
    watchFolder(directory, false, (name) => {
      const path = join(directory, name);
      if (isListed(name)) void isFolder(path).then((isThere) => (isThere ? begin(path, depth + 1) : end(path)));
    });
    for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory() && isListed(entry.name)) await follow(join(directory, entry.name), depth + 1);
  };
  /** What was written in a folder before it was watched is read once it is. */
  const begin = async (directory: string, depth: number) => {
    if (watched.has(directory)) return;
    await follow(directory, depth);
    soon();
  };
  const end = (directory: string) => {
    watched.get(directory)?.close();
    if (watched.delete(directory)) soon();
  };
  void follow(folder, 0);
}
